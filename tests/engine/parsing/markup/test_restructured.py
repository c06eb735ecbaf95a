"""reStructuredText that would cost too much."""

import pytest

from vectorless_web.engine.parsing.markup.restructured import read_restructured


@pytest.mark.parametrize(
    "text",
    [
        "".join(f".. |a{n}| replace:: |a{n + 1}| |a{n + 1}|\n" for n in range(40)) + ".. |a40| replace:: x\n\n|a0|\n",
        "*a " * 5_000,
        "\n\n".join("  " * level + "- x" for level in range(400)),
    ],
    ids=["names that double", "marks without an end", "lists in each other"],
)
def test_what_would_take_the_parser_hours_is_read_as_plain_text(compiled, text):
    assert any("read as plain text" in warning for warning in compiled(text, "manual.rst").report.warnings)


def test_a_text_beyond_the_bound_is_read_as_plain_text_and_says_what_to_do():
    read = read_restructured("Quays\n=====\n\n" + "The quay is long.\n\n" * 90_000)
    assert "Quays" in read.text
    assert len(read.remarks) == 1
    assert "1,710,013 characters" in read.remarks[0]
    assert "chapters as files of their own" in read.remarks[0]
