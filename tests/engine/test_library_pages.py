"""The pages on the engine as a library: their examples, word for word, print what stands below them."""

import contextlib
import io
import re

import pytest

from tests.support.extending import ROOT, holds

EXAMPLE = re.compile(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", re.DOTALL)


@pytest.mark.parametrize("name", ["pilot", "retriever", "router", "agent"])
def test_every_example_prints_what_the_page_says(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    examples = EXAMPLE.findall((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    known: dict[str, object] = {"__name__": name}
    assert examples
    for program, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, f"docs/{name}.md", "exec"), known)
        told = printed.getvalue()
        assert [line for line in expected.splitlines() if not holds(told, line)] == [], told
