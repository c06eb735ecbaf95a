"""Forms of the account pages that differ from those of the library."""

from typing import Any

from allauth.account.forms import ResetPasswordForm as MailedResetForm
from django.conf import settings
from django.core.exceptions import ValidationError

NO_MAIL = (
    "This site sends no mail, so no link was sent. Ask the owner of your workspace or an administrator of the site: "
    "an administrator can make a link for you with which you choose a new password."
)


class ResetPasswordForm(MailedResetForm):
    """Asks for the address to which a link is sent; refuses while no mail is sent at all."""

    def clean(self) -> dict[str, Any]:
        """ValidationError while mail is off."""
        if not settings.MAIL_ON:
            raise ValidationError(NO_MAIL, code="mail_off")
        values: dict[str, Any] = super().clean()
        return values
