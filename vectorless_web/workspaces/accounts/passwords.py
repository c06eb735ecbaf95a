"""Which passwords are too easy to guess although they are long enough, and the forms of the account pages."""

from itertools import pairwise
from typing import Any

from allauth.account.forms import ResetPasswordForm as MailedResetForm
from django.conf import settings
from django.core.exceptions import ValidationError

LEAST_CHARACTERS = 5
"""Different characters, blanks aside: "aaaaaaaaaa" has one, "2024202420" has three, a sentence about fifteen."""
LEAST_STEPS = 3
"""Different distances between neighbours: "abcdefghij" has one, "acegikmoqs" too."""


class VariedPasswordValidator:
    """Refuses blanks, few characters again and again, and the alphabet in order."""

    def validate(self, password: str, user: object = None) -> None:
        """ValidationError for a password of too little variety."""
        letters = "".join(password.split())
        steps = {ord(second) - ord(first) for first, second in pairwise(letters)}
        if len(set(letters.casefold())) < LEAST_CHARACTERS or len(steps) < LEAST_STEPS:
            raise ValidationError(
                "This password repeats itself or is a row of neighbours. Take several words, for example.",
                code="password_too_even",
            )

    def get_help_text(self) -> str:
        """The rule in words."""
        return f"Your password needs at least {LEAST_CHARACTERS} different characters, in no simple order."


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
