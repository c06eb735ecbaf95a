"""Rules of accounts: who may make one, which passwords are taken, how often signing in may be tried, second steps.

Tries are counted for the account and the place they come from, whichever of the account's
names was typed. A place is a browser that has signed in to the account before, known by a
signed cookie, else a network address. From all unknown places together an account takes a
number of tries freely, and then one at a time with a pause between: who guesses from a
thousand addresses gains nothing, and the owner still gets in, at once from a known place.
"""

import logging
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import ResetPasswordForm as MailedResetForm
from allauth.account.utils import filter_users_by_email
from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import (
    client_address,
    counted_address,
    describe_wait,
    give_back,
    seconds_to_wait,
)
from vectorless_web.workspaces.models import Invitation
from vectorless_web.workspaces.selectors import User, invitation_by
from vectorless_web.workspaces.services import accept_invitation, invitation_closed
from vectorless_web.workspaces.storage import SecretUnreadable, decrypt, encrypt

logger = logging.getLogger(__name__)

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
        """ValidationError while mail is off, or passwords are."""
        if not settings.LOCAL_PASSWORDS:
            raise ValidationError(NO_PASSWORDS, code="passwords_off")
        if not settings.MAIL_ON:
            raise ValidationError(NO_MAIL, code="mail_off")
        values: dict[str, Any] = super().clean()
        return values


NO_PASSWORDS = "Passwords of this site are switched off. Sign in with your organisation's account below."

TRIES, TRIES_SECONDS = 5, 300
"""Wrong passwords for one account from one place."""
ADDRESS_TRIES, ADDRESS_SECONDS = 10, 60
"""Wrong passwords for whatever accounts from one address; known browsers behind it are not held back."""
STRANGE_TRIES, STRANGE_SECONDS = 25, 300
"""Wrong passwords for one account from all unknown places together, before they are slowed down."""
PAUSE_SECONDS = 10
"""Between two tries from unknown places after that: 8,640 a day, against the 10,000 most common passwords refused."""
KNOWN_SECONDS = 90 * 24 * 3600
"""How long a browser or an address stays known after a sign-in."""
COOKIE = "known-browser"


@dataclass(frozen=True)
class Limit:
    """At most `most` tries of one kind in so many seconds."""

    name: str
    most: int
    seconds: int

    def wait(self) -> int:
        """Count a try; the seconds to wait when there were too many already, and then it is not counted."""
        return seconds_to_wait(self.name, amount=1, limit=self.most, seconds=self.seconds)

    def give_back(self) -> None:
        """Take a counted try back."""
        give_back(self.name, amount=1, seconds=self.seconds)


@dataclass(frozen=True)
class Try:
    """One try to sign in: the account that is meant and the place, known or not."""

    account: str
    address: str
    browser: str = ""
    """The known browser; "" for any other."""
    from_known_address: bool = False

    @property
    def firm(self) -> list[Limit]:
        """Limits that refuse."""
        own = Limit(f"sign-in-{self.account}-{self.browser or self.address}", TRIES, TRIES_SECONDS)
        return [own] if self.browser else [own, Limit(f"sign-in-{self.address}", ADDRESS_TRIES, ADDRESS_SECONDS)]

    @property
    def slowing(self) -> Limit | None:
        """The limit after which a pause is made between tries; None for a known place."""
        if self.browser or self.from_known_address:
            return None
        return Limit(f"sign-in-{self.account}", STRANGE_TRIES, STRANGE_SECONDS)


def begin_try(attempt: Try) -> int:
    """Count a try before the password is looked at; the seconds to wait first, 0 when it may be made now."""
    counted: list[Limit] = []
    for limit in attempt.firm:
        if wait := limit.wait():
            break
        counted.append(limit)
    else:
        wait = _measure_pause(attempt)
    if wait:
        # What is not looked at does not use a try up: the owner waits no longer because they asked too early.
        for limit in counted:
            limit.give_back()
    return wait


def forgive_try(attempt: Try) -> None:
    """Take back what a try with the right password counted."""
    for limit in attempt.firm:
        limit.give_back()
    if attempt.slowing is not None:
        attempt.slowing.give_back()


def remember_place(request: HttpRequest, response: HttpResponse, user_pk: int) -> None:
    """Know this browser and this address from now on as the account's."""
    cache.set(_known_address(user_pk, request), True, KNOWN_SECONDS)
    response.set_signed_cookie(
        COOKIE,
        str(user_pk),
        salt=COOKIE,
        max_age=KNOWN_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def try_of(request: HttpRequest, login: str) -> Try:
    """The try that a request makes with a user name or an e-mail address."""
    pk = _account_meant(login)
    address = counted_address(request)
    if pk is None:
        return Try(f"nobody-{_digest(login.casefold())}", address)
    if request.get_signed_cookie(COOKIE, "", salt=COOKIE, max_age=KNOWN_SECONDS) == str(pk):
        return Try(str(pk), address, browser=_digest(request.COOKIES[COOKIE]))
    return Try(str(pk), address, from_known_address=bool(cache.get(_known_address(pk, request))))


def _measure_pause(attempt: Try) -> int:
    """The seconds until an account that was tried too often from unknown places takes the next try from one."""
    slowing = attempt.slowing
    if slowing is None or not slowing.wait():
        return 0
    return Limit(f"{slowing.name}-slowly", 1, PAUSE_SECONDS).wait()


def _account_meant(login: str) -> int | None:
    """The account with this name, else with this address."""
    named = get_user_model().objects.filter(username__iexact=login).values_list("pk", flat=True).first()
    if named is not None:
        return int(named)
    addressed = filter_users_by_email(login, prefer_verified=True) if "@" in login else []
    return next((user.pk for user in addressed), None)


def _known_address(user_pk: int, request: HttpRequest) -> str:
    return f"known-address-{user_pk}-{_digest(counted_address(request))}"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


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
        """Whether this visitor may sign up with a password of this site."""
        if not settings.LOCAL_PASSWORDS:
            return False
        return settings.SIGNUP_OPEN or find_followed_invitation(request) is not None

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address by which sign-in is limited."""
        return client_address(request)

    def clean_email(self, email: str) -> str:
        """The address; ValidationError at sign-up when the invitation is meant for another one."""
        cleaned: str = super().clean_email(email)
        match = self.request.resolver_match if self.request else None
        if settings.SIGNUP_OPEN or match is None or match.view_name != SIGN_UP:
            return cleaned
        found = find_followed_invitation(self.request)
        if found is not None and not found.is_for(cleaned):
            raise ValidationError("The invitation is for another address. Use that one, or ask for another link.")
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Store the new account, which joins by the invitation it was made through, where that is enough.

        It is where sign-up is closed, and for an invitation to one address while no mail is sent: making the
        account is then the one proof of the address. While mail is sent the address is confirmed before.
        Problem (410) when somebody else used the invitation meanwhile; no account is kept then.
        """
        found = find_followed_invitation(request)
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
        self._try = try_of(request, str(credentials.get("username") or credentials.get("email") or ""))
        if wait := begin_try(self._try):
            sentence = f"Too many failed tries to sign in. Try again in {describe_wait(wait)}."
            raise ValidationError(sentence, code="too_many_login_attempts")

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """The account whose password this is, or None."""
        user = super().authenticate(request, **credentials)
        if user is not None:
            forgive_try(self._try)
        if user is not None and not settings.LOCAL_PASSWORDS and not user.is_superuser:
            raise ValidationError(NO_PASSWORDS, code="passwords_off")
        return user

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        """Where to go after signing in; the browser is known from now on."""
        response: HttpResponse = super().post_login(request, user, **kwargs)
        remember_place(request, response, user.pk)
        return response

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """Show a notice of the library's; none claims that a mail was sent while none is."""
        if message_template == MAIL_SENT and not settings.MAIL_ON:
            message_template, kwargs = None, {**kwargs, "message": NOT_CONFIRMED}
        super().add_message(request, level, message_template, *args, **kwargs)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail that somebody waits for; Problem (503) when the mail server does not take it."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError as error:  # Those of SMTP are of this kind.
            logger.warning("mail %s was not sent: %s", template_prefix, error)
            sentence = "The mail could not be sent: the site's mail server does not take it."
            raise Problem(
                sentence, remedy="Try again in some minutes.", code="mail_not_sent", status=503, retryable=True
            ) from error


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
                "Two-step sign-in cannot be checked: this site's encryption key has changed since it was set up.",
                remedy="An administrator can put the old key back, or switch two-step sign-in off for your account.",
                code="secret_unreadable",
                status=503,
            ) from error


def find_followed_invitation(request: HttpRequest) -> Invitation | None:
    """The invitation that this visitor follows, if it can still be used."""
    token = request.session.get(INVITATION, "")
    return invitation_by(token) if token else None
