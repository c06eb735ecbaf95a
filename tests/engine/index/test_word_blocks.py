"""Words of whole documents: in blocks and in lists beside them they are found alike, and counted exactly."""

import random

import pytest

from tests.support.cards import card
from vectorless_web.engine.finding.routing import card_row
from vectorless_web.engine.index.segment import Segment, build_segment
from vectorless_web.engine.index.snapshot import Snapshot, build_snapshot
from vectorless_web.engine.index.snapshot_rows import Change, DeltaRow, term_hash
from vectorless_web.engine.index.word_blocks import (
    BLOCK_DOCUMENTS,
    WordBlock,
    WordIndex,
    WordList,
    block_of,
    encode_words,
    spread_words,
)

WORDS = [f"word{number}" for number in range(60)]


def made_up(count: int) -> dict[int, dict[str, int]]:
    chance = random.Random(3)
    return {
        100 * number: {word: chance.randrange(1, 9) for word in chance.sample(WORDS, 12)}
        for number in range(1, count + 1)
    }


def spread(counts: dict[str, int]) -> dict[str, tuple[int, int]]:
    return {word: (count, 1 << count) for word, count in counts.items()}


def cards(documents, without=()) -> Snapshot:
    return Snapshot.open(
        build_snapshot(card_row(pk, card(f"Title {pk}")) for pk in documents if pk not in without), version="1"
    )


def blocks(documents) -> list[WordBlock]:
    by_block: dict[int, dict[int, bytes]] = {}
    for pk, counts in documents.items():
        by_block.setdefault(block_of(pk), {})[pk] = encode_words(spread(counts))
    return [WordBlock.open(WordBlock.empty().with_lists(lists)) for lists in by_block.values()]


def held(snapshot: Snapshot, word: str) -> dict[int, int]:
    postings = snapshot.postings(term_hash(word))
    assert postings.rows.tolist() == sorted(postings.rows.tolist())
    return dict(zip(snapshot.row_ids(postings.rows).tolist(), postings.counts.tolist(), strict=True))


def expected(documents, word: str) -> dict[int, int]:
    return {pk: counts[word] for pk, counts in documents.items() if word in counts}


def test_words_of_several_blocks_are_found_in_their_documents():
    documents = made_up(40)
    snapshot = cards(documents).with_words(WordIndex(blocks(documents)))

    assert len(snapshot.words.blocks) == 100 * 40 // BLOCK_DOCUMENTS + 1
    for word in WORDS:
        assert held(snapshot, word) == expected(documents, word)
        assert snapshot.frequency(term_hash(word)) == len(expected(documents, word))


def test_a_newer_list_takes_the_place_of_what_a_block_holds():
    documents = made_up(30)
    newer = {200: {"word1": 3, "fresh": 2}, 5_000: {"fresh": 1}}
    index = WordIndex(blocks(documents)).with_lists({pk: encode_words(spread(counts)) for pk, counts in newer.items()})
    snapshot = cards([*documents, 5_000]).with_words(index)
    told = {**documents, **newer}

    assert held(snapshot, "fresh") == {200: 2, 5_000: 1}
    assert all(held(snapshot, word) == expected(told, word) for word in WORDS)
    assert all(snapshot.frequency(term_hash(word)) == len(expected(told, word)) for word in WORDS)


def test_a_document_without_a_card_is_not_found_and_a_new_card_is():
    documents = made_up(30)
    snapshot = cards(documents, without={300}).with_words(WordIndex(blocks(documents)))
    told = {pk: counts for pk, counts in documents.items() if pk not in {300, 400}}
    changes = [DeltaRow(400, Change.REMOVE), DeltaRow(500, Change.UPSERT, card_row(500, card("Renamed")))]
    snapshot = snapshot.with_changes(changes)

    assert all(held(snapshot, word) == expected(told, word) for word in WORDS)
    assert all(snapshot.frequency(term_hash(word)) == len(expected(told, word)) for word in WORDS)


def test_a_rewritten_block_equals_one_made_of_all_lists():
    documents = {pk: counts for pk, counts in made_up(9).items() if pk < BLOCK_DOCUMENTS}
    lists = {pk: encode_words(spread(counts)) for pk, counts in documents.items()}
    changed = {**lists, 300: encode_words({"other": (4, 1)})}
    del changed[500]
    first = WordBlock.open(WordBlock.empty().with_lists(lists))

    assert first.with_lists({300: changed[300], 500: None}) == WordBlock.empty().with_lists(changed)


def test_the_text_takes_the_place_of_what_the_card_says_of_it():
    row = card_row(1, card("Report", sections=("Harbour dues",)))
    base = Snapshot.open(build_snapshot([row]), version="1")
    snapshot = base.with_words(WordIndex().with_lists({1: encode_words({"harbour": (7, 1), "quay": (3, 2)})}))
    postings = snapshot.postings(term_hash("harbour"))

    assert list(zip(postings.fields.tolist(), postings.counts.tolist(), strict=True)) == [(4, 1), (5, 7)]
    assert snapshot.mean_lengths[5] == 10


def test_the_words_of_a_compiled_document_are_counted_once_for_each_place():
    rows = [
        (1, {"title": "Harbour dues", "path": ""}),
        (2, {"title": "", "path": "Harbour dues", "text": "A vessel pays dues. Small vessels pay none."}),
    ]
    segment = Segment(build_segment(rows, fields=("title", "path", "text", "table")))
    words = spread_words(segment)

    assert words["due"] == (2, 0b11) and words["vessel"] == (2, 0b10)
    held = WordList.decode(encode_words(words))
    assert held.length == sum(count for count, _ in words.values())
    assert held.find(term_hash("vessel")) == (2, 0b10)


def test_a_long_document_is_cut_into_parts_of_like_length():
    rows = [
        (number, {"text": f"early common{number}" if number < 500 else f"late common{number}"})
        for number in range(1000)
    ]
    words = spread_words(Segment(build_segment(rows, fields=("title", "path", "text", "table"))))

    assert words["earli"][1] == (1 << 32) - 1 and words["late"][1] >> 32 == (1 << 32) - 1
    assert words["common7"] == (1, 1)


def test_other_bytes_are_refused():
    with pytest.raises(ValueError, match="not the words"):
        WordList.decode(b"nothing of the kind")
    with pytest.raises(ValueError, match="cannot be read"):
        WordBlock.open(b"nothing of the kind" * 9)
