"""A run among people: private or the team's, shared with some, verified, a favourite, commented on."""

import pytest

from tests.runs.conftest import say
from vectorless_web.runs.models import Comment, Run
from vectorless_web.runs.selectors import visible_runs
from vectorless_web.runs.services import ask_again, start_run
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(make_run) -> Run:
    return make_run(status="answered")


@pytest.fixture
def at(client, workspace):
    """Get or post below a run as somebody: `at(bob, run, "people/")`."""

    def ask(user, run, path="", /, **data):
        client.force_login(user)
        address = f"/w/{workspace.slug}/runs/{run.pk}/{path}"
        return client.post(address, data) if path and path != "people/" else client.get(address)

    return ask


def sees(user, run) -> bool:
    return visible_runs(user.pk, [run.workspace_id]).filter(pk=run.pk).exists()


def test_a_run_is_the_teams_unless_the_workspace_keeps_questions_private(workspace, alice, bob, report):
    asked = start_run(user=bob, workspace=workspace, question="What was revenue?")
    assert not asked.private and sees(alice, asked)
    workspace.settings = {"runs_private": True}
    workspace.save()
    kept = start_run(user=bob, workspace=workspace, question="What was profit?")
    assert kept.private and sees(bob, kept) and not sees(alice, kept)


def test_a_question_can_be_asked_so_that_nobody_else_sees_it(workspace, alice, bob, report, client):
    client.force_login(bob)
    ask, box = f"/w/{workspace.slug}/ask/", 'name="private"'
    assert box in client.get(f"/w/{workspace.slug}/").content.decode()
    client.post(ask, {"question": "Who leaves in May?", "scope": "all", "private": "yes"})
    kept = Run.objects.get()
    assert sees(bob, kept) and not sees(alice, kept)
    Run.objects.update(status="failed")
    client.post(ask, {"question": "And in June?", "scope": "all", "thread": kept.thread_id})
    assert not sees(alice, Run.objects.exclude(pk=kept.pk).get()), "what follows it is private as well"
    Run.objects.update(status="answered")
    page = client.get(f"/w/{workspace.slug}/runs/{kept.pk}/").content.decode()
    assert box not in page, "there is nothing to choose"


def test_a_private_run_exists_for_who_asked_alone_with_what_is_asked_after_it(
    at, run, alice, bob, charlie, client, workspace
):
    at(bob, run, "people/keep/")
    assert [at(user, run).status_code for user in (bob, alice)] == [200, 404]
    assert run.question not in client.get(f"/w/{workspace.slug}/runs/").content.decode()
    run.refresh_from_db()
    assert ask_again(user=bob, run=run).private
    at(bob, run, "people/named/", people=[charlie.pk])
    assert not run.shared_with.exists(), "with a stranger it is shared in vain"


def test_who_asked_shares_it_with_some_or_with_all(at, run, alice, bob, vera):
    at(bob, run, "people/keep/")
    at(bob, run, "people/named/", people=[vera.pk])
    assert sees(vera, run) and not sees(alice, run)
    at(bob, run, "people/share/")
    assert sees(alice, run)
    verbs = list(AuditEvent.objects.filter(object_type="run").order_by("pk").values_list("verb", flat=True))
    assert verbs == ["run.made_private", "run.shared_with_members", "run.shared_with_workspace"]


def test_a_title_of_a_private_question_is_not_told_by_its_thread(at, make_run, run, alice, bob, html, workspace):
    later = make_run(status="answered", thread=run.thread, question="And in euros?")
    Run.objects.filter(pk=run.pk).update(private=True)
    shown = html(alice, f"/w/{workspace.slug}/threads/{run.thread_id}/")
    assert later.question in shown and run.question not in shown


def test_somebody_verifies_an_answer_and_the_page_names_them(at, run, alice, bob):
    at(alice, run, "verify/")
    assert "verified by alice" in at(bob, run).content.decode()
    at(alice, run, "verify/end/")
    assert "verified by" not in at(bob, run).content.decode()


def test_what_is_no_answer_is_not_verified(at, make_run, alice):
    answer = at(alice, make_run(status="not_found"), "verify/")
    assert answer.status_code == 409 and "Only an answer can be verified." in answer.content.decode()


def test_a_favourite_is_ones_own_and_found_by_the_list(at, run, alice, bob, client, html, workspace):
    at(alice, run, "favourite/")
    listed = f"/w/{workspace.slug}/runs/?mark=favourite"
    assert run.question in client.get(listed).content.decode()
    assert "No run fits" in html(bob, listed)


def test_a_comment_on_a_sentence_mentions_who_may_see_the_run(at, run, alice, bob, charlie):
    say(run, "Revenue was 12 million.")
    at(alice, run, "comments/", text="@bob @charlie is this <b>net</b>?", sentence=1)
    comment = Comment.objects.get()
    assert list(comment.mentions.all()) == [bob]
    shown = at(bob, run, "people/").content.decode()
    assert "is this &lt;b&gt;net&lt;/b&gt;?" in shown and "Revenue was 12 million." in shown


def test_a_comment_is_removed_by_its_author_or_an_owner(at, run, alice, bob):
    at(bob, run, "comments/", text="Mine.")
    at(alice, run, "comments/", text="Hers.")
    mine, hers = Comment.objects.order_by("pk")
    assert at(bob, run, f"comments/{hers.pk}/remove/").status_code == 403
    at(alice, run, f"comments/{mine.pk}/remove/")
    assert list(Comment.objects.all()) == [hers]
