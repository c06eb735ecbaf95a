"""Other ways to find a card: SQLite FTS5, bm25s, tantivy. Each is built once and asked query by query."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import bm25s
import Stemmer
import tantivy

from benchmarks.router_cards import BenchCard
from vectorless_web.engine.text.analyser import words

Search = Callable[[str], list[str]]
"""Ids of the ten best cards for a query."""

COLUMNS = ("title", "topic_tags", "question_hints", "overview", "sections", "body")


def _columns(card: BenchCard) -> list[str]:
    return [
        card.title,
        "\n".join(card.topic_tags),
        "\n".join(card.question_hints),
        card.overview,
        "\n".join(card.sections),
        card.body,
    ]


def fts5(cards: Sequence[BenchCard], folder: Path) -> Search:
    """SQLite's full-text index with Porter stems, any word may match, ranked by its bm25()."""
    base = sqlite3.connect(folder / "fts5.db")
    base.execute(
        f"CREATE VIRTUAL TABLE cards USING fts5(id UNINDEXED, {', '.join(COLUMNS)}, tokenize='porter unicode61')"
    )
    marks = ", ".join("?" * (1 + len(COLUMNS)))
    base.executemany(f"INSERT INTO cards VALUES ({marks})", ([card.id, *_columns(card)] for card in cards))
    base.commit()

    def search(query: str) -> list[str]:
        wanted = " OR ".join(f'"{word.text.replace(chr(34), "")}"' for word in words(query))
        if not wanted:
            return []
        # The rank column holds bm25(); id stands first and is not indexed, so its weight does not matter.
        found = base.execute("SELECT id FROM cards WHERE cards MATCH ? ORDER BY rank LIMIT 10", (wanted,))
        return [row[0] for row in found]

    return search


def bm25_sparse(cards: Sequence[BenchCard], folder: Path) -> Search:
    """bm25s over the whole text of each card, English stems and stop words."""
    stemmer = Stemmer.Stemmer("english")
    ids = [card.id for card in cards]
    texts = bm25s.tokenize([card.text for card in cards], stopwords="en", stemmer=stemmer, show_progress=False)
    index = bm25s.BM25()
    index.index(texts, show_progress=False)

    def search(query: str) -> list[str]:
        asked = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        found, _ = index.retrieve(asked, k=min(10, len(ids)), show_progress=False)
        return [ids[place] for place in found[0]]

    return search


def tantivy_fields(cards: Sequence[BenchCard], folder: Path) -> Search:
    """tantivy over the card's fields with English stems, any word may match."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    for name in COLUMNS:
        builder.add_text_field(name, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for card in cards:
        fields = dict(zip(COLUMNS, _columns(card), strict=True))
        writer.add_document(tantivy.Document(id=card.id, **fields))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(query: str) -> list[str]:
        asked = " ".join(word.text for word in words(query))
        parsed, _ = index.parse_query_lenient(asked, list(COLUMNS))
        return [searcher.doc(address)["id"][0] for _, address in searcher.search(parsed, 10).hits]

    return search


PEERS: dict[str, Callable[[Sequence[BenchCard], Path], Search]] = {
    "fts5": fts5,
    "bm25s": bm25_sparse,
    "tantivy": tantivy_fields,
}
