"""Two runs side by side: sentences, figures, quotes, documents, settings, and who may look."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from tests.runs.conftest import say
from vectorless_web.engine.text.similarity import DifferencePiece
from vectorless_web.runs.compare.comparison import align_answers, comparison_of, figure_row, read_figure
from vectorless_web.runs.models import Answer, Run
from vectorless_web.runs.selectors import claims_of

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]


@pytest.fixture
def pair(make_run, report) -> tuple[Run, Run]:
    """An answered run and the same question asked deeper."""
    now = timezone.now()
    took = {"status": "answered", "started_at": now, "step_count": 12, "tokens": 100}
    first = make_run(**took, finished_at=now + timedelta(seconds=10))
    settings = {"max_steps": 12, "max_walks": 10, "token_budget": 8000}
    second = make_run(
        **{**took, "step_count": 20},
        finished_at=now + timedelta(seconds=1),
        thread=first.thread,
        settings=settings,
        asked_from=first,
        asked_how="deeper",
        cost_usd=Decimal("0.02"),
        engine="model",
        model="tiny",
    )
    for run, value in ((first, "$412 million"), (second, "$486.5 million")):
        run.versions.add(report.current_version)
        told = {"confidence": 0.75} if run == first else {"verdict": "verified"}
        Answer.objects.create(run=run, value=value, **told)
    return first, second


def kinds(pair) -> list[str]:
    return [row.kind.value for row in align_answers(*(claims_of(run) for run in pair))]


REVENUE, COSTS = "Revenue was 412 million.", "Costs fell by a tenth."
QUOTE = ("Revenue was 412 million", 3)


class TestSentences:
    @pytest.mark.parametrize(
        ("first", "second", "found"),
        [
            ([("Revenue was “412”  million.",)], [('Revenue was "412" million.',)], ["same"]),
            (
                [("Sales came to 412.", QUOTE)],
                [("In the year, the top line rose.", (f"{QUOTE[0]} in 2024", 3))],
                ["changed"],
            ),
            (
                [("Sales came to 412.", QUOTE)],
                [("In the year, the top line rose.", (QUOTE[0], 4))],
                ["only_a", "only_b"],
            ),
            (
                [(REVENUE,), (COSTS,)],
                [("Weather mattered little.",), (REVENUE,), ("Staff grew to 900.",), (COSTS,)],
                ["only_b", "same", "only_b", "same"],
            ),
            ([(REVENUE,)], [(REVENUE,), (REVENUE,)], ["same", "only_b"]),
        ],
        ids=["marks and spaces", "shared quote", "other page", "order of b", "one counterpart"],
    )
    def test_sentences_are_paired_by_their_words_or_a_quote(self, pair, first, second, found):
        for run, sentences in zip(pair, (first, second), strict=True):
            for text, *quotes in sentences:
                say(run, text, *quotes)

        assert kinds(pair) == found

    def test_the_words_that_differ_are_marked(self, pair):
        say(pair[0], "Revenue was 412 million.")
        say(pair[1], "Revenue was 486 million.")
        (row,) = align_answers(*(claims_of(run) for run in pair))

        assert DifferencePiece("412", same=False) in row.a.pieces
        assert DifferencePiece("486", same=False) in row.b.pieces


class TestFigures:
    def test_they_differ_by_what_lies_between_where_units_agree(self):
        for a, b, difference, share in (
            (("$412 million",), ("$486.5 million",), "+74.5 million USD", "+18.1 %"),
            (("1,402", "USD million"), ("1,254", "USD million"), "−148 million USD", "−10.6 %"),
            (("4.1 billion",), ("4,000 million",), "−100 million", "−2.4 %"),
            (("$220 million", "USD million"), ("$182 million", "USD million"), "−38 million USD", "−17.3 %"),
            (("-$38 thousand", "USD thousand"), ("$12 thousand",), "+50 thousand USD", "+131.6 %"),
            (("(38)", "USD billion"), ("(40)", "USD billion"), "−2 billion USD", "−5.3 %"),
            (("4.1 billion",), ("4,100 million",), "", ""),
            (("11.8", "%"), ("9.3", "percent"), "−2.5 percentage points", ""),
            (("12 stores",), ("15 stores",), "+3 stores", "+25.0 %"),
            (("(20)",), ("30",), "+50", "+250.0 %"),
            (("0",), ("5",), "+5", ""),
            (("$12",), ("€12",), "", ""),
            (("12 stores",), ("15 people",), "", ""),
            (("between 5 and 7",), ("6",), "", ""),
            (("1" * 200,), ("2",), "", ""),
            (("1",), ("1" + " million" * 20,), "", ""),
            (("0.000001",), ("9" * 24 + " trillion trillion trillion",), "", ""),
        ):
            row = figure_row("x", read_figure(*a), read_figure(*b))

            assert (row.difference.replace("\xa0", " "), row.share.replace("\xa0", " ")) == (difference, share)

    def test_operands_are_compared_by_name(self, pair):
        for run, sales in zip(pair, ("1,402", "1,380"), strict=True):
            operands = [{"name": "revenue_2024", "value": sales, "unit": "USD million", "marker": None}]
            sums = {"expression": "revenue_2024", "operands": operands, "result": sales, "unit": "USD million"}
            say(run, f"Revenue was {sales}.", support="derived", calculation=sums)
        rows = {row.name: row.difference.replace("\xa0", " ") for row in comparison_of(*pair)["figures"]}

        assert rows == {"Answer": "+74.5 million USD", "revenue 2024": "−22 million USD"}


class TestTheRest:
    def test_quotes_are_laid_together_by_document_and_page(self, pair):
        say(pair[0], "One.", ("shared words", 3), ("only here", 5))
        say(pair[1], "One.", ("shared words", 3), ("only there", 1))
        rows = [(row.kind, row.page, row.same_words) for row in comparison_of(*pair)["quotes"]]

        assert rows == [("shared", 4, True), ("only_a", 6, False), ("only_b", 2, False)]

    def test_settings_that_differ_are_named_in_words(self, pair):
        rows = [(row.name, row.a, row.b) for row in comparison_of(*pair)["settings"]]

        assert rows == [
            ("Steps, at most", "6", "12"),
            ("Documents opened, at most", "5", "10"),
        ]

    def test_what_it_took_is_told_with_who_took_more(self, pair):
        rows = {row.name: (row.a, row.b, row.delta) for row in comparison_of(*pair)["measures"]}

        assert rows["Answered by"] == ("offline reasoner, no model", "tiny", "")
        assert rows["Checked"][0].endswith("% confidence, as an earlier version measured it")
        assert rows["Checked"][1] == "verified"
        assert rows["Steps"] == ("12", "20", "8 more for B")
        assert rows["Time"][2] == "B 10 times quicker"
        assert rows["Cost"] == ("$0.00", "$0.020", "$0.020 more for B")


class TestInTheBrowser:
    def address(self, pair) -> str:
        return f"/w/{pair[0].workspace.slug}/runs/{pair[0].pk}/compare/{pair[1].pk}/"

    def test_it_takes_few_queries_however_long_the_answers(self, page, pair, django_assert_max_num_queries):
        for number in range(12):
            for run in pair:
                say(run, f"Sentence {number}.", (f"quote {number}", number))

        page(self.address(pair))  # The first look also notes the browser's session.
        with django_assert_max_num_queries(32):
            assert page(self.address(pair)).status_code == 200

    def test_two_ticked_runs_are_laid_side_by_side(self, page, pair):
        place = f"/w/{pair[0].workspace.slug}/compare/"

        assert page(f"{place}?run={pair[1].pk}&run={pair[0].pk}")["Location"] == self.address(pair)

    def test_a_changed_source_is_asked_again_and_compared_in_one_go(self, client, page, pair, report, bob):
        say(pair[0], "Revenue was 412 million.", ("412 million", 3))
        newer = report.current_version
        newer.pk, newer.number = None, 2
        newer.save()
        report.current_version = newer
        report.save()
        first = f"/w/{pair[0].workspace.slug}/runs/{pair[0].pk}/"

        assert "Ask the new version and compare" in page(first).content.decode()
        fresh = client.post(f"{first}again/")["Location"]
        run = Run.objects.latest("pk")
        assert run.asked_how == "newer"
        assert self.address((pair[0], run)) in page(fresh).content.decode()
