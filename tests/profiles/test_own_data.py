"""A copy of one's own data, and deleting one's account."""

import json

import pytest
from django.urls import reverse

from tests.conftest import PASSWORD
from vectorless_web.runs.models import Answer, Run, Thread
from vectorless_web.workspaces.models import AuditEvent, Membership, Role, Workspace

pytestmark = pytest.mark.django_db


def ask(workspace, person, question: str, answer: str) -> Run:
    thread = Thread.objects.create(workspace=workspace, title=question, created_by=person)
    run = Run.objects.create(thread=thread, workspace=workspace, question=question, asked_by=person, status="answered")
    Answer.objects.create(run=run, markdown=answer)
    return run


def delete(client, name: str, password: str = PASSWORD):
    return client.post(reverse("profiles:delete"), {"user_name": name, "password": password})


def test_the_copy_holds_ones_own_and_nobody_elses_and_no_secrets(client, alice, bob, workspace):
    ask(workspace, bob, "How long is the notice?", "Four weeks.")
    ask(workspace, alice, "Who is leaving?", "Nobody.")
    client.force_login(bob)
    answer = client.get(reverse("profiles:export"))
    assert "attachment" in answer["Content-Disposition"]
    held = json.loads(answer.content)
    assert [(each["question"], each["answer"]) for each in held["questions"]] == [
        ("How long is the notice?", "Four weeks.")
    ]
    assert held["workspaces"][0]["workspace__name"] == workspace.name
    for secret in ("Who is leaving?", bob.password, client.session.session_key):
        assert secret not in answer.content.decode()


def test_questions_stay_without_the_name(client, bob, workspace):
    run = ask(workspace, bob, "How long is the notice?", "Four weeks.")
    client.force_login(bob)
    assert delete(client, "bob").status_code == 302
    run.refresh_from_db()
    assert run.asked_by is None
    assert client.get("/account/").status_code == 302
    assert AuditEvent.objects.filter(verb="account.deleted_by_its_owner", object_name="bob").exists()


@pytest.mark.parametrize(("name", "password"), [("bob", "another password"), ("robert", PASSWORD)])
def test_name_and_password_are_asked(client, bob, name, password):
    client.force_login(bob)
    assert delete(client, name, password).status_code == 422
    bob.refresh_from_db()


def test_wrong_passwords_are_counted(client, bob):
    client.force_login(bob)
    # Five in five minutes; eleven, since the minutes may end between two of them.
    answers = [delete(client, "bob", "another password").content.decode() for _try in range(11)]
    assert any("Too many wrong passwords" in answer for answer in answers)


def test_the_only_owner_must_hand_over_first(client, html, alice, bob, workspace):
    assert "is the only owner of Acme diligence" in html(alice, reverse("profiles:data"))
    assert delete(client, "alice").status_code == 409
    Membership.objects.filter(workspace=workspace, user=bob).update(role=Role.OWNER)
    assert delete(client, "alice").status_code == 302
    # The workspace that alice made stays with its other owner.
    assert Workspace.objects.get(pk=workspace.pk).created_by is None
