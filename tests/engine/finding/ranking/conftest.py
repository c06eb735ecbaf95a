"""The annual report of an invented company: prose, three primary statements, and much between them."""

from pathlib import Path

import pytest

FILLER = (
    "The widget business is described here in many words that answer nothing in particular. Widgets are made in"
    " three plants and sold to builders, who use widgets in houses. "
) * 20


@pytest.fixture(scope="session")
def document(compiled):
    return compiled(Path(__file__).with_name("widget.md").read_text().replace("FILLER", FILLER), "widget.md")
