"""What is sent without a session keeps what was typed, and the address of a form leads back to its page."""

import pytest

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]
QUESTION = "How much rent is payable for unit 7?"


def test_a_question_sent_after_the_session_ended_is_given_back_with_a_way_to_sign_in(client, workspace):
    answer = client.post(f"/w/{workspace.slug}/ask/", {"question": QUESTION, "csrfmiddlewaretoken": "x"})
    page = answer.content.decode()
    assert answer.status_code == 401
    assert "You are signed out, so nothing was stored." in page
    assert QUESTION in page
    assert f'href="/accounts/login/?next=/w/{workspace.slug}/"' in page
    assert "Csrfmiddlewaretoken" not in page


def test_htmx_is_told_in_a_toast_and_leaves_the_form_where_it_is(client, workspace):
    answer = client.post(f"/w/{workspace.slug}/ask/", {"question": QUESTION}, headers={"HX-Request": "true"})
    toast = answer.content.decode()
    assert answer.status_code == 401
    assert 'class="toast bad"' in toast
    assert 'href="/accounts/login/' in toast
    assert "<form" not in toast


def test_a_visitor_who_opens_a_page_is_led_to_sign_in_and_back(client, workspace):
    address = f"/w/{workspace.slug}/documents/"
    assert client.get(address)["Location"] == f"/accounts/login/?next={address}"


@pytest.mark.parametrize(
    ("form", "page"), [("ask/", ""), ("settings/invitations/new/", "settings/"), ("documents/upload/", "documents/")]
)
def test_the_address_of_a_form_leads_to_the_page_it_belongs_to(client, alice, workspace, form, page):
    client.force_login(alice)
    answer = client.get(f"/w/{workspace.slug}/{form}")
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"
    assert f'href="/w/{workspace.slug}/{page}"' in answer.content.decode()


@pytest.mark.parametrize(
    ("sent_from", "page"),
    [
        ("http://testserver/w/{slug}/documents/?folder=7&sort=name", "documents/?folder=7&amp;sort=name"),
        ("https://elsewhere.example/w/{slug}/settings/", "documents/"),
        ("http://testserver/w/{slug}/documents/folders/new/", "documents/"),
        ("http://testserver//elsewhere.example/", "documents/"),
        ("http://[", "documents/"),
        ("", "documents/"),
    ],
)
def test_a_refused_form_leads_back_to_the_page_it_was_sent_from(client, alice, workspace, sent_from, page):
    client.force_login(alice)
    headers = {"Referer": sent_from.format(slug=workspace.slug)} if sent_from else {}
    answer = client.post(f"/w/{workspace.slug}/documents/folders/new/", {"name": ""}, headers=headers)
    assert answer.status_code == 422
    assert f'<a class="btn primary" href="/w/{workspace.slug}/{page}">' in answer.content.decode()
