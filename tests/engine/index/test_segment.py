import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vectorless_web.engine.index.scoring import find_best_rows
from vectorless_web.engine.index.segment import (
    GroupedRows,
    Segment,
    build_segment,
    merged_group_statistics,
    merged_statistics,
)
from vectorless_web.engine.text.analyser import analyse

FIELDS = ("title", "text")
WEIGHTS = {"title": 2.0, "text": 1.0}
WORDS = ["cash", "flow", "debt", "note", "income", "tax", "2018"]

texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
collections = st.lists(st.fixed_dictionaries({"title": texts, "text": texts}), min_size=1, max_size=12)


def reference_scores(rows, query, weights):
    """BM25F written out term by term and row by row."""
    analysed = [{name: Counter(analyse(row.get(name, ""))) for name in FIELDS} for row in rows]
    lengths = [{name: sum(row[name].values()) for name in FIELDS} for row in analysed]
    means = {}
    for name in FIELDS:
        filled = [length[name] for length in lengths if length[name]]
        means[name] = sum(filled) / len(filled) if filled else 1
    scores = []
    for row, length in zip(analysed, lengths, strict=True):
        score = 0.0
        for term in query:
            frequency = sum(any(other[name][term] for name in FIELDS) for other in analysed)
            if not frequency:
                continue
            idf = math.log(1 + (len(rows) - frequency + 0.5) / (frequency + 0.5))
            weighted = sum(
                weights[name] * row[name][term] / (0.25 + 0.75 * length[name] / means[name]) for name in FIELDS
            )
            score += idf * 2.2 * weighted / (1.2 + weighted)
        scores.append(score)
    return scores


def segment_of(rows):
    return Segment(build_segment(enumerate(rows), fields=FIELDS))


def group_of(rows):
    """Each row as a group of its own."""
    return GroupedRows(segment_of(rows), np.arange(len(rows)), len(rows))


@given(
    collections, st.lists(st.sampled_from([analyse(word)[0] for word in WORDS]), min_size=1, max_size=4, unique=True)
)
@settings(deadline=None)
def test_scores_are_exact_bm25f(rows, query):
    scores = segment_of(rows).scores([(term, 1.0) for term in query], WEIGHTS)
    assert scores == pytest.approx(reference_scores(rows, query, WEIGHTS))


@pytest.mark.parametrize(
    ("collect", "merge"),
    [(segment_of, merged_statistics), (group_of, merged_group_statistics)],
    ids=["segments", "groups"],
)
@given(rows=collections, cut=st.integers(min_value=1, max_value=5))
@settings(deadline=None)
def test_parts_scored_with_merged_statistics_equal_one_collection(collect, merge, rows, cut):
    terms = [("cash", 1.0), ("debt", 0.5)]
    whole = collect(rows).scores(terms, WEIGHTS)
    parts = [collect(part) for part in (rows[:cut], rows[cut:]) if part]
    statistics = merge(parts, ["cash", "debt"])
    together = np.concatenate([part.scores(terms, WEIGHTS, statistics=statistics) for part in parts])
    assert together == pytest.approx(whole)


@given(collections)
@settings(deadline=None)
def test_groups_of_one_row_score_as_rows_do(rows):
    terms = [("cash", 1.0), ("flow", 0.5)]
    assert group_of(rows).scores(terms, WEIGHTS) == pytest.approx(segment_of(rows).scores(terms, WEIGHTS))


def test_a_group_scores_as_one_document_made_of_its_rows():
    rows = [{"text": "cash flow"}, {"text": "cash"}, {"text": "debt"}]
    grouped = GroupedRows(segment_of(rows), np.array([0, 0, 1]), 2)
    merged = segment_of([{"text": "cash flow cash"}, {"text": "debt"}])
    terms = [("cash", 1.0), ("debt", 1.0)]
    assert grouped.scores(terms, {"text": 1.0}) == pytest.approx(merged.scores(terms, {"text": 1.0}))


def test_ties_are_broken_by_ascending_key():
    segment = Segment(
        build_segment([(9, {"text": "cash"}), (4, {"text": "cash"}), (7, {"text": "cash"})], fields=FIELDS)
    )
    assert best_keys(segment, WEIGHTS)[:2] == [4, 7]


def best_keys(segment, weights, term="cash"):
    return segment.keys[find_best_rows(segment.scores([(term, 1.0)], weights), len(segment))].tolist()


def test_a_count_too_large_for_a_cell_is_kept_exactly():
    segment = segment_of([{"text": "cash " * 1000 + "flow"}, {"text": "cash", "title": "cash " * 300}])
    assert segment.postings("cash").counts.tolist() == [1000, 300, 1]
    assert segment.postings("flow").counts.tolist() == [1]


def test_a_field_left_out_of_the_weights_counts_nothing():
    segment = segment_of([{"title": "cash"}, {"text": "cash"}])
    assert best_keys(segment, {"text": 1.0}) == [1]


def test_unknown_terms_find_nothing():
    segment = segment_of([{"text": "cash"}])
    assert best_keys(segment, WEIGHTS, "nowhere") == []
    assert segment.document_frequency("nowhere") == 0


def test_an_empty_collection_can_be_searched():
    segment = Segment(build_segment([], fields=FIELDS))
    assert len(segment) == 0
    assert best_keys(segment, WEIGHTS) == []


def test_terms_are_listed_with_their_frequencies_in_byte_order():
    segment = segment_of([{"text": "zebra apple 東京"}, {"text": "apple"}])
    assert list(segment.terms()) == [("appl", 2), ("zebra", 1), ("東京", 1)]


@pytest.mark.parametrize("rows", [[(1, {}), (1, {})], [(-1, {})], [(1, {"other": "x"})]])
def test_bad_rows_are_refused(rows):
    with pytest.raises(ValueError):
        build_segment(rows, fields=FIELDS)


def test_other_bytes_are_refused():
    with pytest.raises(ValueError):
        Segment(b"not a segment at all, however long it may be" * 10)


def test_warm_scores_follow_the_weights_and_statistics_given():
    rows = [{"title": "cash"}, {"text": "cash cash"}, {"text": "debt"}]
    segment = segment_of(rows)
    other = merged_statistics([segment, segment_of([{"text": "cash"}] * 5)], ["cash"])
    first = segment.scores([("cash", 1.0)], WEIGHTS)
    assert segment.scores([("cash", 1.0)], {"text": 1.0})[0] == 0
    assert segment.scores([("cash", 1.0)], WEIGHTS, statistics=other) != pytest.approx(first)
    assert segment.scores([("cash", 1.0)], WEIGHTS) == pytest.approx(first)
