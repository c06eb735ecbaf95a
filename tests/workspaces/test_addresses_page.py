"""The page of an account's e-mail addresses."""

import re

from allauth.account.models import EmailAddress


def test_the_address_in_use_is_chosen_so_that_a_button_acts_on_it(client, alice):
    EmailAddress.objects.create(user=alice, email="alice@example.com", primary=True)
    client.force_login(alice)
    page = client.get("/accounts/email/").content.decode()
    (radio,) = re.findall(r'<input[^>]*type="radio"[^>]*>', page)
    assert 'value="alice@example.com"' in radio
    assert "checked" in radio
    assert 'class="input"' not in radio, "a text field's look makes it a large circle"
