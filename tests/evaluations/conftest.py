"""What the tests of evaluations share: a real document, a set with questions, and the work that answers them."""

import pytest

from tests.support.compiled import compiled_document
from vectorless_web.documents.models import Document
from vectorless_web.evaluations import services
from vectorless_web.evaluations.models import GoldenSet
from vectorless_web.evaluations.reading import Typed

REPORT = b"""# Annual report

| In millions | 2024 | 2023 |
|---|---|---|
| Net sales | $412 | $380 |
| Capital expenditure | 31 | 28 |

# Leave

Every employee has twenty-five days of paid leave a year.
"""


@pytest.fixture
def report(workspace, alice) -> Document:
    """A document that can be asked."""
    return compiled_document(workspace, alice, REPORT)


@pytest.fixture
def golden_set(workspace, alice, report) -> GoldenSet:
    """Two questions: one that the offline reasoner works out, and one that the document does not answer."""
    made = services.make_set(user=alice, workspace=workspace, name="Figures")
    rows = [
        Typed("What was capital expenditure in 2024?", ("report.md",), value="$31 million", pages=("1",)),
        Typed("Which ships were sold?", ("report.md",), is_absent=True),
    ]
    services.add_questions(user=alice, golden_set=made, rows=rows)
    return made
