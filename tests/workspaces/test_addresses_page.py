"""The page of an account's e-mail addresses."""

import re

from allauth.account.models import EmailAddress


def forms_of(page: str) -> dict[str, list[str]]:
    """For each address with a form, what its buttons do."""
    forms = re.findall(r"<form.*?</form>", page.partition('<ul class="rows">')[2].partition("</ul>")[0], re.DOTALL)
    return {
        re.search(r'name="email" value="([^"]*)"', form)[1]: re.findall(r'name="(action_\w+)"', form) for form in forms
    }


def test_each_address_has_the_buttons_that_suit_it_and_they_act_on_it(client, alice):
    EmailAddress.objects.create(user=alice, email="alice@example.com", primary=True)
    EmailAddress.objects.create(user=alice, email="other@example.com")
    client.force_login(alice)
    page = client.get("/accounts/email/").content.decode()
    assert forms_of(page) == {"alice@example.com": [], "other@example.com": ["action_primary", "action_remove"]}


def test_a_link_to_confirm_is_offered_only_while_mail_is_sent(client, alice, settings):
    settings.MAIL_ON = True
    EmailAddress.objects.create(user=alice, email="alice@example.com", primary=True)
    client.force_login(alice)
    page = client.get("/accounts/email/").content.decode()
    assert forms_of(page) == {"alice@example.com": ["action_send"]}
