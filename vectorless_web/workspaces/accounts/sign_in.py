"""How many wrong passwords an account takes, so that guessing is slow and its owner is never locked out.

Tries are counted for the account and the place they come from, whichever of the account's
names was typed. A place is a browser that has signed in to the account before, known by a
signed cookie, else a network address. From all unknown places together an account takes a
number of tries freely, and then one at a time with a pause between: who guesses from a
thousand addresses gains nothing, and the owner still gets in, at once from a known place.
"""

from dataclasses import dataclass
from hashlib import sha256

from allauth.account.utils import filter_users_by_email
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

from vectorless_web.infra.web.throttle import counted_address, give_back, seconds_to_wait

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
