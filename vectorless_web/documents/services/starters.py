"""Questions to begin with: on figures and sections of a document, which it was seen to answer without a model."""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.finding.ranking.ranker import DocumentScorer
from vectorless_web.engine.passages.find import find_passages
from vectorless_web.engine.questions.understand import understand
from vectorless_web.engine.tables.relation import Entry, Relation, TableSource
from vectorless_web.engine.tables.view import tables_of
from vectorless_web.engine.tables.worked import find_worked_figure, rank_tables

FIGURES_TRIED = 8
"""Tables of which a figure is asked for in trial: each costs a search of the document, about 30 ms in a filing."""
TABLES_READ, CELLS_READ = 40, 1_000
"""Tables that are read for a figure, and the cells of the largest: each cell costs about half a millisecond, so that
a sheet filled to its edges would hold a worker for a minute."""
LABEL_WORDS = (2, 5)
"""Words of a row's label that is asked for: one alone often stands in several tables, a long one is no name."""
A_YEAR = (0, 12)
"""Months of a column whose figures are those of a year or of its end."""


def answered_questions(document: CompiledDocument) -> Iterator[str]:
    """Questions of its card and of its tables, in turns, each of which the document answers with what it asks for."""
    for turn in zip_longest(_ask_figures(document), _ask_sections(document, document.card.question_hints)):
        yield from filter(None, turn)


def _ask_sections(document: CompiledDocument, questions: Sequence[str]) -> Iterator[str]:
    """Those whose closest passage is under the very heading that they name."""
    for question in questions:
        closest = find_passages(understand(question), {"": document}, most=1)
        if closest and closest[0].path and closest[0].path[-1].strip(" .:").casefold() in question.casefold():
            yield question


def _ask_figures(document: CompiledDocument) -> Iterator[str]:
    """One for each of the largest tables with a figure of a year that is found by its row's label and the year."""
    tree = document.tree
    tables = tables_of(tree, (key for key in tree.leaves() if tree.kind(key) is NodeKind.TABLE))
    whole = TableSource("", tuple(tables)).relations
    relations = [each for each in whole if len(each.lines) * len(each.axes) <= CELLS_READ]
    largest = sorted(relations, key=lambda relation: -len(relation.lines))[:TABLES_READ]
    asked = ((relation, entry) for relation in largest if (entry := _find_named_figure(relation)) is not None)
    for relation, entry in islice(asked, FIGURES_TRIED):
        question = f"What figure is given for “{entry.label}” in {entry.period.year}?"
        plan = understand(question)
        found = find_worked_figure(plan, [rank_tables(DocumentScorer(document, plan), "")])
        if found is None or found.maker != "lookup":
            continue
        cells = {(found.quotes[cell.quote].key, cell.cell) for cell in found.cells}
        if cells == {(relation.view.node.key, entry.cell_id)}:
            yield question


def _find_named_figure(relation: Relation) -> Entry | None:
    """The largest figure of the newest year under a short label, as total assets among the assets.

    None in a table of several units, in which the unit of a bare figure is a guess.
    """
    least, most = LABEL_WORDS
    entries = [entry for line in relation.lines for entry in relation.entries(line)]
    if len({entry.unit for entry in entries}) > 1:
        return None
    found = [
        entry
        for entry in entries
        if entry.period.year
        and entry.period.months in A_YEAR
        and not (entry.period.is_change or entry.is_blank)
        and least <= len(entry.label.split()) <= most
    ]
    return max(found, key=lambda entry: (entry.period.year or 0, entry.value), default=None)
