"""The list of runs: every filter alone and together, paging, feedback, and what an empty list says."""

from urllib.parse import parse_qs, urlparse

import pytest
from django.utils import timezone

from tests.runs.conftest import make_ready
from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.runs.models import Answer, Feedback, Run
from vectorless_web.runs.views.lists import DOCUMENTS_OFFERED, TITLES_OFFERED

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client, bob, workspace):
    """Fetch the list as Bob: `page("q=revenue")`."""
    client.force_login(bob)
    return lambda query="": client.get(f"/w/{workspace.slug}/runs/?{query}")


def listed(answer) -> list[int]:
    return [run.pk for run in answer.context["runs"]]


def test_it_narrows_by_a_document_that_was_read(page, make_run, report, workspace, alice):
    other, unread = make_ready(workspace, alice, "Handbook"), make_ready(workspace, alice, "Annex")
    reads, another = make_run(), make_run()
    reads.versions.add(report.current_version)
    another.versions.add(other.current_version)

    assert listed(page(f"document={report.pk}")) == [reads.pk]
    assert [title for _pk, title in page().context["documents"].offered] == [report.title, "Handbook"]
    chosen = page(f"document={unread.pk}").context["documents"].offered
    assert (unread.pk, unread.title) in chosen, "it stays chosen although nobody read it"


@pytest.fixture
def many(workspace, report, make_run):
    """More documents that runs read than a menu offers, and the run that read the last of them."""
    rows = [Document(workspace=workspace, title=f"Plan {number:03}") for number in range(DOCUMENTS_OFFERED + 1)]
    documents = Document.objects.bulk_create(rows)
    versions = DocumentVersion.objects.bulk_create(
        DocumentVersion(document=row, number=1, file=f"f{row.pk}", sha256="0" * 64, bytes=1) for row in documents
    )
    reader = make_run()
    reader.versions.add(*versions[:-1])
    last = make_run()
    last.versions.add(versions[-1])
    return last


def test_of_many_documents_the_filter_is_typed_and_offers_titles_from_the_server(page, client, many, workspace):
    shown = page().content.decode()
    address = f"/w/{workspace.slug}/runs/"
    offered = client.get(address, {"title": "plan 19"}, headers={"HX-Request": "true"}).content.decode()

    assert 'name="title"' in shown and "<select" in shown and 'id="titles"' in shown
    assert 'value="Plan 191"' in offered and "Plan 200" not in offered and "<form" not in offered
    assert shown.count("Plan ") <= TITLES_OFFERED
    assert listed(page(f"title=Plan+{DOCUMENTS_OFFERED}")) == [many.pk], "without a script, too"
    assert page("title=plan").context["runs"].paginator.count == 2
    assert listed(page("title=nothing+like+it")) == []
    chosen = Document.objects.get(title=f"Plan {DOCUMENTS_OFFERED}")
    answer = page(f"document={chosen.pk}")
    assert (listed(answer), answer.context["documents"].title) == ([many.pk], chosen.title)


def test_it_narrows_by_what_people_said_and_shows_how_many(page, make_run, bob, alice):
    runs = [make_run(status="answered") for _ in range(3)]
    for run, user, good in ((runs[0], bob, True), (runs[1], bob, False), (runs[1], alice, False)):
        Feedback.objects.create(run=run, user=user, good=good, reason="" if good else "wrong_page")

    for said, found in (("good", [0]), ("bad", [1]), ("none", [2]), ("loud", [2, 1, 0])):
        assert listed(page(f"feedback={said}")) == [runs[number].pk for number in found], said
    assert [(run.good, run.bad) for run in page().context["runs"]] == [(0, 0), (0, 2), (1, 0)]


def test_all_filters_together_leave_what_fits_all(page, make_run, report, bob, alice):
    today = timezone.localdate().isoformat()
    fits = make_run(status="answered", question="What was revenue of Northfield?")
    almost = [
        make_run(status="answered", question="What was revenue of Northfield?", asked_by=alice),
        make_run(status="partial", question="What was revenue of Northfield?"),
        make_run(status="answered", question="What was the margin?"),
    ]
    for run in (fits, *almost):
        run.versions.add(report.current_version)
        Answer.objects.create(run=run, markdown="412 million")
        Feedback.objects.create(run=run, user=bob, good=False)
    query = (
        f"q=northfield+412&outcome=answered&person={bob.pk}&document={report.pk}&feedback=bad&from={today}&to={today}"
    )

    assert listed(page(query)) == [fits.pk]


def test_the_pager_keeps_every_filter(page, make_run):
    for _ in range(35):
        make_run(status="answered")
    shown = page("outcome=answered&q=revenue&feedback=none").content.decode()
    address = next(part for part in shown.split('"') if part.startswith("?") and "page=2" in part)

    assert parse_qs(urlparse(address.replace("&amp;", "&")).query) == {
        "outcome": ["answered"],
        "q": ["revenue"],
        "feedback": ["none"],
        "page": ["2"],
    }


def test_a_page_takes_the_same_few_queries_however_many_runs_there_are(
    page, make_run, report, bob, django_assert_num_queries
):
    def more(count: int) -> None:
        for _ in range(count):
            run = make_run(status="answered")
            run.versions.add(report.current_version)
            Answer.objects.create(run=run, value="412")
            Feedback.objects.create(run=run, user=bob, good=True)

    more(2)
    page()
    with django_assert_num_queries(12):
        page()
    more(25)
    with django_assert_num_queries(12):
        page()
    assert Run.objects.count() == 27
