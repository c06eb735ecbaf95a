"""The offline pilot: words, subtree evidence, numbered references, reasons."""

from tests.support.trees import SegmentScorer, index_of, plan, tree_of
from vectorless_web.engine.finding.navigation import JumpTo, LexicalPilot, PilotConfig, SearchState
from vectorless_web.engine.finding.navigation.lexical import names_label

TREE = tree_of(
    [
        ("Risk factors", ["Competition may harm us."]),
        (
            "Financial statements",
            [("Cash flows", ["Capital expenditures were 1,577 million."]), ("Equity", ["Shares."])],
        ),
        (("Note 7", "Note 7: Property"), ["Plants and machines."]),
        (("Note 12", "Note 12: Leases"), ["Leases."]),
        (("Item 1A", "Item 1A. Weather"), ["Rain."]),
    ]
)


def pilot(question="What were the capital expenditures?"):
    return LexicalPilot(SegmentScorer(TREE, index_of(TREE), plan(question)))


def start(question="What were the capital expenditures?"):
    return SearchState.below(TREE, plan(question))


def title(decision, place=0):
    return TREE.node(decision.ranked_candidates[place].node).title


def test_a_section_is_ranked_by_what_stands_deep_inside_it():
    decision = pilot().decide(start())
    assert title(decision) == "Financial statements"
    assert decision.confidence > 0.5
    assert "holds all of the question's words" in decision.ranked_candidates[0].reason
    assert "page 6" in decision.ranked_candidates[0].reason


def test_without_a_scorer_titles_speak():
    decision = LexicalPilot().decide(start("How did cash and equity and financial statements change?"))
    assert title(decision) == "Financial statements"
    assert "financial" in decision.ranked_candidates[0].reason.lower()


def test_every_candidate_gets_a_reason():
    assert all(ranked.reason for ranked in pilot().decide(start()).ranked_candidates)
    assert pilot().decide(start()).ranked_candidates[-1].reason == "nothing in it speaks of the question"


def test_a_numbered_reference_is_known_and_its_number_must_agree():
    for name, expected in (("Note 7", "Note 7: Property"), ("Note 12", "Note 12: Leases"), ("item 1a", "Item 1A")):
        decision = pilot().decide(start(f"What does {name} say?"))
        assert title(decision).startswith(expected)
        assert decision.ranked_candidates[0].reason == "the question calls it by its number"


def test_note_1_is_not_note_12():
    ranked = pilot().decide(start("What does Note 1 say?")).ranked_candidates
    assert not any("number" in candidate.reason for candidate in ranked)


def test_the_start_jumps_to_the_one_section_the_question_names():
    decision = pilot().guide_start(TREE, plan("What does Note 7 say?"), 0)
    assert isinstance(decision.direction, JumpTo)
    assert TREE.node(decision.direction.target).label == "Note 7"


def test_a_label_counts_only_as_a_whole_and_never_as_a_bare_number():
    note = next(key for key in range(len(TREE)) if TREE.node(key).label == "Note 7")
    assert names_label(TREE, note, ["see", "note", "7"])
    assert not names_label(TREE, note, ["note", "12", "7"])
    plain = tree_of([("7", ["Seven."]), ("3.2 Leave", ["Rest."]), ("Leases 2019", ["Old."])])
    assert [names_label(plain, key, ["year", "7", "leas", "2019"]) for key in (1, 3, 5)] == [False, False, True]


def test_pruning_keeps_what_has_evidence_and_has_no_opinion_when_nothing_has():
    state = start()
    kept = pilot().binary_prune(state)
    assert [TREE.node(key).title for key in kept] == ["Financial statements"]
    assert pilot("Zebras?").binary_prune(start("Zebras?")) is None


def test_the_same_state_gets_the_same_answer():
    assert pilot().decide(start()) == pilot().decide(start())


def test_backtracking_says_what_the_failed_branch_covered():
    first = TREE.child_sections(0)[0]
    state = SearchState(
        TREE, plan(), path=(first,), candidates=tuple(TREE.child_sections(0)[1:]), iteration=2, is_backtracking=True
    )
    decision = pilot().guide_backtrack(state)
    assert decision.reasoning == "Risk factors holds hardly any of the question's words"
    assert title(decision) == "Financial statements"


def test_the_algorithm_alone_silences_it():
    silent = LexicalPilot(config=PilotConfig.preset("algorithm_only"))
    assert not silent.is_active
    assert silent.guide_start(TREE, plan(), 0) is None
    assert silent.binary_prune(start()) is None


def test_without_any_evidence_it_has_no_confidence():
    decision = pilot("Zebras?").decide(start("Zebras?"))
    assert decision.confidence == 0.0
    assert decision.reasoning == "No section speaks of the question"
