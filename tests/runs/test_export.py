"""A run as Markdown, Word and JSON: calculations, struck-out sentences, any language, hostile texts, safe names."""

import io
import json

import pytest
from docx import Document

from tests.runs.conftest import say, work
from tests.support.engines import passages_story
from vectorless_web.runs.export.exports import as_json, as_markdown, file_name, inline
from vectorless_web.runs.export.word import as_word
from vectorless_web.runs.models import Answer, Claim, Run, Step

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

SUM = {
    "expression": "100 * (revenue_2024 - revenue_2023) / revenue_2023",
    "operands": [
        {"name": "revenue_2024", "value": "1,402", "unit": "USD million", "marker": 1},
        {"name": "revenue_2023", "value": "1,254", "unit": "USD million", "marker": None},
    ],
    "result": "11.8%",
    "unit": "",
}


@pytest.fixture
def run(make_run, report) -> Run:
    run = make_run(status="partial", reason="Answered in part", question="كم نمت الإيرادات؟ <b>")
    run.versions.add(report.current_version)
    Answer.objects.create(run=run, value="11.8%", verdict="partly", missing=["the year after"])
    title = "[Bericht](http://evil.example) <script>alert(1)</script> | 年度报告"
    found = {"document_title": title, "sha256": "f" * 64, "check_result": "normalised"}
    quote = ("Net revenue\t1,402\n# not a heading", 20, found)
    say(run, "It grew.", quote, support="derived", calculation=SUM)
    say(run, "It will grow.", support="unsupported", because="No such words.")
    return run


def test_markdown_tells_sums_struck_sentences_what_is_open_and_read_and_keeps_titles_and_quotes_texts(run, report):
    text = as_markdown(run)

    assert "- revenue 2024: 1,402 USD million[^1]\n- revenue 2023: 1,254 USD million\n" in text
    assert "- 100 × (revenue 2024 − revenue 2023) ÷ revenue 2023 = **11.8%**" in text
    assert "~~It will grow.~~ (No such words.)" in text
    assert "- the year after" in text
    assert f"- {report.title}, version 1, SHA-256 `{report.current_version.sha256}`" in text
    for mark in ("<", "](", "://"):
        assert mark not in text.replace(f"\\{mark}", "")
    assert "年度报告, p. 21 (exact after joining lines)" in text
    assert "\n# not" not in text


def test_word_says_what_markdown_says_with_raised_marks_and_struck_sentences(run, report, client, alice):
    Claim.objects.filter(order=0).update(table=[["", "2024"], ["Revenue\x0b", "1,402"]])
    client.force_login(alice)
    answer = client.get(f"/w/{run.workspace.slug}/runs/{run.pk}/export/word/")
    assert answer["Content-Disposition"].endswith('.docx"')
    word = Document(io.BytesIO(answer.content))
    lines = [paragraph.text for paragraph in word.paragraphs if paragraph.text]
    assert lines[0] == run.question
    assert lines[1].startswith("Answered in part: Answered in part; partly verified")
    for line in (
        "It grew.[1]",
        "revenue 2024: 1,402 USD million [1]",
        "It will grow. (No such words.)",
        "the year after",
    ):
        assert line in lines
    assert [cell.text for row in word.tables[0].rows for cell in row.cells] == ["", "2024", "Revenue", "1,402"]
    pieces = [piece for paragraph in word.paragraphs for piece in paragraph.runs]
    assert [piece.text for piece in pieces if piece.font.superscript and piece.text] == ["[1]"]
    assert [piece.text for piece in pieces if piece.font.strike] == ["It will grow."]
    assert lines[lines.index("Quotes") + 1].startswith("[1] “Net revenue")
    assert f"{report.title}, version 1, SHA-256 {report.current_version.sha256}" in lines


def test_word_shows_closest_passages_whole(make_run):
    run = work(make_run(), passages_story)
    word = Document(io.BytesIO(as_word(run)))
    lines = [paragraph.text for paragraph in word.paragraphs]
    assert "No model is connected. These passages come closest." in lines
    assert "It was a good year. Revenue was 412 million. Costs fell." in lines
    bold = [piece.text for paragraph in word.paragraphs for piece in paragraph.runs if piece.font.bold]
    assert "Revenue was 412 million." in bold
    assert [cell.text for row in word.tables[0].rows for cell in row.cells] == ["Year", "Revenue", "2024", "412"]


def test_a_comparison_is_a_table_with_its_blanks(run):
    table = [["Saw", "Noise (dB)"], ["Band | saw", "72"], ["Jigsaw", ""]]
    Claim.objects.filter(order=0).update(table=table)

    text = as_markdown(run)
    assert "| Saw | Noise (dB) |\n|---|---|\n| Band \\| saw | 72 |\n| Jigsaw | – |\n" in text
    assert as_json(run)["claims"][0]["table"] == table


def test_no_text_becomes_markup():
    for text, written in (
        ("a *b* _c_ `d` ~e~", r"a \*b\* \_c\_ \`d\` \~e\~"),
        ("[^9]: a footnote", r"\[^9\]: a footnote"),
        ("- 5 million", r"\- 5 million"),
        ("+ 5", r"\+ 5"),
        ("12. March", r"12\. March"),
        ("12.5 million", "12.5 million"),
        ("-5 million", "-5 million"),
        ("# Title", r"\# Title"),
        ("> quoted", r"\> quoted"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("https://x.example www.x.example me@x.example", r"https\://x.example www\.x.example me\@x.example"),
        (r"back\slash", r"back\\slash"),
        ("two\n\nlines", "two lines"),
    ):
        assert inline(text) == written


def test_json_counts_pages_from_one_everywhere(run, report):
    ref = {"document": str(report.pk), "key": 3, "title": "Notes", "page_start": 20, "page_end": 21, "role": "read"}
    rejected = [{"label": "Outlook", "reason": "no figure", "ref": ref}, {"label": "Other", "reason": "", "ref": None}]
    Step.objects.create(
        run=run, sequence=3, walk=1, index=0, kind="retrieve", say="Read", refs=[ref], rejected=rejected
    )
    run.checked = [
        {"document": str(report.pk), "title": "Outlook", "reason": "no figure", "page_start": 4, "page_end": 4}
    ]
    found = as_json(run)

    assert found["citations"][0]["page"] == 21
    assert (found["steps"][0]["refs"][0]["page_start"], found["steps"][0]["refs"][0]["page_end"]) == (21, 22)
    assert found["steps"][0]["rejected"][0]["ref"]["page_start"] == 21
    assert found["checked"][0]["page_start"] == 5
    assert ref["page_start"] == 20


def test_json_has_the_documented_fields(run):
    found = as_json(run)
    documented = (line.split("|")[1] for line in _documentation() if line.startswith("| `"))
    names = {name.strip("` ") for cell in documented for name in cell.split(",")}

    assert set(found) - {"format", "version"} == {name for name in names if "[" not in name}
    assert json.loads(json.dumps(found)) == found


def _documentation() -> list[str]:
    from tests.conftest import ROOT

    text = (ROOT / "docs" / "exports.md").read_text()
    return text[text.index("## JSON") : text.index("## Evidence bundle")].splitlines()


def test_a_file_has_a_name_that_every_system_takes():
    for question, name in (
        ("What was revenue?", "run-7-what-was-revenue.md"),
        ("كم نمت الإيرادات؟", "run-7.md"),
        ('../../etc/passwd"; x=', "run-7-etcpasswd-x.md"),
        ("x" * 300, f"run-7-{'x' * 60}.md"),
        ("a\r\nSet-Cookie: b", "run-7-a-set-cookie-b.md"),
    ):
        assert file_name(Run(pk=7, question=question), "md") == name
