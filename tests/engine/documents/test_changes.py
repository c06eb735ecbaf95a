"""What differs between two versions of a text."""

from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.documents.changes import VersionSentence, find_changes


def sentences(*texts):
    return [VersionSentence(text, key, 0, len(text)) for key, text in enumerate(texts)]


def told(older, newer):
    changes = find_changes(sentences(*older), sentences(*newer))
    return [(change.older and change.older.text, change.newer and change.newer.text) for change in changes]


RENT, PETS, KEYS = (
    "The rent is 900 euros a month.",
    "No pets are allowed in the house.",
    "Keys are handed over at noon.",
)


def test_sentences_put_otherwise_new_and_gone_are_told():
    raised = "The rent is 950 euros a month."
    assert told([RENT, PETS], [raised, KEYS]) == [(RENT, raised), (None, KEYS), (PETS, None)]


def test_what_only_moved_or_was_set_otherwise_is_no_change():
    assert told([RENT, PETS, KEYS], [KEYS, RENT.upper(), PETS.replace(" ", "  ")]) == []


@given(st.lists(st.sampled_from([RENT, PETS, KEYS, "Bikes stay outside.", "Heating is included."])))
def test_nothing_differs_from_itself_and_all_is_new_beside_nothing(texts):
    assert told(texts, texts) == []
    assert told([], texts) == [(None, text) for text in texts]
    assert told(texts, []) == [(text, None) for text in texts]


def test_a_sentence_is_paired_with_its_own_older_words_and_not_with_those_of_another_place():
    old = ["Part one.", "The fee is 10 euros.", "Part two.", "The fee is 20 euros."]
    new = ["Part one.", "The fee is 11 euros.", "Part two.", "The fee is 22 euros."]
    assert told(old, new) == [(old[1], new[1]), (old[3], new[3])]


def test_long_versions_without_a_sentence_in_common_are_compared_in_bounded_time():
    older = sentences(*(f"Old clause {number} speaks of {number * 7}." for number in range(3000)))
    newer = sentences(*(f"Entirely new words stand here as {number}." for number in range(3000)))
    changes = find_changes(older, newer)
    assert len(changes) == 6000
    assert all(change.older is None or change.newer is None for change in changes)


WORDS = st.lists(st.sampled_from(["rent", "pets", "keys", "bikes"]), min_size=1, max_size=4).map(" ".join)


@given(st.lists(WORDS), st.lists(WORDS))
def test_each_sentence_that_the_other_version_lacks_is_told_once(older, newer):
    found = told(older, newer)
    assert sorted(old for old, _ in found if old) == sorted(text for text in older if text not in newer)
    assert [new for _, new in found if new] == [text for text in newer if text not in older]
