"""The pages: making a set, adding questions, asking them, reading, narrowing, comparing and exporting."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from vectorless_web.evaluations import services
from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.evaluations.reading import Typed
from vectorless_web.runs.models import Run
from vectorless_web.runs.services import start_run

pytestmark = [pytest.mark.one_database, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(client, alice, workspace):
    """Ask for a page of the workspace: `page("set", pk=1)`; with `data` the form is sent."""
    client.force_login(alice)

    def ask(name: str, data: dict | None = None, query: str = "", **keys):
        address = reverse(f"evaluations:{name}", kwargs={"slug": workspace.slug, **keys}) + query
        return client.get(address) if data is None else client.post(address, data, follow=True)

    return ask


def text(response) -> str:
    return " ".join(response.content.decode().split())


def test_a_set_is_made_filled_asked_and_read(page, report, work_off):
    page("make", {"name": "Figures"})
    golden_set = GoldenSet.objects.get()
    form = {"question": "What was capital expenditure in 2024?", "documents": "report.md", "value": "$31 million"}
    assert "The question was added" in text(page("add", form, pk=golden_set.pk))

    started = page("start", {"answerer": "offline", "expand": "on"}, pk=golden_set.pk)
    assert "0 of 1 asked" in text(started)
    work_off("background")

    shown = text(page("evaluation", pk=Evaluation.objects.get().pk))
    assert "1 of 1 (100 %)" in shown
    assert "right" in shown
    beside = text(page("question", pk=GoldenQuestion.objects.get().pk))
    assert '<p dir="auto">Capital expenditure' in beside, "the answer beside what is expected"
    assert "Figures" in text(page("sets"))
    assert "How far the verdicts can be trusted" in text(page("sets"))


def test_a_question_of_which_nothing_is_expected_is_refused_and_kept_in_the_form(page, golden_set):
    response = page("add", {"question": "What is the leave?"}, pk=golden_set.pk)
    assert response.status_code == 422
    assert "Say what is expected" in text(response)
    assert "What is the leave?" in text(response)


def test_questions_are_imported_and_exported(page, golden_set):
    rows = SimpleUploadedFile("q.jsonl", b'{"question": "How long is the leave?", "value": "25 days"}')
    assert "1 question was imported" in text(page("import", {"file": rows}, pk=golden_set.pk))
    exported = page("export_set", pk=golden_set.pk).content.decode().splitlines()
    assert json.loads(exported[-1])["value"] == "25 days"


def test_a_run_is_kept_from_its_page(page, client, report, alice, workspace, work_off):
    run = start_run(user=alice, workspace=workspace, question="What was capital expenditure in 2024?")
    work_off("runs")
    assert (
        "Keep as golden question" in client.get(reverse("runs:detail", args=[workspace.slug, run.pk])).content.decode()
    )

    before = text(page("from_run", asked=run.pk))
    assert "Keep here" not in before and f'name="asked" value="{run.pk}"' in before
    assert "Keep here" in text(page("make", {"name": "Figures", "asked": run.pk})), "back at the run that is to be kept"
    golden_set = GoldenSet.objects.get()
    assert "The run was kept" in text(page("keep_run", {}, pk=golden_set.pk, asked=run.pk))
    golden = GoldenQuestion.objects.get(run=run)
    changed = {"question": golden.question, "value": "$99 million"}
    assert "The question was changed" in text(page("change", changed, pk=golden.pk))


def test_results_are_narrowed_compared_and_exported(page, golden_set, alice, work_off):
    first = services.start_evaluation(user=alice, golden_set=golden_set)
    work_off("background")
    GoldenQuestion.objects.filter(is_absent=False).update(value="$99 million")
    second = services.start_evaluation(user=alice, golden_set=golden_set)
    work_off("background")

    wrong = text(page("evaluation", query="?only=wrong", pk=second.pk))
    assert "What was capital expenditure" in wrong
    assert "Which ships were sold?" not in wrong
    assert "0 fixed, 1 broken, 1 as before" in text(page("compare", query=f"?with={first.pk}", pk=second.pk))
    whole = json.loads(page("export", pk=second.pk, form="json").content)
    assert whole["figures"]["Right"] == {"right": 1, "of": 2}
    assert page("export", pk=second.pk, form="csv").content.count(b"\n") == 3
    assert "| Right | 1 of 2 (50 %) |" in page("export", pk=second.pk, form="md").content.decode()
    assert page("export", pk=second.pk, form="exe").status_code == 404


def test_a_set_is_asked_and_its_page_loaded_anew_and_deleted_with_its_runs_once_its_name_was_typed(
    client, page, golden_set, alice, work_off
):
    evaluation = services.start_evaluation(user=alice, golden_set=golden_set)
    address = f"/w/{golden_set.workspace.slug}/evaluations/{evaluation.pk}/progress/"
    client.force_login(alice)
    assert "HX-Refresh" not in client.get(address, headers={"HX-Request": "true"})
    work_off("background")
    assert client.get(address, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert page("delete", {"name": "Other"}, pk=golden_set.pk).status_code == 422
    page("delete", {"name": "Figures"}, pk=golden_set.pk)
    assert not GoldenSet.objects.exists()
    assert not Run.objects.filter(purpose="evaluation").exists()


def test_a_page_of_ten_thousand_questions_takes_few_queries(page, golden_set, alice, django_assert_max_num_queries):
    rows = [Typed(f"What was figure {n}?", value=str(n)) for n in range(2_000)]
    services.add_questions(user=alice, golden_set=golden_set, rows=rows)
    with django_assert_max_num_queries(28):
        assert "2002 questions" in text(page("set", pk=golden_set.pk)).replace(",", "")


def test_a_comparison_shows_what_changed_a_page_at_a_time(page, golden_set, alice):
    rows = [Typed(f"What was figure {n}?", value=str(n)) for n in range(60)]
    asked = services.add_questions(user=alice, golden_set=golden_set, rows=rows)
    before, after = (Evaluation.objects.create(golden_set=golden_set, state="ended", asked_by=alice) for _ in range(2))
    Result.objects.bulk_create(
        Result(evaluation=evaluation, golden=golden, state="scored", right=evaluation == before)
        for evaluation in (before, after)
        for golden in asked
    )
    first, second = (text(page("compare", query=f"?page={n}", pk=after.pk)) for n in (1, 2))
    assert "0 fixed, 60 broken, 0 as before" in first
    assert (first.count("What was figure"), second.count("What was figure")) == (50, 10)
