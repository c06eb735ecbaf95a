"""Names of models as servers send them."""

import pytest

from vectorless_web.engine.llm.model import LONGEST_NAME, clean_name


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("tiny-2026", "tiny-2026"),
        ("na\0me\ud800\n", "name"),
        ("m" * 5_000, "m" * LONGEST_NAME),
        ("\0", "asked"),
        ("", "asked"),
        (None, "asked"),
        (["a"], "asked"),
    ],
)
def test_a_name_is_printable_short_and_never_empty(said, kept):
    assert clean_name(said, otherwise="asked") == kept
