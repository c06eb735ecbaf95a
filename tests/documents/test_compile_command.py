"""`manage.py compile`: the tree report in the terminal."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.support.files import HANDBOOK, REPORT, pdf


def compile_files(*arguments: str) -> tuple[str, str, int]:
    out, errors = io.StringIO(), io.StringIO()
    try:
        call_command("compile", *arguments, stdout=out, stderr=errors)
    except CommandError as error:
        return out.getvalue(), errors.getvalue(), error.returncode
    return out.getvalue(), errors.getvalue(), 0


@pytest.fixture
def files(tmp_path) -> dict[str, str]:
    made = {"report.pdf": REPORT, "handbook.md": HANDBOOK, "locked.pdf": pdf(password="secret")}
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return {name: str(tmp_path / name) for name in made}


def test_the_report_names_outline_and_pages(files):
    out, errors, code = compile_files(files["report.pdf"])
    assert (errors, code) == ("", 0)
    assert "report.pdf: 3 pages" in out
    assert "2. Financial review  p. 2" in out
    assert "100.00% of the characters kept" in out


def test_json_is_one_line_a_file_with_indexes_from_zero(files):
    out, _, code = compile_files(files["report.pdf"], files["handbook.md"], "--json", "--ignore-bookmarks")
    first, second = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert set(first) == {
        "document", "pages", "outline_source", "coverage", "sections", "leaves", "tables", "seconds", "peak_mb",
        "warnings", "outline",
    }  # fmt: skip
    assert {"level": 0, "title": "2. Financial review", "page_index": 1} in first["outline"]
    assert [(h["level"], h["title"]) for h in second["outline"]] == [(0, "Handbook"), (1, "Leave"), (1, "Safety")]


def test_a_file_that_cannot_be_read_does_not_stop_the_others(files, tmp_path):
    out, errors, code = compile_files(files["locked.pdf"], str(tmp_path / "absent.pdf"), files["handbook.md"])
    assert code == 2
    assert "encrypted_pdf" in errors
    assert "There is no such file" in errors
    assert "handbook.md: 1 page, " in out


def test_a_file_is_printed_as_markdown_with_page_marks(capsys):
    call_command("export_markdown", "docs/demo/field-handbook.md")
    said = capsys.readouterr().out
    assert said.startswith("<!-- page 1 -->\n\n# ")
    assert "|---|" in said
