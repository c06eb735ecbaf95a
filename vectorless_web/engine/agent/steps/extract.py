"""EXTRACT and SYNTHESIZE: copies the rows and sentences that answer, and says what a walk brings and lacks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vectorless_web.engine.agent.context.outline import (
    join_names,
    on_pages,
    pages_of,
    pages_words,
    say_count,
    shorten_title,
)
from vectorless_web.engine.agent.corpus import names_any
from vectorless_web.engine.agent.events import Checked, StepResult, refuse_step
from vectorless_web.engine.agent.steps.nearness import measure_nearness
from vectorless_web.engine.agent.steps.read import calculate, keep_note
from vectorless_web.engine.agent.walk import Walk
from vectorless_web.engine.answers.claims import Fact
from vectorless_web.engine.documents.node import NodeKind
from vectorless_web.engine.figures.figure import Figure
from vectorless_web.engine.figures.lookup import NEUTRAL, Source, find_figures
from vectorless_web.engine.figures.needs import asks_rate, figure_needs, is_free, list_item_needs, wants_figures
from vectorless_web.engine.figures.periods import own_period
from vectorless_web.engine.figures.tables import TableView, tables_of
from vectorless_web.engine.passages.checks import is_met, names_holder, names_nobody
from vectorless_web.engine.passages.context import states_something, stating_heading
from vectorless_web.engine.passages.extraction import (
    CHANGES,
    best_passages,
    find_passages,
    leads_by_meaning,
    tell_row,
    weigh_nearness,
    with_what_follows,
    words_measured,
)
from vectorless_web.engine.passages.passage import (
    QUOTE_SHOWN,
    SET_ASIDE_SHOWN,
    Chosen,
    Part,
    Passage,
    quote_row,
    select_passages,
)
from vectorless_web.engine.questions.formulas.request import Task
from vectorless_web.engine.questions.plan import Intent
from vectorless_web.engine.questions.requirements import Wanted, asks_for, parts_asked, requirements_of
from vectorless_web.engine.ranking.finder import Finder
from vectorless_web.engine.relations.entries import read_entry, read_field
from vectorless_web.engine.relations.lookup import content_terms
from vectorless_web.engine.relations.prose import Sentence, sentences_of
from vectorless_web.engine.relations.reading import Reading, read_request_in
from vectorless_web.engine.relations.records import read_tables
from vectorless_web.engine.relations.relation import relations_of, words_of
from vectorless_web.engine.relations.rows import Grid, RowsRead, RowTask, grids_of, is_of_payer
from vectorless_web.engine.relations.shifts import read_shift
from vectorless_web.engine.relations.spans import read_span
from vectorless_web.engine.relations.statements import count_records, rank_statements
from vectorless_web.engine.relations.sums import read_sum
from vectorless_web.engine.text.analyser import analyse
from vectorless_web.engine.text.numbers import numbers_in

MOST, SWEPT_COMPETING = 24, 4
"""Passages one walk keeps, and how many times as many compete for these places."""

NEAR_BEST = 0.75
"""Share of the best passage's part of the question that another must say to be listed too."""

SWEPT_LEAST_SAID = 0.5
"""Least share of the question that a listed passage says."""


def sweep(walk: Walk) -> StepResult:
    """Look at every passage brought that holds a word of the question; keep all that say enough of it."""
    tree = walk.document.tree
    leaves = [key for key in tree.leaves() if key in walk.opened]
    rows = _read_rows(walk, leaves, RowTask.LIST)
    if rows is not None:
        walk.facts.append(rows)
        walk.read.extend(key for key in dict.fromkeys(row.key for row in rows.quoted) if key not in walk.read)
        return _build_result(walk, [rows.key], [rows], (), is_opening=False)
    keys = [key for key, fit in walk.finder.fits(leaves).items() if fit > 0]
    nodes = [(tree.node(key), walk.finder.fits([key])[key], ", ".join(tree.path(key)[-2:])) for key in keys]
    found = find_passages(walk.entry.id, nodes, walk.finder, measure_nearness(walk), walk.opened)
    chosen = _choose_passages(walk, found)
    if found and found[0].is_list and not (chosen.kept and chosen.kept[0].is_list):
        # What fits best as a whole is all of what is asked for, though its words tell too little to show it.
        chosen = Chosen((replace(found[0], is_nearest=not found[0].suffices),))
    if not chosen.kept:
        chosen = Chosen(tuple(_find_nearest(walk, found)))
    kept = sorted(chosen.kept, key=lambda passage: (passage.key, passage.start))
    walk.read.extend(key for key in dict.fromkeys(passage.key for passage in kept) if key not in walk.read)
    walk.facts.extend(kept)
    pages = len(walk.document.pages)
    looked = len({tree.node(key).page_start for key in leaves}) if len(leaves) < len(tree.leaves()) else pages
    return StepResult(
        say=f"Looked at {looked} of {say_count(pages, 'page')} of {shorten_title(walk.entry.title)}; "
        f"{_describe_count(len(kept))}",
        observation={
            "pages": pages,
            "looked_at": looked,
            "passages_compared": len(found),
            "passages": [quote_row(passage) for passage in kept],
            "set_aside": [quote_row(passage) for passage in chosen.set_aside[:SET_ASIDE_SHOWN]],
        },
        refs=tuple(walk.ref(key, "read") for key in dict.fromkeys(passage.key for passage in kept))[:12],
        confidence=round(max((walk.finder.coverage(p.quote, p.where) for p in kept), default=0.0), 4),
    )


def _choose_passages(walk: Walk, found: Sequence[Passage]) -> Chosen:
    """A list that is all of what is asked for; else passages that say nearly as much as the best, no words twice.

    Of too many those that differ.
    """
    whole = next((passage for passage in found if passage.is_list and passage.suffices), None)
    if whole is not None:
        return Chosen((whole,))
    found = [passage for passage in found if not passage.is_list]
    said = [(walk.finder.coverage(passage.quote, passage.where), passage) for passage in found]
    best = max((share for share, _ in said), default=0.0)
    good = [passage for share, passage in said if share >= max(SWEPT_LEAST_SAID, NEAR_BEST * best)]
    once: dict[str, Passage] = {}
    for passage in good:
        once.setdefault(" ".join(passage.quote.lower().split()), passage)
    return select_passages(list(once.values())[: SWEPT_COMPETING * MOST], MOST)


def _describe_count(number: int) -> str:
    return f"{say_count(number, 'passage speaks', 'passages speak')} of what was asked"


KEPT_PASSAGES, COMPETING = 12, 2
"""Passages one step keeps, and how many times as many compete for these places."""

FREE_FIT = 0.8
"""Least fit of a row to an item that the lexicon does not know."""

KNOWN_FIT = 0.84
"""Least fit of rows of primary statements from which a known ratio is worked out whatever else the question says."""

MOST_PROSE = 60
"""Passages in which operands of a calculation are looked for."""

LEAST_SAID = 0.33
"""Least share of the question that a quoted passage and its headings say ..."""

RATE_FIT = 0.65
"""... and of a row of percentages when a rate is asked for."""

LEAST_SAID_BY_ANYONE = 0.45
"""... when neither the question names the document's subject nor the passage has the date or time asked for."""


def extract(walk: Walk, arguments: Mapping[str, Any], *, is_opening: bool = False) -> StepResult:
    """Take figures (`what` = figures) or sentences and rows from the nodes given (`nodes`, or one `node`).

    Rows of the `tables` given are compared as relations. Only nodes that an earlier step brought are read.
    `what` = everything reads all of them for a list. A model may have an `expression` worked out, or a `note` kept.
    """
    if arguments.get("what") == "everything":
        return sweep(walk)
    if "expression" in arguments:
        return calculate(str(arguments["expression"]))
    if "note" in arguments:
        return keep_note(walk, str(arguments["note"]), arguments.get("node"))
    keys = _named_leaves_of(walk, arguments)
    tables = _tables_given(walk, arguments)
    if not keys and not tables:
        return refuse_step("Was asked to copy from what no step has brought; a search or a reading brings it.")
    facts: list[Fact] = []
    set_aside: tuple[Passage, ...] = ()
    reading = _read_tables(walk, tables) if tables or not walk.compared else None
    reading = _read_entry(walk) or reading or _read_statements(walk)
    if reading is not None:
        facts.append(reading)
    elif wants_figures(walk.plan) and arguments.get("what", "figures") == "figures":
        facts.extend(_keep_accounted(walk, _figures(walk, tables)))
    if keys and (not facts or (reading is None and not wants_figures(walk.plan))):
        passages, set_aside = _passages(walk, keys)
        facts.extend(passages)
    walk.read.extend(key for key in keys if key not in walk.read)
    walk.compared.update(tables)
    if not is_opening:
        _read_parts(walk, keys, tables)
    new = [fact for fact in facts if fact not in walk.facts]
    walk.facts.extend(new)
    walk.checked.extend(_list_fruitless_sections(walk, keys, new))
    return _build_result(walk, keys or tables, new, set_aside, is_opening=is_opening)


def _read_parts(walk: Walk, keys: Sequence[int], tables: Sequence[int]) -> None:
    """Copy for each thing that the question asks, as if it were asked alone, of the same nodes and of its own best."""
    for part in walk.parts.values():
        best = [candidate.key for candidate in part.finder.ranked if candidate.key in walk.opened][:PART_NODES]
        nodes = [key for key in dict.fromkeys([*keys, *best]) if key not in part.read]
        own = [key for key in part.tables if key in walk.opened and key not in part.compared] if tables else []
        if nodes or own:
            extract(part, {"nodes": nodes, "tables": own})


def _named_leaves_of(walk: Walk, arguments: Mapping[str, Any]) -> list[int]:
    tree = walk.document.tree
    asked = arguments.get("nodes")
    given = [*(asked if isinstance(asked, list) else ()), *([arguments["node"]] if "node" in arguments else ())]
    known = [key for key in given if key in tree]
    # A heading that states something, and was brought for it, is read itself.
    said = [
        key for key in known if tree.is_section(key) and key in walk.opened and states_something(tree.node(key).text)
    ]
    leaves = dict.fromkeys([*said, *(leaf for key in known for leaf in tree.leaves(key)[:60])])
    return [leaf for leaf in leaves if leaf in walk.opened]


def _tables_given(walk: Walk, arguments: Mapping[str, Any]) -> list[int]:
    tree = walk.document.tree
    given = [key for key in arguments.get("tables", ()) if key in tree and key in walk.opened]
    return [key for key in dict.fromkeys(given) if tree.kind(key) is NodeKind.TABLE]


def _read_relations(walk: Walk, tables: Sequence[int]) -> Reading | None:
    """What the question asks of tables, read from those given, from the page named first."""
    request = walk.request
    if request is None:
        return None
    views = list(tables_of(walk.document.tree, tables))
    ranks = {view.node.key: walk.finder.page_fits.get(view.node.page_start, 0.0) for view in views}
    own = own_period(walk.document.card.fields)
    relations = relations_of(walk.entry.id, views, own=own, ranks=ranks, subject=_subject(walk))
    if walk.foreign:
        relations = [relation for relation in relations if names_any(relation.text, walk.foreign)]
    asked = set(walk.reader.asked)
    on_page = [relation for relation in relations if relation.view.node.key in asked]
    sentences = _sentences(walk) if request.task is Task.COMPUTE else []
    reading = read_request_in(on_page, request) if on_page else None
    return reading or read_request_in(relations, request, sentences)


def _read_tables(walk: Walk, tables: Sequence[int]) -> Reading | RowsRead | None:
    """What the question asks of the tables given: rows in words first, then figures."""
    grids = _grids(walk, tables)
    if (summed := read_sum(grids, walk.plan)) is not None:
        return summed
    rows = _read_rows(walk, tables, RowTask.COMPARE, RowTask.BAND, RowTask.AGAINST, RowTask.RECORDS, RowTask.LIST)
    reading = None if rows is not None else _read_relations(walk, tables)
    if reading is None and rows is None and (shift := read_shift(grids, walk.plan)) is not None:
        return shift
    return rows or _prefer_row(walk, tables, reading)


def _read_entry(walk: Walk) -> RowsRead | None:
    """The cells of one row that answer each part of the question; of one that asks one thing a line of a form."""
    tree, plan = walk.document.tree, walk.plan
    if parts_asked(plan):
        tables = [key for key in walk.opened if tree.kind(key) is NodeKind.TABLE]
        return read_entry(_grids(walk, tables), plan)
    read = read_field(walk.entry.id, tree, walk.opened, plan)
    if read is None or not walk.foreign:
        return read
    # A line says little by itself: whoever the question names may be named by another line of the form.
    around = " ".join((*tree.path(read.key), *(tree.node(key).text for key in tree.children(tree.parent(read.key)))))
    return read if all(names_any(around, (name,)) for name in walk.foreign) else None


def _read_statements(walk: Walk) -> RowsRead | None:
    """What the sentences, items and records that were brought state: the time between two events, a count, a rank."""
    tree, document = walk.document.tree, walk.entry.id
    read = (
        read_span(document, tree, walk.opened, walk.plan.focus, walk.entry.title)
        or count_records(document, tree, walk.opened, walk.plan.focus)
        or rank_statements(document, tree, walk.opened, walk.plan)
    )
    said = " ".join(row.quote for row in read.quoted) if read is not None else ""
    return read if all(names_any(said, (name,)) for name in walk.foreign) else None


def _read_rows(walk: Walk, keys: Sequence[int], *tasks: RowTask) -> RowsRead | None:
    """What the question asks of the rows of tables in words, of the tables among the nodes given."""
    return read_tables(_grids(walk, keys), walk.plan, tasks)


def _grids(walk: Walk, keys: Sequence[int]) -> list[Grid]:
    """The tables among the nodes given, as names and cells in words."""
    tree, pages = walk.document.tree, walk.finder.page_fits
    title = walk.entry.title or walk.entry.name
    grids = list(grids_of(walk.entry.id, tables_of(tree, keys), lambda page: pages.get(page, 0.0), title))
    if walk.foreign:
        grids = [grid for grid in grids if names_any(" ".join((*grid.view.path, grid.view.node.text)), walk.foreign)]
    return grids


LAST_TASKS = (RowTask.RANK, RowTask.DIFFER, RowTask.CHANGE, RowTask.LOOK_UP, RowTask.LIST_OF)
"""What is read of rows in words where no figures were asked for."""


def _prefer_row(walk: Walk, tables: Sequence[int], reading: Reading | None) -> Reading | RowsRead | None:
    """The reading; of a plain figure the cell whose row and column say more of the question's words."""
    if reading is None:
        rows = _read_rows(walk, tables, *LAST_TASKS)
        return None if rows is not None and _is_row_of_owner(walk, rows) else rows
    rows = _read_rows(walk, tables, RowTask.LOOK_UP) if reading.request.task is Task.VALUE else None
    if reading.figures and is_of_payer(walk.plan.focus, reading.figures[0].column):
        return rows
    if rows is None:
        return reading
    # A row that is called like the document's own company says no more of the question for that.
    asked = set(analyse(walk.plan.focus)) - set(analyse(_subject(walk)))
    told = asked & set(analyse(f"{rows.rows[0].name} {' '.join(rows.heads)}"))
    held = asked & set(
        analyse(" ".join(f"{figure.label} {figure.column} {figure.where}" for figure in reading.figures))
    )
    return rows if held < told else reading


def _is_row_of_owner(walk: Walk, rows: RowsRead) -> bool:
    """Whether a row is looked up for the name of the company alone, of which the question asks what it has."""
    name = rows.rows[0].name if rows.rows else ""
    is_owner = re.search(rf"\b(?:does|do|did|has|have|had)\s+(?:the\s+)?{re.escape(name)}\b", walk.plan.focus, re.I)
    return rows.task is RowTask.LOOK_UP and bool(is_owner) and set(analyse(name)) <= set(analyse(_subject(walk)))


def _sentences(walk: Walk) -> list[Sentence]:
    """Sentences with numbers of the passages brought that hold most of the question."""
    tree = walk.document.tree
    fits = walk.finder.fits([key for key in walk.opened if tree.is_leaf(key)])
    best = sorted((key for key, fit in fits.items() if fit > 0), key=lambda key: (-fits[key], key))[:MOST_PROSE]
    nodes = [(tree.node(key), place_words(walk, key)) for key in sorted(best)]
    return list(sentences_of(walk.entry.id, nodes, _subject(walk)))


def _subject(walk: Walk) -> str:
    """Whom the document is about: its title, its name and the entities of its card."""
    return " ".join((walk.entry.title, walk.entry.name, *walk.document.card.fields.entities))


def _keep_accounted(walk: Walk, figures: list[Fact]) -> list[Fact]:
    """The figures when they account for every content word asked for; none when a word stands for nothing.

    A concept of the lexicon covers the words of its own names, so that an unqualified question is
    answered by a row of another name; a qualifier must stand in a row, a column or a caption.
    """
    request = walk.request
    if request is None or not figures:
        return figures
    if request.task is not Task.VALUE and walk.plan.formula is None:
        return []
    every = figure_needs(walk.plan)
    needs = [need for need in every if not need.optional]
    found = [f for f in figures if isinstance(f, Figure) and not (f.need >= 0 and every[f.need].optional)]
    fit = min((figure.fit for figure in found), default=0.0)
    if walk.plan.formula is not None and all(need.statement for need in needs) and fit >= KNOWN_FIT:
        return figures
    said = words_of(" ".join(f"{figure.label} {figure.column} {figure.where}" for figure in found))
    names = [walk.entry.title, walk.entry.name, *walk.document.card.fields.entities, *walk.plan.entities]
    known = [phrase for need in needs for phrase in (need.concept, *need.phrases)]
    formula = walk.plan.formula.name if walk.plan.formula is not None else ""
    covered = said | words_of(" ".join((*names, *known, *walk.plan.concepts, formula)))
    asked = {term for operand in request.operands for term, weight in content_terms(operand.words) if weight == 1.0}
    return figures if asked - covered <= {"percent"} else []


def _figures(walk: Walk, keys: Sequence[int]) -> list[Fact]:
    """Figures from the tables given: a row's label decides, the rank only breaks ties."""
    tables = list(tables_of(walk.document.tree, keys))
    pages = walk.finder.page_fits
    ranks = {view.node.key: pages.get(view.node.page_start, 0.0) for view in tables}
    tables = [
        view for view in tables if not walk.foreign or names_any(" ".join((*view.path, view.node.text)), walk.foreign)
    ]
    asked = set(walk.reader.asked)
    on_page = [view for view in tables if view.node.key in asked]
    return _find_matching_figures(walk, on_page, ranks) or _find_matching_figures(walk, tables, ranks)


def _find_matching_figures(walk: Walk, tables: Sequence[TableView], ranks: Mapping[int, float]) -> list[Fact]:
    source = Source(walk.entry.id, tables, ranks, own_period(walk.document.card.fields))
    found = [
        f for f in find_figures(source, list_item_needs(walk.plan)) if f.fit >= (RATE_FIT if f.percent else FREE_FIT)
    ]
    if not found:
        least = FREE_FIT if is_free(walk.plan) else 0.0
        found = [figure for figure in find_figures(source, figure_needs(walk.plan)) if figure.fit >= least]
    return [f for f in found if _names_subject(walk, f.label, f.where) and (f.percent or not asks_rate(walk.plan))]


def _passages(walk: Walk, keys: Sequence[int]) -> tuple[list[Fact], tuple[Passage, ...]]:
    """Pieces that answer, and those set aside because others say the same or more."""
    tree, fits = walk.document.tree, walk.finder.fits(keys)
    # What a text refers to is about what the text says.
    places = {key: place_words(walk, key) for key in keys}
    led = {key: f"{place}, {walk.led[key].quote}" if key in walk.led else place for key, place in places.items()}
    nodes = [(tree.node(key), fits[key], led[key]) for key in keys]
    nodes += [(tree.node(key), fit, place_words(walk, key)) for key, fit in _stating_headings(walk, fits).items()]
    found = find_passages(walk.entry.id, nodes, walk.finder, measure_nearness(walk), walk.opened)
    if walk.turn[1] == 1:
        # A document that is read alone has nothing to be compared with.
        found = [passage for passage in found if passage.place != CHANGES]
    found = [_tell_reference(walk, passage, places) for passage in _mind_references(walk, found)]
    telling = [passage for passage in found if _answers_question(walk, passage)] or _find_nearest(walk, found)
    if walk.nearness is not None and telling and not telling[0].is_nearest:
        # What leads in words and meaning may be the answer though its words tell too little to show it.
        led_by = [passage for passage in found if passage not in telling and leads_by_meaning(passage, found)]
        telling = [*(replace(passage, suffices=False) for passage in led_by), *telling]
    chosen = select_passages(best_passages(telling, most=COMPETING * KEPT_PASSAGES, share=0.4), KEPT_PASSAGES)
    told = [*with_what_follows(chosen.kept, tree, walk.finder), *_find_parts(walk, keys, found)]
    told += _find_holders(walk, told[:1])
    return [passage for passage in told if passage.key in walk.opened], chosen.set_aside


def _stating_headings(walk: Walk, fits: Mapping[int, float]) -> dict[int, float]:
    """The headings above nodes that state something and were brought with them, each with the best fit below it."""
    found: dict[int, float] = {}
    for key, fit in fits.items():
        heading = stating_heading(walk.document.tree, key)
        if heading is not None and heading in walk.opened:
            found[heading] = max(fit, found.get(heading, 0.0))
    return found


WHOLE_SHARE = 0.5
"""What a passage's fit to the whole question counts beside its fit to one of its parts: the subject of a part often
stands in the other. Chosen by hand."""

LEAST_OF_PART = 0.2
"""Least share of a part's own words that its passage says, unless it comes nearest to the part in meaning."""

_LEANING = re.compile(r"\b(?:it|its|he|she|they|them|him|his|her|their|this|that|these|those|each|one|so)\b", re.I)
"""How a part leans on the part before it: what it asks stands where that is answered."""


def _find_parts(walk: Walk, keys: Sequence[int], found: Sequence[Passage]) -> list[Passage]:
    """For each part of a question that asks several things, the passage that answers it; none for other questions."""
    parts = parts_asked(walk.plan) if found and not wants_figures(walk.plan) else ()
    answered = {fact.answers for fact in walk.facts if isinstance(fact, Passage)}
    parts = tuple(part for part in parts if part not in answered)
    whole = {(passage.key, passage.start): passage.fit for passage in found}
    kept: list[Passage] = []
    for part in parts:
        finder = walk.finder.narrow_to(part)
        before = kept[-1] if kept else found[0]
        leans = bool(_LEANING.search(part)) or len(finder.aspects.pieces) < FEWEST_OWN
        if leans and _holds_asked(before, finder):
            continue
        ranked = _rank_for_part(walk, part, finder, keys)
        near = {before.key, *walk.text_reader.reach(before.key)}
        fits = {p: p.fit + WHOLE_SHARE * whole.get((p.key, p.start), 0.0) for p in ranked if not leans or p.key in near}
        nearest = max(ranked, key=lambda p: p.nearness or 0.0, default=None)
        told = finder.coverage(found[0].quote, found[0].where) if _holds_asked(found[0], finder) else 0.0
        held = [p for p in fits if not p.unmet and p.said >= told and (p.said >= LEAST_OF_PART or p is nearest)]
        if held:
            best = max(held, key=lambda p: (round(fits[p], 9), -p.key, -p.start))
            kept.append(replace(best, answers=part, suffices=False))
    return kept


FEWEST_OWN = 2
"""Pieces of a question from which a part tells by itself what it is about: "how often" does not."""


def _holds_asked(passage: Passage, finder: Finder) -> bool:
    """Whether a passage holds the kind of thing that a part asks for, so that the part is told there."""
    words = " ".join((passage.quote, *(part.quote for part in passage.parts)))
    return all(is_met(requirement, words) for requirement in requirements_of(finder.plan))


def _rank_for_part(walk: Walk, part: str, finder: Finder, keys: Sequence[int]) -> list[Passage]:
    """The pieces of nodes that were brought, by how they answer one part alone, best first."""
    tree = walk.document.tree
    own = [candidate.key for candidate in finder.ranked if candidate.key in walk.opened][:PART_NODES]
    fits = finder.fits(list(dict.fromkeys([*keys, *own])))
    nodes = [(tree.node(key), fit, place_words(walk, key)) for key, fit in fits.items()]
    ranked = find_passages(walk.entry.id, nodes, finder, within=walk.opened)
    if walk.nearness is None or not ranked:
        return ranked
    # Worded as where the part is asked by itself, so that its vector is worked out once.
    shares = walk.nearness.measure_part(finder.plan.question, {words_measured(p): p.where for p in ranked})
    if not shares:
        return ranked
    return sorted(weigh_nearness(ranked, shares), key=lambda p: (-round(p.fit, 9), p.key, p.start))


LONGEST_ROLE = 4
"""Words of a row's label, or of the name of a line, that is an office."""


def _find_holders(walk: Walk, told: Sequence[Passage]) -> list[Passage]:
    """Who holds the office that the best passage names, where a person is asked for: the row or line of that name."""
    asked = [r for r in requirements_of(walk.plan) if r.wanted is Wanted.PERSON]
    words = " ".join((told[0].quote, *(part.quote for part in told[0].parts))) if asked and told else ""
    if not words or "\t" in words or not names_nobody(walk.plan.focus, words):
        return []
    tree, said = walk.document.tree, f" {' '.join(analyse(words))} "
    for key in sorted(walk.opened):
        for piece in walk.text_reader.pieces(key) if tree.is_leaf(key) else ():
            name, value = _split_named(piece.text)
            label = f" {' '.join(analyse(name))} "
            if label.strip() and label in said and names_holder(value):
                node = tree.node(key)
                row = replace(
                    told[0],
                    key=key,
                    page_index=node.page_start,
                    quote=piece.text,
                    start=piece.start,
                    end=piece.end,
                    where=place_words(walk, key),
                    lead=tell_row(node, piece.start) if node.table else "",
                    parts=(),
                    answers=name,
                    suffices=False,
                )
                return [row]
    return []


def _split_named(line: str) -> tuple[str, str]:
    """("Safety officer", "Ines Falk\tRoom 4") for a row or a line "Safety officer: Ines Falk"; ("", "") for others."""
    name, mark, value = line.partition("\t") if "\t" in line else line.partition(":")
    is_named = bool(mark) and len(name.split()) <= LONGEST_ROLE
    return (name.strip(" :-•"), value.strip()) if is_named else ("", "")


PART_NODES = 8
"""Nodes read for one part of a question beside those read for all of it."""


_POINTING = re.compile(
    r"\b(?:(?:set|laid|spelt|spelled)\s+(?:out|forth|down)|described|stated|listed|given|provided|found|specified"
    r"|detailed|defined|governed|regulated|dealt with|covered|contained|shown|explained|determined|agreed|see"
    r"|refer(?:s|red)?\s+to|consult)(?:\s+(?:separately|further|also|fully|in|by|under|at|on|to|the|our|this|attached"
    r"|enclosed|following|detail))*\s*$",
    re.I,
)
"""How a sentence goes up to a reference which is all that it says."""

LONGEST_POINTER = 220
"""Characters of such a sentence."""

AFTER_REFERENCE = 40
"""Characters that may follow the reference in it: "Schedule 2 to this agreement"."""


def _mind_references(walk: Walk, passages: Sequence[Passage]) -> list[Passage]:
    """Passages, those marked that only refer to another place: they are no answer, what stands there may be.

    So is what stands beside such a sentence in its paragraph and says less of the question.
    """
    told = {key: pointer for key in {passage.key for passage in passages} if (pointer := _only_refers(walk, key))}
    return [
        replace(passage, suffices=False, fit=passage.fit * ONLY_REFERS, refers=told[passage.key][1])
        if passage.key in told and not passage.is_list and _measure_coverage(walk, passage) <= told[passage.key][0]
        else passage
        for passage in passages
    ]


def _only_refers(walk: Walk, key: int) -> tuple[float, int] | None:
    """Of the sentence of a node that only refers elsewhere, the share of the question that it says, and the target."""
    tree, found = walk.document.tree, []
    if tree.kind(key) is NodeKind.TABLE:
        return None
    text = tree.node(key).text
    for reference in tree.references(key):
        if reference.target in walk.followed:
            continue
        begin, end = reference.offset, reference.offset + reference.length
        for piece in walk.text_reader.pieces(key):
            if piece.start <= begin < piece.end and _is_pointer(text[piece.start : begin], text[end : piece.end]):
                found.append((walk.finder.coverage(piece.text, place_words(walk, key)), reference.target))
    return max(found, default=None)


def only_points(walk: Walk, pointer: Part, target: int) -> bool:
    """Whether a sentence says nothing but that something stands at the target."""
    text, end = walk.document.tree.node(pointer.key).text, pointer.start + len(pointer.quote)
    places = [
        (reference.offset, reference.offset + reference.length)
        for reference in walk.document.tree.references(pointer.key)
        if reference.target == target and pointer.start <= reference.offset < end
    ]
    return any(_is_pointer(text[pointer.start : first], text[last:end]) for first, last in places)


def _is_pointer(before: str, after: str) -> bool:
    """Whether a sentence, given before and after its reference, says nothing but where something stands."""
    says_more = any(character.isdigit() for character in before) or len(after.strip(" .)")) > AFTER_REFERENCE
    return len(before) <= LONGEST_POINTER and not says_more and bool(_POINTING.search(before))


def _measure_coverage(walk: Walk, passage: Passage) -> float:
    return walk.finder.coverage(passage.quote, passage.where)


ONLY_REFERS = 0.7
"""What a sentence is worth, as a share, that only says where something stands."""


def _tell_reference(walk: Walk, passage: Passage, places: Mapping[int, str]) -> Passage:
    """A passage to which a reference led, with the sentence that refers to it told first."""
    pointer = walk.led.get(passage.key)
    if pointer is None or pointer.key not in walk.opened:
        return passage
    own = Part(passage.key, passage.page_index, passage.quote, passage.start)
    return replace(passage, where=places[passage.key], parts=(pointer, *(passage.parts or (own,))))


NEAREST = 3
"""Passages kept where none says enough of the question: the best one may still be the answer, which its confidence
tells. Not the best one alone, since another may hold what is asked for."""

LEAST_NEAREST = 0.3
"""Least fit of such a passage: what is less was found by its page alone."""


def _find_nearest(walk: Walk, found: Sequence[Passage]) -> list[Passage]:
    """The best passages of as many nodes, none of them held to answer; of a question for figures none."""
    if wants_figures(walk.plan) and not is_free(walk.plan):
        return []
    near = [p for p in found if p.words_fit >= LEAST_NEAREST or leads_by_meaning(p, found)]
    # A document may call what the question names otherwise; whether the name is said is weighed with the rest.
    named = [passage for passage in near if walk.is_about or _names_subject(walk, passage.quote, passage.where)]
    once: dict[int, Passage] = {}
    for passage in named or near:
        once.setdefault(passage.key, passage)
    return [replace(passage, suffices=False, is_nearest=True) for passage in list(once.values())[:NEAREST]]


def _answers_question(walk: Walk, passage: Passage) -> bool:
    """Whether a passage says enough of the question, and of its subject, to be an answer."""
    if passage.place == CHANGES:
        return True
    is_form = asks_for(walk.plan, Wanted.DATE, Wanted.SPAN) and not passage.unmet
    is_subject = bool(walk.plan.entities) and not walk.foreign
    least = LEAST_SAID if is_subject or is_form else LEAST_SAID_BY_ANYONE
    words = " ".join(part.quote for part in passage.parts) if passage.is_list else passage.quote
    if walk.plan.intent is Intent.EXPLAIN and not walk.finder.aspects.names_concept(words, passage.where):
        return False
    if wants_figures(walk.plan) and not is_free(walk.plan) and not _states_item(walk, passage):
        return False
    if not passage.suffices and passage.said < least:
        return False
    is_word = walk.is_about and not asks_for(walk.plan, Wanted.AMOUNT, Wanted.SUM, Wanted.EXTREME)
    return is_word or _names_subject(walk, passage.quote, passage.where, *(part.quote for part in passage.parts))


def _states_item(walk: Walk, passage: Passage) -> bool:
    """Whether words can stand in for a row: they name the item by half of its words, and a percentage for a rate."""
    said = set(analyse(passage.quote))
    wordings = [set(analyse(phrase)) - NEUTRAL - {"net"} for need in figure_needs(walk.plan) for phrase in need.phrases]
    is_rate = any(number.percent for number in numbers_in(passage.quote))
    named = any(wording and 2 * len(wording & said) >= len(wording) for wording in wordings)
    return named and (is_rate or not asks_rate(walk.plan))


def _names_subject(walk: Walk, *texts: str) -> bool:
    """Whether texts name the subject, be it by the number of the section whose heading does ("item 8")."""
    words = " ".join(texts)
    return not walk.foreign or names_any(f"{words} {walk.text_reader.titles_named(words)}", walk.foreign)


def place_words(walk: Walk, key: int) -> str:
    """Where a node stands, in words: its section, and its own title when it has one."""
    path = walk.document.tree.path(key)
    return ", ".join(path[-2:]) if path else walk.entry.title


FRUITLESS = "came near, but no sentence or row in it answers"
"""Said of a section that was read in vain. It names no word: the section may well have the word."""


def _list_fruitless_sections(walk: Walk, keys: Sequence[int], facts: Sequence[Fact]) -> list[Checked]:
    """Sections read without finding anything, once each."""
    tree = walk.document.tree
    used = {tree.section_of(fact.key) for fact in facts}
    seen = {checked.ref.key for checked in walk.checked if checked.ref}
    sections = dict.fromkeys(tree.section_of(key) for key in keys)
    return [
        Checked(walk.entry.id, walk.title_of(section), FRUITLESS, walk.ref(section, "turned_back"))
        for section in sections
        if section not in used and section not in seen
    ]


def _build_result(
    walk: Walk, keys: Sequence[int], facts: Sequence[Fact], set_aside: Sequence[Passage], *, is_opening: bool
) -> StepResult:
    figures = _list_figures(facts)
    passages = [fact for fact in facts if isinstance(fact, Passage)]
    refs = dict.fromkeys(fact.key for fact in facts)
    return StepResult(
        say=_describe_extraction(walk, keys, facts, figures, passages, is_opening=is_opening),
        observation={
            "figures": [_figure_row(fact) for fact in figures],
            "passages": [quote_row(passage) for passage in passages],
            "set_aside": [quote_row(passage) for passage in set_aside[:SET_ASIDE_SHOWN]],
            "read": len(keys),
            "missing": list(walk.gaps()),
            **({"parts": _account_for_parts(walk)} if walk.parts else {}),
            **({} if len(facts) > len(passages) else {"asked": _account_for_asked(walk, passages)}),
            **_account_for_nearness(walk, passages),
        },
        refs=tuple(walk.ref(key, "read") for key in (*refs, *(key for key in keys if key not in refs)))[:12],
        confidence=round(max((fact.fit for fact in facts), default=0.0), 4),
    )


def _account_for_parts(walk: Walk) -> list[dict[str, Any]]:
    """Each thing that the question asks, and whether something was copied that may answer it, as JSON values."""
    return [{"part": words, "met": not part.gaps()} for words, part in walk.parts.items()]


def _account_for_nearness(walk: Walk, passages: Sequence[Passage]) -> dict[str, Any]:
    """What a local model measured of the passages copied, as JSON values; empty without one."""
    if walk.nearness is None or not walk.nearness.is_measured or not passages:
        return {}
    shares = [{"key": p.key, "share": p.nearness} for p in passages if p.nearness is not None]
    is_changed = max(passages, key=lambda p: p.words_fit) is not max(passages, key=lambda p: p.fit)
    return {"nearness": {**walk.nearness.account(), "passages": shares, "changed_first": is_changed}}


def _list_figures(facts: Sequence[Fact]) -> list[Figure]:
    """The figures among facts, those that a reading rests on included."""
    readings = [fact for fact in facts if isinstance(fact, Reading)]
    return [*(f for f in facts if isinstance(f, Figure)), *(figure for r in readings for figure in r.figures)]


def _account_for_asked(walk: Walk, passages: Sequence[Passage]) -> list[dict[str, Any]]:
    """Each thing asked for, in plain words, and whether a passage that may stand as the answer holds it."""
    enough = [passage for passage in passages if passage.suffices]
    wanted = dict.fromkeys(requirement.describe() for requirement in requirements_of(walk.plan))
    return [{"wanted": name, "met": any(name not in passage.unmet for passage in enough)} for name in wanted]


def _describe_asked(walk: Walk, passages: Sequence[Passage]) -> str:
    """ "; asked for a date or a time, which they hold", or what they lack."""
    rows = _account_for_asked(walk, passages)
    lacking = [row["wanted"] for row in rows if not row["met"]]
    asked = join_names([row["wanted"] for row in rows])
    if not lacking:
        return f"; what is asked for, {asked}, stands there"
    held = "" if len(lacking) == len(rows) else f" of {asked}"
    return f"; still wanted{held}: {join_names(lacking)}"


def _figure_row(figure: Figure) -> dict[str, Any]:
    return {
        "key": figure.key,
        "page": figure.page_index + 1,
        "row": figure.label,
        "column": figure.column,
        "value": f"{figure.amount:f}",
        "scale": f"{figure.scale:f}",
        "quote": figure.quote[:QUOTE_SHOWN],
    }


def _describe_rows(rows: RowsRead) -> str:
    """ "Took 5 of 5 rows of the table “Programs”, p. 3"."""
    page = pages_words(rows.page_index, rows.page_index)
    if not rows.is_table:
        return (
            f"Compared what is stated of {say_count(len(rows.rows), 'thing')} in “{shorten_title(rows.where)}”, {page}"
        )
    return (
        f"Took {len(rows.quoted)} of {say_count(rows.total, 'row')} of the table “{shorten_title(rows.where)}”, {page}"
    )


def _describe_extraction(
    walk: Walk,
    keys: Sequence[int],
    facts: Sequence[Fact],
    figures: Sequence[Figure],
    passages: Sequence[Passage],
    *,
    is_opening: bool,
) -> str:
    rows_read = [fact for fact in facts if isinstance(fact, RowsRead)]
    if rows_read:
        return _describe_rows(rows_read[0])
    if figures:
        rows = dict.fromkeys((figure.label, figure.page_index) for figure in figures)
        named = join_names([f"“{shorten_title(label)}”, {pages_words(page, page)}" for label, page in list(rows)[:3]])
        periods = join_names(sorted({figure.period for figure in figures if figure.period}))
        more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
        return f"Took {say_count(len(rows), 'table row')}: {named}{more}" + (f", for {periods}" if periods else "")
    compared = next((passage for passage in passages if passage.place == CHANGES), None)
    if compared is not None:
        pages = pages_words(compared.parts[0].page_index, compared.parts[-1].page_index)
        title = shorten_title(walk.title_of(walk.document.tree.section_of(compared.key)))
        return f"Copied all {say_count(len(compared.parts), 'sentence')} of {title}, {pages}, to compare two versions"
    if passages:
        pages = on_pages(passage.page_index for passage in passages[:3])
        copied = f"Copied {say_count(len(passages), 'passage')} that may answer, from {pages}"
        changed = _account_for_nearness(walk, passages).get("nearness", {}).get("changed_first", False)
        by_meaning = "; the first was put there by its meaning" if changed else ""
        return copied + by_meaning + _describe_asked(walk, passages)
    if is_opening:
        pages = on_pages(walk.document.tree.node(key).page_start for key in keys[:3])
        return f"Gathered the {say_count(len(keys), 'passage')} nearest to the question, the best from {pages}"
    first = walk.document.tree.node(keys[0])
    wanted = join_names(list(dict.fromkeys(requirement.describe() for requirement in requirements_of(walk.plan))))
    where = f"Read {shorten_title(walk.title_of(keys[0]))}, {pages_of(first)}"
    return f"{where}, and found nothing that answers; asked for: {wanted}"


def synthesize(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """Sum up a walk: figures and passages found, gaps left."""
    if walk.draft is not None:
        return _end_with_answer(walk, arguments)
    figures = _list_figures(walk.facts)
    passages = sum(isinstance(fact, Passage) for fact in walk.facts)
    rows = sum(len(fact.quoted) for fact in walk.facts if isinstance(fact, RowsRead))
    gaps = walk.gaps()
    counts = {"figures": len(figures), **({"rows": rows} if rows else {}), "passages": passages}
    return StepResult(
        say=_describe_synthesis(walk, len(figures), rows, passages, gaps),
        observation={**counts, "missing": list(gaps)},
        refs=tuple(walk.ref(key, "read") for key in dict.fromkeys(fact.key for fact in walk.facts))[:8],
        confidence=round(max((fact.fit for fact in walk.facts), default=0.0), 4),
    )


def _end_with_answer(walk: Walk, arguments: Mapping[str, Any]) -> StepResult:
    """The model ended the walk with its answer: what it quotes are the nodes touched."""
    claims = walk.draft.claims if walk.draft else ()
    keys = dict.fromkeys(quote.key for claim in claims for quote in claim.quotes if quote.key in walk.document.tree)
    said = f"Answered from {shorten_title(walk.entry.title)} in {say_count(len(claims), 'sentence')}"
    return StepResult(
        say=said if claims else f"Found nothing in {shorten_title(walk.entry.title)} that answers",
        observation=dict(arguments),
        refs=tuple(walk.ref(key, "read") for key in keys)[:8],
    )


def _describe_synthesis(walk: Walk, figures: int, rows: int, passages: int, gaps: tuple[str, ...]) -> str:
    if not figures and not rows and not passages:
        return f"Found nothing in {shorten_title(walk.entry.title)} that answers"
    counted = ((figures, "figure"), (rows, "table row"), (passages, "passage"))
    parts = [say_count(number, noun) for number, noun in counted if number]
    missing = f"; still missing: {join_names([shorten_title(gap) for gap in gaps[:3]])}" if gaps else ""
    return f"Put together {join_names(parts)} from {shorten_title(walk.entry.title)}{missing}"
