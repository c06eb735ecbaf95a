"""What the router shortlists, and why.

A case of routed.txt is a sentence, the cards of a workspace, numbered from 1 (the title, then what else they hold), and
behind => what is asked with the numbers that the shortlist begins with: `only` when no others follow, `committed` when
the first one is, `uncommitted` when none is.
"""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.support.cards import ACTIVE, card, ids, linked, plan, report, router, snapshot
from tests.support.case_files import each_line
from tests.support.engine_documents import compiled, paragraph
from vectorless_web.engine.documents.card import Card
from vectorless_web.engine.finding.routing import DocumentRouter, RouteMode, RouterConfig, links_for
from vectorless_web.engine.finding.routing.lexical import AskedWord, CardScorer, PassageReader
from vectorless_web.engine.finding.routing.router import NOTHING_SAID
from vectorless_web.engine.questions.understand import understand

ANIMALS = [card(f"Guide to the {name}", tags=(name, "animals")) for name in ("otter", "heron", "badger", "stoat")]
CHRONICLES = [card(f"Chronicle {number}", tags=(f"monk{number}",)) for number in range(30)]
SHARED = ("kelp", "urchin", "otter trawl", "sea star")
"""Rare keywords, which link the cards that have them."""


def test_few_documents_all_go_on_and_of_many_only_those_that_match():
    few, many = (
        router(ANIMALS, config).route(plan("Where does the heron nest?")) for config in (RouterConfig(), ACTIVE)
    )
    assert (few.activated, few.considered, few.ambiguous, ids(few)[0]) == (False, 4, False, 2)
    assert sorted(ids(few)) == [1, 2, 3, 4]
    assert (ids(many), many.activated, many.mode_used, many.index_version) == ([2], True, RouteMode.FAST, "1")
    for candidate in few.candidates:
        assert all(0 <= part <= 1 for part in (candidate.score, candidate.bm25, candidate.keyword, candidate.fields))


@pytest.mark.parametrize(("cards", "question"), each_line(Path(__file__).with_name("routed.txt")))
def test_the_document_that_is_meant_comes_first(cards, question):
    names, made = [], []
    for title, *more in (line.split(" | ") for line in cards):
        held = dict(part.split(": ", 1) for part in more)
        names.append(held.pop("file", ""))
        overview = held.pop("overview", "")
        years = [int(year) for year in held.pop("years", "").split()]
        lists = {key: said.split("; ") for key, said in held.items()}
        made.append(card(title, overview=overview, years=years, **lists))
    asked, _, wanted = question.rpartition(" => ")
    first = [int(number) for number in re.findall(r"\d+", wanted)]
    result = router(made, names=names).route(understand(asked))
    assert ids(result)[: None if "only" in wanted else len(first)] == first
    if "committed" in wanted:
        assert result.committed == (None if "uncommitted" in wanted else first[0])


def test_what_misses_the_cut_is_kept_behind_it_and_comes_in_a_second_pass_of_twice_as_many():
    cards = [card(f"Report {number}", tags=("forest",)) for number in range(12)]
    narrow = router(cards, RouterConfig(activate_threshold=0, max_candidates=3))
    first = narrow.route(plan("forest"))
    assert (ids(first), [c.doc_id for c in first.tail]) == ([12, 11, 10], [9, 8, 7])
    assert first.ambiguous
    assert ids(narrow.reroute(plan("forest"), read=ids(first))) == [9, 8, 7, 6, 5, 4]


def test_nothing_and_a_card_without_anything_are_routed():
    assert DocumentRouter(snapshot([])).route(plan("otter")).candidates == ()
    assert ids(router([Card(title="", overview="")], RouterConfig()).route(plan("otter"))) == [1]


def test_a_scope_limits_what_is_considered():
    result = router(ANIMALS).route(plan("animals"), np.array([1, 3, 99]))
    assert (sorted(ids(result)), result.considered) == ([1, 3], 2)


def test_a_reason_says_what_matched():
    cards = [*ANIMALS, report("Ardenor", 2022, tags=("packaging",), overview="Flexible packaging in Zug.")]
    asked = plan("How did packaging do at Ardenor in 2022?", names=("Ardenor",), years=(2022,))
    best = router(cards).route(asked).candidates[0]
    told = "its title says “Ardenor”, “2022”; its topics include “packaging”"
    assert best.reason == f"names “Ardenor”; covers 2022; {told}"
    assert best.matched_fields == ("title", "tags")
    assert set(best.matched_terms) == {"Ardenor", "2022", "packaging"}


def test_a_passage_names_the_telling_words_of_the_question_as_it_writes_them():
    document = compiled("Bomba", paragraph("Cada diez horas se cambian los filtros de la bomba, según el manual."))
    asked = {"filtro": 0.3, "de": 0.3, "la": 0.3, "bomba": 0.2, "manual": 0.05}
    passage = PassageReader([AskedWord(term, share) for term, share in asked.items()]).list_best(document)[0]
    assert passage.words == ("filtros", "bomba")


def test_a_clone_added_later_stands_just_before_the_original():
    original = card("Rivers of Gaul", tags=("rivers", "gaul"), overview="Rhone and Loire.", sections=("Loire", "Rhone"))
    cards = [*ANIMALS, original, original]
    result = linked(cards).route(plan("rivers of Gaul and the Loire", concepts=("rivers",)))
    first, second = result.candidates[:2]
    assert (first.doc_id, second.doc_id) == (6, 5)
    assert 0 < first.score - second.score < 0.001


def test_a_score_means_the_same_in_a_large_corpus():
    alone = [card("Tidal power in Brittany", tags=("tides",))]
    many = alone + [card(f"Chronicle number {number}", tags=("monks",)) for number in range(300)]
    asked = plan("tidal power Brittany tides")
    small = router(alone).route(asked).candidates[0]
    large = router(many).route(asked).candidates[0]
    assert small.doc_id == large.doc_id == 1
    assert abs(small.bm25 - large.bm25) < 0.2


def test_a_linked_document_is_lifted():
    cards = [
        *CHRONICLES,
        card("Kelp forests", tags=SHARED, overview="Sunlight under water."),
        card("Coastal notes", tags=SHARED),
    ]
    result = linked(cards).route(plan("sunlight under water"))
    assert ids(result) == [31, 32]
    assert result.candidates[1].graph > 0
    assert "linked to Kelp forests" in result.candidates[1].reason


def test_links_lower_no_score():
    cards = [card(f"Chronicle {number}", tags=(f"monk{number}",), overview="Of water.") for number in range(20)]
    cards += [card(f"Sunlight {number}", tags=("sunlight", *SHARED)) for number in range(2)]
    cards += [card("Sunlight under water", tags=("sunlight", "water"))]
    alone, with_links = (made(cards).route(plan("sunlight water")) for made in (router, linked))
    assert with_links.candidates[1].graph > 0
    assert with_links.candidates[0].score == alone.candidates[0].score


def test_no_question_word_in_the_corpus_finds_nothing():
    result = router(ANIMALS).route(plan("zymurgy"))
    assert ({candidate.score for candidate in result.candidates}, result.committed) == ({0.0}, None)
    assert result.candidates[0].reason == NOTHING_SAID


@pytest.mark.parametrize("question", ["", "?", "の", "'", '"', "a" * 5000, "(NULL) OR 1=1", "\x00"])
def test_any_text_is_routed_and_names_no_animal(question):
    result = router(ANIMALS).route(plan(question, concepts=(question,), names=(question,)))
    assert (result.committed, {candidate.score for candidate in result.candidates}) == (None, {0.0})


def test_a_second_pass_asks_for_the_gaps_and_follows_what_yielded():
    cards = [
        *CHRONICLES,
        card("Kelp forests", tags=SHARED),
        card("Coastal notes", tags=SHARED),
        card("Salt works", tags=("brine",)),
    ]
    again = linked(cards).reroute(plan("sunlight"), gaps=("brine",), read=(31,), yielded=(31,))
    assert sorted(ids(again)) == [32, 33]


def test_changes_are_seen_by_the_next_router_and_not_by_the_old():
    old = router(ANIMALS)
    row = old.upsert(9, card("Guide to the lynx", tags=("lynx",)))
    new = DocumentRouter(old.snapshot.with_changes([row], version="2"), ACTIVE)
    assert (ids(new.route(plan("lynx"))), new.route(plan("lynx")).index_version) == ([9], "2")
    assert not any(candidate.score for candidate in old.route(plan("lynx")).candidates)
    gone = DocumentRouter(new.snapshot.with_changes([new.remove(9)]), ACTIVE)
    assert 9 not in ids(gone.route(plan("lynx")))


def test_pruning_finds_what_scoring_everything_finds():
    cards = [card(f"Common words {n % 7}", tags=("common", f"rare{n}", f"mid{n % 40}")) for n in range(400)]
    held = snapshot(cards)
    terms = [("common", 1.0), ("word", 0.5), ("mid3", 1.0), ("rare83", 1.0)]
    whole = CardScorer(held, terms)
    everything = whole.gains(held.all_rows()).sum(axis=0)
    rows, scores = whole.best(10)
    best = np.argsort(-everything, kind="stable")[:10]
    assert set(best.tolist()) <= set(rows.tolist())
    assert np.allclose(scores, everything[rows])


def test_a_document_for_each_name_that_is_compared_comes_first():
    reports = [report(name, year) for name in ("Corvane", "Belmar", "Dunlow") for year in range(2010, 2020)]
    result = router(reports).route(plan("revenue of Corvane, Belmar and Dunlow", names=("Corvane", "Belmar", "Dunlow")))
    titles = [reports[number - 1].title.split()[0] for number in ids(result)[:3]]

    assert sorted(titles) == ["Belmar", "Corvane", "Dunlow"]
    assert result.committed is None


def test_the_words_that_chose_the_document_are_told():
    cards = [report("Acme", 2021), report("Acme", 2022), *ANIMALS]
    asked = understand("What was the revenue of Acme in the latest annual report?")
    assert {"acm", "latest"} <= set(router(cards).route(asked).steering_terms)
    assert router(ANIMALS).route(understand("Where does the heron nest?")).steering_terms == ()


def test_words_that_no_document_knows_lower_every_score_and_no_order():
    known, unknown = plan("otter river"), plan("otter river zebra quagga okapi")
    first, second = (router(ANIMALS).route(asked) for asked in (known, unknown))
    assert ids(first) == ids(second)
    assert second.candidates[0].score < 0.6 * first.candidates[0].score


def test_two_documents_are_not_linked_by_numbers_and_common_words():
    held = [card(f"Note {number}", tags=("1.1", "after hours", "heron")) for number in range(12)]
    held += [card("Weir one", tags=("1.1", "eel ladder", "weir")), card("Weir two", tags=("1.1", "eel ladder", "weir"))]
    links = links_for(held[-1], snapshot(held), doc_id=len(held))
    assert [other for other, _, _ in links] == [len(held) - 1]
    assert "1.1" not in links[0][2]


def test_a_link_weighs_what_share_of_the_rare_keywords_two_documents_have_in_common():
    others = [card(f"Note {number}", tags=(f"heron {number}",)) for number in range(10)]
    own = ("eel", "weir", "sluice", "otter", "reed", "alder")
    held = [*others, card("Rivers", tags=own), card("Fishing", tags=("eel", "weir")), card("Copy", tags=own)]
    weights = {other: weight for other, weight, _ in links_for(held[10], snapshot(held), doc_id=11)}
    assert weights.keys() == {12, 13} and weights[13] > 0.9 and weights[12] < 0.4


def test_the_first_few_documents_are_not_linked_by_whatever_they_share():
    held = [card(f"Note {number}", tags=("before", "after", "ask")) for number in range(2)]
    assert links_for(held[1], snapshot(held[:1]), doc_id=2) == []
