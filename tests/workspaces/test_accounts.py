"""Accounts: two-step sign-in, forgotten passwords while no mail is sent, easy passwords, and addresses."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from tests.conftest import PASSWORD, free_port
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db


def code_now(secret: str) -> str:
    """What an authenticator app shows at the moment."""
    return format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))


def sign_in(client, name: str, password: str = PASSWORD):
    return client.post("/accounts/login/", {"login": name, "password": password})


class TestTwoStepSignIn:
    def set_up(self, client):
        """Switch it on as a person does; the secret that the page showed."""
        client.post("/accounts/reauthenticate/", {"password": PASSWORD})
        page = client.get("/accounts/2fa/totp/activate/")
        assert page.status_code == 200, page
        secret = client.session["mfa.totp.secret"]
        client.post("/accounts/2fa/totp/activate/", {"code": code_now(secret)})
        return secret

    def test_it_works_while_no_mail_is_sent_and_its_secrets_are_stored_encrypted(self, client, alice):
        sign_in(client, "alice")
        EmailAddress.objects.create(user=alice, email=alice.email, primary=True, verified=False)

        secret = self.set_up(client)
        client.post("/accounts/logout/")
        asked = sign_in(client, "alice")

        assert asked["Location"].startswith("/accounts/2fa/authenticate/")
        assert "_auth_user_id" not in client.session
        client.post("/accounts/2fa/authenticate/", {"code": code_now(secret)})
        assert client.session["_auth_user_id"] == str(alice.pk)

        stored = str(list(Authenticator.objects.values_list("data", flat=True)))
        assert Authenticator.objects.count() == 2
        assert secret not in stored
        codes = RecoveryCodes(Authenticator.objects.get(type="recovery_codes"))
        seed = codes.instance.data["seed"]
        assert seed.startswith("fernet:")
        assert get_adapter().decrypt(seed) not in stored
        assert codes.validate_code(codes.get_unused_codes()[0])

    def test_another_encryption_key_is_a_plain_sentence(self, client, alice, settings):
        sign_in(client, "alice")
        secret = self.set_up(client)
        client.post("/accounts/logout/")
        sign_in(client, "alice")
        settings.ENCRYPTION_KEY = "another"

        answer = client.post("/accounts/2fa/authenticate/", {"code": code_now(secret)})

        assert answer.status_code == 503
        assert "encryption key has changed" in answer.content.decode()

    def test_the_admin_site_does_not_show_its_secrets(self, admin_client, alice):
        row = Authenticator.objects.create(user=alice, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
        assert admin_client.get(f"/admin/mfa/authenticator/{row.pk}/change/").status_code == 404
        assert "authenticator" not in admin_client.get("/admin/").content.decode()


class TestForgottenPassword:
    def test_while_no_mail_is_sent_nothing_else_is_claimed(self, client, alice):
        page = client.get("/accounts/password/reset/").content.decode()
        answer = client.post("/accounts/password/reset/", {"email": alice.email})

        for text in (page, answer.content.decode()):
            assert "sends no mail" in text
            assert "administrator" in text
        assert answer.status_code == 200, "not sent on to the page that says to look into the mail"
        assert not mail.outbox

    def test_a_mail_says_what_it_is_for_where_it_leads_and_what_to_do_if_one_did_not_ask(self, client, alice, settings):
        settings.MAIL_ON = True
        for address in (alice.email, "nobody@example.com"):
            client.post("/accounts/password/reset/", {"email": address})
        client.force_login(alice)
        client.post("/accounts/email/", {"action_add": "", "email": "alice@new.example"})
        reset, unknown, confirm = mail.outbox
        assert [each.subject for each in mail.outbox] == [
            "Choose a new password",
            "No account has this address",
            "Confirm your address",
        ]
        assert "for the account alice on testserver" in reset.body and "/accounts/password/reset/key/" in reset.body
        assert "nobody@example.com" in unknown.body and "invitation link" in unknown.body
        assert "/signup/" not in unknown.body, "the site is not open to everybody"
        assert "The account alice" in confirm.body and "/accounts/confirm-email/" in confirm.body
        assert not [each.body for each in mail.outbox if "{" in each.body or "\n\n\n" in each.body.strip()]

    def test_while_the_mail_server_is_away_the_page_says_so(self, client, alice, settings):
        settings.EMAIL_BACKEND, settings.MAIL_ON = "django.core.mail.backends.smtp.EmailBackend", True
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
        for address in (alice.email, "nobody@example.com"):
            answer = client.post("/accounts/password/reset/", {"email": address})
            assert answer.status_code == 503
            assert "The mail could not be sent" in answer.content.decode()

    def test_an_operator_makes_a_link_that_works_once(self, client, alice, capsys):
        call_command("reset_access", "ALICE@example.com")
        path = "/" + capsys.readouterr().out.strip().split("/", 3)[3]

        form = client.get(path)["Location"]
        new = "a quite different sentence"
        client.post(form, {"password1": new, "password2": new})

        assert sign_in(client, "alice", new).status_code == 302
        assert "does not work any more" in Client().get(path).content.decode()
        event = AuditEvent.objects.get(verb="account.reset_link_made")
        assert (event.actor, event.object_name) == (None, "alice")

    def test_the_operator_switches_a_lost_second_step_off(self, client, alice, capsys, db):
        Authenticator.objects.create(user=alice, type="totp", data={"secret": "JBSWY3DPEHPK3PXP"})
        call_command("reset_access", "alice", "--without-two-step")
        assert not Authenticator.objects.exists()
        assert AuditEvent.objects.filter(verb="account.two_step_removed").count() == 1

        with pytest.raises(CommandError, match="no account 'nobody'"):
            call_command("reset_access", "nobody")


@pytest.mark.parametrize(
    "password",
    [
        "8675309867",
        " " * 10,
        "aaaaaaaaaaaa",
        "abcabcabcabc",
        "ab  ab  ab  ab",
        "abcdefghijkl",
        "acegikmoqsuwy",
        "¹²³4567890",
    ],
)
def test_easy_passwords_are_refused(password):
    with pytest.raises(ValidationError):
        validate_password(password)


@pytest.mark.parametrize("password", [PASSWORD, "tr0ub4dor&3x", "Größe und Gewicht", "密码是一句很长的话吧"])
def test_ordinary_sentences_pass(password):
    assert validate_password(password) is None


def test_an_address_added_later_is_not_said_to_have_been_sent_a_mail(client, alice):
    sign_in(client, "alice")
    text = client.post("/accounts/email/", {"action_add": "", "email": "new@example.com"}, follow=True).content.decode()
    assert "this site sends no mail" in text
    assert not re.search(r"onfirmation email sent", text)


def forms_of(page: str) -> dict[str, list[str]]:
    """For each address with a form, what its buttons do."""
    forms = re.findall(r"<form.*?</form>", page.partition('<ul class="rows">')[2].partition("</ul>")[0], re.DOTALL)
    return {
        re.search(r'name="email" value="([^"]*)"', form)[1]: re.findall(r'name="(action_\w+)"', form) for form in forms
    }


def test_each_address_has_the_buttons_that_suit_it_and_they_act_on_it(html, alice):
    EmailAddress.objects.create(user=alice, email="alice@example.com", primary=True)
    EmailAddress.objects.create(user=alice, email="other@example.com")
    page = html(alice, "/accounts/email/")
    assert forms_of(page) == {"alice@example.com": [], "other@example.com": ["action_primary", "action_remove"]}


def test_a_link_to_confirm_is_offered_only_while_mail_is_sent(html, alice, settings):
    settings.MAIL_ON = True
    EmailAddress.objects.create(user=alice, email="alice@example.com", primary=True)
    page = html(alice, "/accounts/email/")
    assert forms_of(page) == {"alice@example.com": ["action_send"]}
