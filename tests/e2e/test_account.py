"""An account while no mail is sent: from an invitation to two-step sign-in, a passkey and a lost password."""

import re

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import Page, expect

from tests.e2e.test_main_job import make_workspace

pytestmark = pytest.mark.e2e
NAME, PASSWORD, ANOTHER = "gail", "a long pass phrase of hers", "quite another set of words"


def test_from_an_invitation_to_a_lost_password(signed_in, browser, site):
    here = site.address.replace("127.0.0.1", "localhost")  # Passkeys belong to a name, not to a number.
    link = invite(signed_in, make_workspace(signed_in, site, "Journey")).replace(site.address, here)
    hers = browser.new_context(viewport={"width": 1440, "height": 900})
    page = hers.new_page()
    page.set_default_timeout(20_000)
    sign_up_by(page, link)
    codes = switch_two_step_on(page, here)
    sign_out(page, here)
    sign_in(page, here, PASSWORD)
    expect(page.locator("main")).to_contain_text("code", ignore_case=True)
    page.fill("input[name=code]", codes[0])  # The app's code was used a moment ago, and works once.
    page.locator("form button[type=submit]").first.click()
    page.wait_for_url(f"{here}/")
    add_passkey(page, here)
    sign_out(page, here)
    page.goto(f"{here}/accounts/login/")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url(f"{here}/")
    sign_out(page, here)
    lose_and_reset_the_password(page, here, site)
    hers.close()


def invite(page: Page, home: str) -> str:
    """An invitation's link: whoever holds it may make an account, and belongs to the workspace with it."""
    page.goto(f"{home}settings/members/")
    page.select_option("form[action$='/invitations/new/'] select[name=role]", label="Editor")
    page.click("form[action$='/invitations/new/'] button[type=submit]")
    return page.locator("#new-link").input_value()


def sign_up_by(page: Page, link: str) -> None:
    page.goto(link)
    expect(page.locator("h1")).to_contain_text("Join Journey")
    page.fill("input[name=username]", NAME)
    page.fill("input[name=email]", f"{NAME}@example.com")
    page.fill("input[name=password1]", PASSWORD)
    page.get_by_role("button", name="Make the account").click()
    page.wait_for_url(re.compile("/w/"))


def code_of(secret: str) -> str:
    """What an authenticator app shows at the moment."""
    return format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))


def switch_two_step_on(page: Page, here: str) -> list[str]:
    """By the page alone, as somebody does whose app takes the secret as text; the recovery codes that are shown."""
    page.goto(f"{here}/account/")
    page.get_by_role("link", name="Two-step sign-in").click()
    page.locator("a[href$='/totp/activate/']").click()
    confirm_password(page)
    secret = page.locator("#authenticator_secret").inner_text()
    page.fill("input[name=code]", code_of(secret))
    page.locator("main form button[type=submit]").click()
    expect(page.locator("main")).to_contain_text("recovery codes", ignore_case=True)
    return page.locator("main textarea").input_value().split()


def confirm_password(page: Page) -> None:
    """Asked once more before a change of how one signs in, unless it was given just now."""
    page.wait_for_load_state()
    if page.locator("input[name=password]").count():
        page.fill("input[name=password]", PASSWORD)
        page.locator("main form button[type=submit]").first.click()


def add_passkey(page: Page, here: str) -> None:
    """With an authenticator that the browser plays."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    verified = {"isUserVerified": True, "automaticPresenceSimulation": True}
    session.send("WebAuthn.addVirtualAuthenticator", {"options": {**options, **verified}})
    page.goto(f"{here}/accounts/2fa/webauthn/add/")
    confirm_password(page)
    page.fill("input[name=name]", "Laptop")
    page.check("input[name=passwordless]")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("main")).to_contain_text("One passkey or security key")


def sign_out(page: Page, here: str) -> None:
    page.goto(f"{here}/accounts/logout/")
    page.locator("main form button[type=submit]").click()
    page.wait_for_url(re.compile("/accounts/login/"))


def sign_in(page: Page, here: str, password: str) -> None:
    page.goto(f"{here}/accounts/login/")
    page.fill("input[name=login]", NAME)
    page.fill("input[name=password]", password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def lose_and_reset_the_password(page: Page, here: str, site) -> None:
    """The page says who can help, and the administrator's link works once."""
    page.goto(f"{here}/accounts/password/reset/")
    expect(page.locator("main")).to_contain_text("This site sends no mail")
    said = site.manage("reset_access", NAME, "--without-two-step")
    link = here + re.search(r"/accounts/\S+", said.stdout)[0]
    page.goto(link)
    page.fill("input[name=password1]", ANOTHER)
    if page.locator("input[name=password2]").count():
        page.fill("input[name=password2]", ANOTHER)
    page.locator("main form button[type=submit]").click()
    sign_in(page, here, ANOTHER)
    page.wait_for_url(f"{here}/")
    page.goto(link)
    expect(page.locator("input[name=password1]")).to_have_count(0)
