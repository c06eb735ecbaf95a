"""A harbour report, compiled once for those who search it."""

import pytest

TEXT = """# Harbour report

## 1 Ships

Forty ships entered the harbour in the spring. Most of them carried grain, as section 2 explains.

## 2 Grain

The grain came from the northern islands and was stored in the old tower.

Barley made up the larger part of it, and the price of barley rose.

## 3 Tides

The tide table is kept by the harbour master.
"""


@pytest.fixture(scope="session")
def document(compiled):
    return compiled(TEXT, "harbour.md")


@pytest.fixture(scope="session")
def key_of(document):
    """The key of the leaf that holds the words."""
    return lambda words: next(key for key in document.tree.leaves() if words in document.tree.node(key).text)
