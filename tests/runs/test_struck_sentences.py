"""What a model's page says of sentences that were struck, of an answer that was not found, and of a takeover."""

import json
import re
import zipfile

import pytest
from django.test import Client

from tests.runs.test_hostile_models import Server, answer, ask, claim, good_answer, node_of, status, step  # noqa: F401
from tests.runs.test_model import reply
from tests.sharing.test_share import share
from vectorless_web.runs import jobs
from vectorless_web.runs.export.bundle_check import check_bundle
from vectorless_web.runs.export.exports import as_json, as_markdown, bundle_of
from vectorless_web.runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)

REASON = "The quoted words do not stand in the document."
HELD = "Revenue was 412 million in 2024."


def invented(_prompt: str) -> dict:
    return answer(claim("Revenue doubled.", "Revenue doubled in 2024.", "3"))


def half_invented(prompt: str) -> dict:
    return answer(claim("Revenue doubled.", "Revenue doubled in 2024.", "3"), claim(HELD, HELD, node_of(prompt, HELD)))


@pytest.fixture
def alices(client, alice):
    client.force_login(alice)
    return client


def address(run: Run) -> str:
    return f"/w/{run.workspace.slug}/runs/{run.pk}/"


def pages_of(client: Client, run: Run) -> dict[str, str]:
    """The run as its readers see it."""
    return {
        "page": client.get(address(run)).content.decode(),
        "print": client.get(f"{address(run)}export/print/").content.decode(),
        "share": Client().get(share(client, run)).content.decode(),
        "shared without names": Client().get(share(client, run, redact="1")).content.decode(),
    }


def test_a_struck_sentence_stays_visible_with_its_reason_wherever_the_answer_is_shown(ask, alices):  # noqa: F811
    run = ask(Server([step("synthesize")], [half_invented]))

    assert (run.status, run.reason) == ("partial", "Answered in part; 1 of 2 sentences hold")
    for name, page in pages_of(alices, run).items():
        assert "1 sentence of tiny was struck out." in page, name
        assert page.split('id="struck"')[1].split("</div>")[0].count(REASON) == 0, f"{name} says the reason twice"
        struck = re.search(r'<li\s+class="claim unsupported.*?</li>', page, re.DOTALL)[0]
        assert "Revenue doubled." in struck, name
        assert f'<p class="because">{REASON}</p>' in struck, name
    text = as_markdown(run)
    assert "1 sentence of tiny was struck out." in text
    assert f"~~Revenue doubled.~~[^1] ({REASON})" in text
    assert "1 sentence was sent back to tiny: 1 is struck." in alices.get(address(run)).content.decode()


def test_a_page_opens_on_the_first_quote_that_was_found(ask, alices):  # noqa: F811
    run = ask(Server([step("synthesize")], [half_invented]))

    page = alices.get(address(run)).content.decode()
    lost = run.citations.filter(check_result="missing").values_list("marker", flat=True)
    shown = re.search(r"data-now-marker>(\d+)<", page)[1]
    assert run.citations.order_by("marker").first().marker in lost
    assert int(shown) not in lost


@pytest.mark.parametrize("said", [answer(), invented], ids=["found nothing", "nothing holds"])
def test_people_may_say_whether_closest_passages_were_right(ask, alices, said):  # noqa: F811
    run = ask(Server([step("synthesize")], [said]))

    assert "Was this right?" in alices.get(address(run)).content.decode()


def test_the_printed_confidence_leads_to_its_factors(ask, alices):  # noqa: F811
    run = ask(Server([step("synthesize")], [good_answer]))

    printed = pages_of(alices, run)["print"]
    assert 'href="#conf"' in printed
    assert 'id="conf" open' in printed


@pytest.mark.parametrize("said", [answer(), invented], ids=["found nothing", "nothing holds"])
def test_the_closest_passages_are_quotes_without_tick_claim_or_percentage(ask, alices, said):  # noqa: F811
    run = ask(Server([step("synthesize")], [said]))

    assert run.status == "passages"
    for name, page in pages_of(alices, run).items():
        passages = page.split('id="passages"')[1].split("</section>")[0]
        assert HELD in passages, name
        assert "p. 1" in passages, name
        assert "badge" not in passages, name
        assert 'class="mark"' not in passages, name
        assert 'id="conf"' not in page, name
        assert "claim supported" not in page, name
        assert "Closest passages</b>" in page.split('id="outcome"')[1][:600], name
        assert "confidence" not in page.split('id="outcome"')[1][:1500], name
    listed = alices.get(f"/w/{run.workspace.slug}/runs/?outcome=passages").content.decode()
    assert f'id="run-{run.pk}"' in listed
    assert "%" not in listed.split(f'id="run-{run.pk}"')[1].split("</li>")[0]


def test_the_closest_passages_are_exported_and_can_be_verified(ask, tmp_path):  # noqa: F811
    run = ask(Server([step("synthesize")], [invented]))

    text, values = as_markdown(run), as_json(run)
    assert (
        f"Closest passages, none of which answers by itself:\n\n- “{HELD}” Annual report, Annual report, Revenue, p. 1"
        in text
    )
    assert "confidence" not in text
    assert (values["outcome"], values["answer"], values["confidence"]) == ("passages", "", None)
    quotes = {row["marker"]: row for row in values["citations"]}
    assert quotes[values["passages"][0]]["quote"] == HELD
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(bundle_of(run))
    assert json.loads(zipfile.ZipFile(bundle).read("answer.json"))["passages"] == values["passages"]
    assert check_bundle(bundle).wrong == []


@pytest.mark.parametrize("said", [answer(), invented, half_invented], ids=["nothing", "invented", "half"])
def test_such_runs_replay_identically_and_can_be_compared_and_asked_on(ask, alices, said):  # noqa: F811
    run = ask(Server([step("synthesize")], [said]))
    other = ask(Server([step("synthesize")]))

    found = jobs.find_replay_result(Run.objects.select_related("workspace").get(pk=run.pk))
    assert (found.verdict, found.difference) == ("identical", "")
    assert alices.get(f"{address(run)}compare/{other.pk}/").status_code == 200
    run.citations.filter(claim=None).update(quote="Another")
    if run.status == "passages":
        assert (
            "passages[0]" in jobs.find_replay_result(Run.objects.select_related("workspace").get(pk=run.pk)).difference
        )


def test_a_model_that_worked_on_the_question_and_then_failed_is_not_replaced(ask, alices):  # noqa: F811
    run = ask(Server([step("synthesize")], [lambda _: status(500)(None)]))

    assert (run.status, run.engine, run.claims.count()) == ("passages", "model", 0)
    for name, page in pages_of(alices, run).items():
        assert "tiny wrote no answer." in page, name
    assert "tiny wrote no answer. The model" in as_markdown(run)


def test_a_model_whose_replies_are_all_useless_is_said_to_have_been_replaced(ask, alices):  # noqa: F811
    run = ask(Server(["Let me talk."], ["Indeed."]))

    assert (run.status, run.engine) == ("answered", "offline")
    for name, page in pages_of(alices, run).items():
        assert "tiny gave no reply that could be used; the offline reasoner took over." in page, name
    assert "the offline reasoner took over" in as_markdown(run)


def test_a_model_that_is_down_is_told_on_the_share_page_and_in_the_export(ask, alices):  # noqa: F811
    run = ask(Server([lambda _: status(500)(None)], [lambda _: status(500)(None)], lambda: status(500)(None)))

    for name, page in pages_of(alices, run).items():
        assert "tiny did not answer; the offline reasoner took over." in page, name
    text = as_markdown(run)
    assert "tiny did not answer; the offline reasoner took over. " in text
    assert "answered by offline reasoner, no model" in text


def test_a_right_answer_of_a_model_says_nothing_of_the_kind_and_is_trusted(ask, alices):  # noqa: F811
    run = ask(
        Server([step("synthesize")], [good_answer]),
    )

    assert run.answer.confidence > 0.85
    for name, page in pages_of(alices, run).items():
        assert 'id="struck"' not in page, name
        assert 'id="takeover"' not in page, name
        assert 'id="passages"' not in page, name


def test_a_site_whose_model_answers_in_words_only_still_ends(ask):  # noqa: F811
    run = ask(Server([lambda _: reply("x")], [lambda _: reply("y")]))

    assert run.status in ("answered", "not_found")
