"""A thread's page: its questions in order, what a follow-up knows, editing, and its title."""

import pytest

from tests.runs.conftest import say
from vectorless_web.runs.models import Answer, Run, Step, Thread
from vectorless_web.workspaces.models import AuditEvent, Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def first(make_run, report) -> Run:
    run = make_run(status="answered", step_count=9, cost_usd="0.011")
    Answer.objects.create(run=run, value="412 million")
    run.versions.add(report.current_version)
    say(run, "Revenue was 412 million.", ("quote 1", 0), ("quote 2", 0))
    refs = [
        {"document": str(report.pk), "key": key, "title": "", "role": "read", "page_start": 0, "page_end": 0}
        for key in (3, 4)
    ]
    Step.objects.create(run=run, sequence=2, walk=1, index=0, kind="retrieve", say="Read", refs=refs)
    return run


def address(thread: Thread, act: str = "") -> str:
    return f"/w/{thread.workspace.slug}/threads/{thread.pk}/{act}"


def test_its_questions_stand_in_order_with_answer_quotes_and_cost(page, first, make_run):
    second = make_run(thread=first.thread, question="And in 2023?", asked_from=first, asked_how="follow_up")
    answer = page(address(first.thread))
    shown, known = answer.content.decode(), answer.context["known"]

    assert [run.pk for run in answer.context["runs"]] == [first.pk, second.pk]
    assert shown.index("412 million") < shown.index("And in 2023?")
    assert "2 quotes" in shown and "$0.011" in shown and "Follow-up" in shown
    assert f'name="thread" value="{first.thread_id}"' in shown, "a follow-up goes on in this thread"
    assert known == {"run": first, "passages": 2, "documents": 1}
    assert page(address(make_run(status="failed").thread)).context["known"] is None


def test_a_long_thread_is_read_page_by_page_and_opens_at_its_end(page, make_run, django_assert_max_num_queries):
    thread = make_run(status="answered").thread
    runs = [make_run(thread=thread, question=f"Question {number}?", status="answered") for number in range(40)]
    with django_assert_max_num_queries(30):
        answer = page(address(thread))

    assert answer.context["runs"].number == 2
    assert runs[-1] in answer.context["runs"].object_list


def test_an_edit_begins_with_the_question_as_it_was(page, first, report):
    first.whole_workspace = False
    first.save()
    first.documents.add(report)
    box = page(f"/w/{first.workspace.slug}/runs/{first.pk}/edit/").context["ask"]

    begun = (box.sent.question, box.sent.again, box.sent.thread, box.sent.scope)
    assert begun == (first.question, first.pk, first.thread_id, "documents")
    assert [document.pk for document in box.documents] == [report.pk]


class TestTitle:
    def rename(self, client, thread, title):
        return client.post(address(thread, "rename/"), {"title": title})

    def test_who_began_it_may_change_it_to_what_is_neither_empty_nor_endless(self, client, page, first):
        self.rename(client, first.thread, "  Revenue,\n by year ")
        first.thread.refresh_from_db()

        assert first.thread.title == "Revenue, by year"
        assert AuditEvent.objects.get(verb="thread.renamed").details == {"before": "What was revenue?"}
        assert {self.rename(client, first.thread, bad).status_code for bad in ("", " \n", "\0", "x" * 301)} == {422}

    def test_another_member_may_not_and_an_editor_may(self, client, page, first, workspace, bob, alice):
        Thread.objects.update(created_by=alice)
        assert self.rename(client, first.thread, "Mine").status_code == 403
        assert "Rename" not in page(address(first.thread)).content.decode()

        workspace.memberships.filter(user=bob).update(role=Role.EDITOR)
        assert self.rename(client, first.thread, "Ours").status_code == 302
