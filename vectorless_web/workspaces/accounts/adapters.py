"""Who may make an account, who may sign in how often, and what proves an address or a second step."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.throttle import client_address
from vectorless_web.workspaces.accounts import sign_in
from vectorless_web.workspaces.models import Invitation
from vectorless_web.workspaces.selectors import User, invitation_by
from vectorless_web.workspaces.services import accept_invitation, invitation_closed
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt, encrypt

INVITATION = "invitation"
"""The session's key for the token of an invitation that is being followed."""
SIGN_UP = "account_signup"
ENCRYPTED = "fernet:"
"""Before a secret that is stored encrypted: no secret in clear, which has letters and digits only, begins so."""
MAIL_SENT = "account/messages/email_confirmation_sent.txt"
NOT_CONFIRMED = "The address was added. It stays unconfirmed, because this site sends no mail."


class AccountAdapter(DefaultAccountAdapter):
    """Opens sign-up by setting, or once to somebody who follows an invitation that is still open."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this visitor may sign up."""
        return settings.SIGNUP_OPEN or _find_followed_invitation(request) is not None

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address by which sign-in is limited."""
        return client_address(request)

    def clean_email(self, email: str) -> str:
        """The address; ValidationError at sign-up when the invitation is meant for another one."""
        cleaned: str = super().clean_email(email)
        match = self.request.resolver_match if self.request else None
        if settings.SIGNUP_OPEN or match is None or match.view_name != SIGN_UP:
            return cleaned
        found = _find_followed_invitation(self.request)
        if found is not None and not found.is_for(cleaned):
            raise ValidationError("The invitation is for another address. Use that one, or ask for another link.")
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Store the new account, which joins by the invitation it was made through, where that is enough.

        It is where sign-up is closed, and for an invitation to one address while no mail is sent: making the
        account is then the one proof of the address. While mail is sent the address is confirmed before.
        Problem (410) when somebody else used the invitation meanwhile; no account is kept then.
        """
        found = _find_followed_invitation(request)
        if not commit or (settings.SIGNUP_OPEN and (found is None or not found.email or settings.MAIL_ON)):
            return super().save_user(request, user, form, commit)
        with transaction.atomic():
            saved: User = super().save_user(request, user, form, commit)
            if found is None:
                raise invitation_closed()
            if not found.email or not settings.MAIL_ON:
                accept_invitation(user=saved, invitation=found, at_sign_up=True)
        return saved

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a try to sign in; ValidationError when there were too many."""
        self._try = sign_in.try_of(request, str(credentials.get("username") or credentials.get("email") or ""))
        if wait := sign_in.begin_try(self._try):
            sentence = f"Too many failed tries to sign in. Try again in {_format_wait(wait)}."
            raise ValidationError(sentence, code="too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """The account whose password this is, or None."""
        user = super().authenticate(request, **credentials)
        if user is not None:
            sign_in.forgive_try(self._try)
        return user

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        """Where to go after signing in; the browser is known from now on."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        sign_in.remember_place(request, response, user.pk)
        return response

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """Show a notice of the library's; none claims that a mail was sent while none is."""
        if message_template == MAIL_SENT and not settings.MAIL_ON:
            message_template, kwargs = None, {**kwargs, "message": NOT_CONFIRMED}
        super().add_message(request, level, message_template, *args, **kwargs)


class MFAAdapter(DefaultMFAAdapter):
    """Keeps the secrets of two-step sign-in encrypted. Those stored in clear by earlier versions still work."""

    def encrypt(self, text: str) -> str:
        """The secret as it is stored."""
        return f"{ENCRYPTED}{encrypt(text)}"

    def decrypt(self, encrypted_text: str) -> str:
        """The secret; Problem (503) when it was stored under another encryption key."""
        if not encrypted_text.startswith(ENCRYPTED):
            return encrypted_text
        try:
            return decrypt(encrypted_text.removeprefix(ENCRYPTED))
        except SecretUnreadable as error:
            raise Problem(
                "Two-step sign-in cannot be checked: this site's encryption key has changed since it was set up. "
                "An administrator can put the old key back, or switch two-step sign-in off for your account.",
                code="secret_unreadable",
                status=503,
            ) from error


def _format_wait(seconds: int) -> str:
    return f"{seconds} seconds" if seconds < 120 else f"{-(-seconds // 60)} minutes"


def _find_followed_invitation(request: HttpRequest) -> Invitation | None:
    """The invitation that this visitor follows, if it can still be used."""
    token = request.session.get(INVITATION, "")
    return invitation_by(token) if token else None
