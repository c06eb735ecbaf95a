"""Who may make an account."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from vectorless_web.workspaces.selectors import invitation_by

INVITATION = "invitation"
"""The session's key for the token of an invitation that is being followed."""


class AccountAdapter(DefaultAccountAdapter):
    """Opens sign-up by setting, or to somebody who follows an invitation that is still open."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this visitor may sign up."""
        if settings.SIGNUP_OPEN:
            return True
        token = request.session.get(INVITATION, "")
        return bool(token) and invitation_by(token) is not None
