"""The presets, and when asking pays."""

import pytest

from tests.support.trees import plan, tree_of
from vectorless_web.engine.finding.navigation import InterventionPoint, PilotConfig, PilotMode, SearchState
from vectorless_web.engine.finding.navigation.pilot import (
    is_worth_asking,
    needs_prefilter,
    needs_pruning,
    scores_are_close,
)


def test_the_algorithm_alone_asks_nobody():
    config = PilotConfig.preset(PilotMode.ALGORITHM_ONLY)
    assert not config.asks
    assert not is_worth_asking(fork(6), config)
    assert not needs_pruning(1000, config)


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="reckless"):
        PilotConfig.preset("reckless")


def test_every_preset_prunes_what_the_prefilter_leaves_so_that_pruning_can_happen():
    for config in map(PilotConfig.preset, ("balanced", "high_quality", "low_cost")):
        assert config.prefilter > config.prune_above > config.prune_keep


def fork(count, *, scores=None, **fields):
    tree = tree_of([("Part", [(f"Section {number}", ["text"]) for number in range(count)])])
    keys = tuple(tree.child_sections(1))
    given = scores or tuple(0.9 if place == 0 else 0.5 for place in range(count))
    settings = {"path": (1,), "iteration": 1, "scores": given, **fields}
    return SearchState(tree, plan(), candidates=keys, **settings)


def test_a_fork_of_two_is_left_alone_and_a_fork_of_four_is_asked_about():
    config = PilotConfig()
    assert not is_worth_asking(fork(2), config)
    assert is_worth_asking(fork(4), config)


def test_closeness_compares_the_two_best_scores():
    assert scores_are_close([0.5, 0.55, 0.52], 0.15)
    assert not scores_are_close([0.3, 0.8], 0.15)
    assert not scores_are_close([0.5], 0.15)
    # A best score that happens to equal the gap says nothing about closeness.
    assert not scores_are_close([0.15, 0.9], 0.15)


def test_close_or_weak_scores_make_a_small_fork_worth_asking():
    config = PilotConfig()
    assert is_worth_asking(fork(2, scores=(0.52, 0.55)), config)
    assert is_worth_asking(fork(2, scores=(0.25, 0.05)), config)
    assert not is_worth_asking(fork(2, scores=(0.8, 0.3)), config)


def test_a_section_that_was_entered_is_judged_and_an_only_child_is_walked_into():
    assert is_worth_asking(fork(0), PilotConfig())
    assert not is_worth_asking(fork(1), PilotConfig())


def test_nothing_is_asked_too_deep_in_the_tree():
    config = PilotConfig(max_depth=3)
    assert is_worth_asking(fork(4, depth=3), config)
    assert not is_worth_asking(fork(4, depth=4), config)


def test_fifteen_candidates_pass_and_sixteen_are_cut():
    config = PilotConfig()
    assert not needs_prefilter(15, config)
    assert needs_prefilter(16, config)


def test_ten_children_pass_and_eleven_are_pruned():
    config = PilotConfig()
    assert not needs_pruning(10, config)
    assert needs_pruning(11, config)


def test_the_points_of_intervention_have_their_precedence():
    assert fork(4).point is InterventionPoint.FORK
    assert fork(4, iteration=0).point is InterventionPoint.START
    assert fork(4, path=()).point is InterventionPoint.START
    assert fork(4, is_backtracking=True).point is InterventionPoint.BACKTRACK
    assert fork(4, iteration=0, is_backtracking=True).point is InterventionPoint.START
    assert fork(1).point is InterventionPoint.EVALUATE
