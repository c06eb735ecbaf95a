"""The card snapshot: what changes laid over it answer is what a snapshot built afresh answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.snapshot_rows import (
    FIELDS,
    Change,
    DecodedRow,
    DeltaRow,
    encode_edges,
    encode_row,
    key_hash,
    term_hash,
)

WORDS = ["cash", "debt", "lease", "tax", "note"]

words = st.lists(st.sampled_from(WORDS), max_size=5)
contents = st.tuples(words, words, st.sets(st.sampled_from(WORDS)), st.lists(st.integers(0, 5), max_size=3))
changes = st.lists(st.tuples(st.integers(0, 5), st.none() | contents), max_size=8)


def encoded(doc_id, content):
    title, body, keywords, linked = content
    return encode_row(
        doc_id,
        {"title": title, "body": body},
        keys={("keyword", word): 31 for word in keywords},
        edges=[(other, 0.5) for other in linked if other != doc_id],
        title=" ".join(title),
    )


def described(snapshot):
    """Everything a snapshot answers, by document id."""
    rows = snapshot.all_rows()
    ids = snapshot.row_ids(rows).tolist()
    terms = {}
    for hashed in [*(term_hash(word) for word in WORDS), *(key_hash("keyword", word) for word in WORDS)]:
        found = snapshot.postings(hashed)
        places = zip(snapshot.row_ids(found.rows).tolist(), found.fields.tolist(), found.counts.tolist(), strict=True)
        terms[hashed] = (snapshot.frequency(hashed), sorted(places))
    return {
        "size": len(snapshot),
        "titles": sorted(zip(ids, snapshot.titles(rows), strict=True)),
        "terms": terms,
        "means": snapshot.mean_lengths.tolist(),
        "links": {doc_id: dict(sorted(snapshot.neighbours(doc_id).items())) for doc_id in sorted(ids)},
    }


@settings(max_examples=80)
@given(st.dictionaries(st.integers(0, 5), contents), changes)
def test_changes_answer_like_a_fresh_build(before, edits):
    after = dict(before)
    rows = []
    for doc_id, content in edits:
        if content is None:
            after.pop(doc_id, None)
            rows.append(DeltaRow(doc_id, Change.REMOVE))
        else:
            after[doc_id] = content
            rows.append(DeltaRow(doc_id, Change.UPSERT, encoded(doc_id, content)))
    base = Snapshot.open(build_snapshot(encoded(*item) for item in before.items()))
    changed = base.with_changes(rows)
    fresh_bytes = build_snapshot(encoded(*item) for item in after.items())
    assert described(changed) == described(Snapshot.open(fresh_bytes))
    assert changed.compact_rows() == fresh_bytes
    assert described(base) == described(Snapshot.open(build_snapshot(encoded(*item) for item in before.items())))


def test_rows_in_any_order_give_the_same_bytes():
    rows = [encoded(number, (["cash"], ["debt"] * number, {"tax"}, [1])) for number in range(1, 6)]
    assert build_snapshot(rows) == build_snapshot(rows[::-1])


def test_edges_can_be_replaced_alone():
    rows = [encoded(number, ([], [], set(), [])) for number in range(4)]
    base = Snapshot.open(build_snapshot(rows))
    linked = base.with_changes([DeltaRow(1, Change.EDGES, encode_edges(1, [(2, 0.5), (3, 0.25)]))])
    assert (linked.neighbours(1), linked.neighbours(3)) == ({2: 0.5, 3: 0.25}, {1: 0.25})
    again = linked.with_changes([DeltaRow(1, Change.EDGES, encode_edges(1, [(0, 1.0)]))])
    assert (again.neighbours(1), again.neighbours(3)) == ({0: 1.0}, {})
    assert Snapshot.open(again.compact_rows()).neighbours(0) == {1: 1.0}


def test_a_link_to_a_document_that_is_gone_is_not_followed():
    rows = [encoded(1, ([], [], set(), [2])), encoded(2, ([], [], set(), []))]
    base = Snapshot.open(build_snapshot(rows))
    assert base.neighbours(1) == {2: 0.5}
    assert base.with_changes([DeltaRow(2, Change.REMOVE)]).neighbours(1) == {}


def test_counts_above_the_cell_are_held_at_its_greatest():
    row = DecodedRow.decode(encode_row(7, {"body": ["tax"] * 100}, keys={}))
    assert (row.doc_id, row.lengths.tolist(), row.cells.tolist()) == (7, [0, 0, 0, 0, 0, 100], [31 << 3 | 5])


def test_an_unknown_field_is_refused():
    with pytest.raises(ValueError, match="Unknown fields"):
        encode_row(1, {"colour": []}, keys={})


FILLED = build_snapshot([encoded(1, (["cash"] * 3, ["debt"], {"tax"}, [2]))])


@pytest.mark.parametrize("data", [b"", b"nothing of the kind" * 30, FILLED[:100], FILLED[: len(FILLED) // 2]])
def test_other_bytes_and_a_cut_snapshot_are_refused(data):
    with pytest.raises(ValueError, match="card snapshot"):
        Snapshot.open(data)


def test_an_empty_snapshot_answers():
    empty = Snapshot.empty(version="3")
    assert (len(empty), empty.version, empty.frequency(term_hash("cash")), empty.has_edges) == (0, "3", 0, False)
    assert empty.compact_rows() == build_snapshot([])
    assert not empty.knows([term_hash("cash")]).any()


def test_lengths_are_read_for_mapped_and_changed_rows():
    base = Snapshot.open(build_snapshot([encoded(1, (["cash"], ["debt"] * 4, set(), []))]))
    both = base.with_changes([DeltaRow(2, Change.UPSERT, encoded(2, ([], ["tax"] * 7, set(), [])))])
    body = FIELDS.index("body")
    assert both.lengths(np.array([0, 1]), np.array([body, body], np.uint8)).tolist() == [4.0, 7.0]
