"""Pages are in English and say so, whatever language a browser asks for."""

import pytest

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


def test_a_page_says_the_language_it_is_in_whatever_a_browser_asks_for(client, alice, workspace):
    for asked in ("de-DE,de;q=0.9", "ar", "en-GB"):
        for address in ("/accounts/login/", f"/w/{workspace.slug}/"):
            answer = client.get(address, headers={"accept-language": asked})
            assert '<html lang="en"' in answer.content.decode()
            assert answer.headers["Content-Language"] == "en"
            client.force_login(alice)
        client.logout()
