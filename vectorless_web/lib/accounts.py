"""Who may make an account."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Opens sign-up by setting, or for one session that followed an invitation."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Whether this visitor may sign up."""
        return bool(settings.SIGN_UP_OPEN or request.session.get("invitation"))
