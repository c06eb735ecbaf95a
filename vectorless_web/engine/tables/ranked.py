"""The tables of one document in which a question's figure is looked for, ranked."""

from collections.abc import Callable

from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.tables.periods import own_period
from vectorless_web.engine.tables.relation import TableSource
from vectorless_web.engine.tables.view import tables_of
from vectorless_web.engine.text.analyser import analyse

MOST_TABLES = 40
"""Tables of a document that are read for a worked figure, the best-ranked. Filings have up to 300; 30 bring the same
figures as all of them."""


def rank_tables(
    scorer: DocumentScorer, name: str, *, title: str = "", is_let: Callable[[int], bool] | None = None
) -> TableSource:
    """The best-ranked tables of the scorer's document, which is called `name` and by `title` in its corpus.

    `is_let` says of a node's key whether the question may look there.
    """
    document = scorer.document
    tree, card = document.tree, document.card
    tables = [key for key in tree.leaves() if tree.kind(key) is NodeKind.TABLE]
    keys = [key for key in tables if is_let is None or is_let(key)]
    fits = dict(zip(keys, scorer.scores(keys), strict=True))
    best = sorted(sorted(keys, key=lambda key: (-round(fits[key], 9), key))[:MOST_TABLES])
    subject = " ".join((document.title, card.title, title, *card.fields.entities))
    return TableSource(name, tuple(tables_of(tree, best)), fits, own_period(card.fields), frozenset(analyse(subject)))
