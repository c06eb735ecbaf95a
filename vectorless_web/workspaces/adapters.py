"""Who may make an account."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest

from vectorless_web.lib.client_address import client_address
from vectorless_web.workspaces.models import Invitation
from vectorless_web.workspaces.selectors import User, invitation_by
from vectorless_web.workspaces.services import accept_invitation, invitation_closed

INVITATION = "invitation"
"""The session's key for the token of an invitation that is being followed."""
SIGN_UP = "account_signup"


class AccountAdapter(DefaultAccountAdapter):
    """Opens sign-up by setting, or once to somebody who follows an invitation that is still open."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this visitor may sign up."""
        return settings.SIGNUP_OPEN or _followed(request) is not None

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address by which sign-in is limited."""
        return client_address(request)

    def clean_email(self, email: str) -> str:
        """The address; ValidationError at sign-up when the invitation is meant for another one."""
        cleaned: str = super().clean_email(email)
        match = self.request.resolver_match if self.request else None
        if settings.SIGNUP_OPEN or match is None or match.view_name != SIGN_UP:
            return cleaned
        found = _followed(self.request)
        if found is not None and not found.is_for(cleaned):
            raise ValidationError("The invitation is for another address. Use that one, or ask for another link.")
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Store the new account. Where sign-up is closed it joins by its invitation at once, which is used up so.

        Problem (410) when somebody else used the invitation meanwhile; no account is kept then.
        """
        if settings.SIGNUP_OPEN or not commit:
            return super().save_user(request, user, form, commit)
        with transaction.atomic():
            saved: User = super().save_user(request, user, form, commit)
            found = _followed(request)
            if found is None:
                raise invitation_closed()
            accept_invitation(user=saved, invitation=found)
        return saved


def _followed(request: HttpRequest) -> Invitation | None:
    """The invitation that this visitor follows, if it can still be used."""
    token = request.session.get(INVITATION, "")
    return invitation_by(token) if token else None
