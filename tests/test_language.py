"""Pages are in English and say so, whatever language a browser asks for."""

import pytest

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


@pytest.mark.parametrize("asked", ["de-DE,de;q=0.9", "fr", "ar", "en-GB"])
def test_a_page_says_the_language_it_is_in(client, alice, workspace, asked):
    for address in ("/accounts/login/", f"/w/{workspace.slug}/"):
        page = client.get(address, headers={"accept-language": asked}).content.decode()
        assert '<html lang="en"' in page
        client.force_login(alice)


def test_every_browser_is_given_the_same_language(client, alice, workspace):
    client.force_login(alice)
    languages = {
        client.get(f"/w/{workspace.slug}/documents/", headers={"accept-language": asked}).headers["Content-Language"]
        for asked in ("de", "en", "fr-CH")
    }
    assert languages == {"en"}
