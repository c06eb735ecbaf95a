"""Who a session cookie belongs to, for code that stands before Django's middleware."""

from collections.abc import Mapping
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest


def signed_in_account(cookies: Mapping[str, str]) -> AbstractBaseUser | None:
    """The account whose session the cookies name; None for a visitor and for an account that was closed.

    Asks the database, which may raise DatabaseError.
    """
    key = cookies.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return None
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = get_user(request)
    return user if user.is_authenticated and user.is_active else None
