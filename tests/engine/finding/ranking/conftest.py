import pytest

from tests.support.widget_report import report


@pytest.fixture(scope="session")
def document(compiled):
    return compiled(report(), "widget.md")
