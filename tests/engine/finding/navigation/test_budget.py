"""One budget per run: every limit at, below and above, settled once, safe under threads."""

import threading

import pytest

from vectorless_web.engine.finding.navigation import PilotBudget, Refusal
from vectorless_web.engine.llm.budget import Reservation


def budget(**limits):
    return PilotBudget(**{"tokens": 1000, "tokens_per_call": 400, "calls": 5, "calls_per_level": 5, **limits})


@pytest.mark.parametrize(("tokens", "granted"), [(399, True), (400, True), (401, False)])
def test_the_tokens_of_one_call_are_limited(tokens, granted):
    assert isinstance(budget().reserve(tokens), Reservation) is granted


@pytest.mark.parametrize(("tokens", "granted"), [(199, True), (200, True), (201, False)])
def test_the_tokens_of_a_run_are_limited(tokens, granted):
    spent = budget()
    for level in range(2):
        spent.settle(spent.reserve(400, level=level), tokens=400)
    assert isinstance(spent.reserve(tokens), Reservation) is granted


@pytest.mark.parametrize(("before", "granted"), [(3, True), (4, True), (5, False)])
def test_the_calls_of_a_run_are_limited(before, granted):
    spent = budget(tokens=10_000)
    for level in range(before):
        spent.settle(spent.reserve(10, level=level))
    assert isinstance(spent.reserve(10, level=99), Reservation) is granted


@pytest.mark.parametrize(("before", "granted"), [(0, True), (1, True), (2, False)])
def test_the_calls_at_one_level_are_limited_and_other_levels_are_not_touched(before, granted):
    spent = budget(calls_per_level=2)
    for _ in range(before):
        spent.settle(spent.reserve(10, level=3))
    assert isinstance(spent.reserve(10, level=3), Reservation) is granted
    assert isinstance(spent.reserve(10, level=4), Reservation)


def test_the_levels_of_different_walks_are_counted_apart():
    spent = budget(calls_per_level=1)
    assert isinstance(spent.reserve(10, level=("walk 1", 0)), Reservation)
    assert isinstance(spent.reserve(10, level=("walk 2", 0)), Reservation)
    assert isinstance(spent.reserve(10, level=("walk 1", 0)), Refusal)


def test_a_refusal_says_which_limit_in_words():
    assert "consultations of this run" in budget(calls=0).reserve(1).reason
    assert "at this level" in budget(calls_per_level=0).reserve(1).reason
    assert "one consultation" in budget().reserve(500).reason
    assert "tokens for guidance" in budget(tokens=10).reserve(20).reason
    assert "money" in budget(money_usd=0.0).reserve(1).reason


def test_held_tokens_count_until_they_are_settled():
    spent = budget(tokens=500)
    held = spent.reserve(300)
    assert isinstance(spent.reserve(300, level=1), Refusal)
    spent.settle(held, tokens=100)
    assert isinstance(spent.reserve(401, level=1), Refusal)
    assert isinstance(spent.reserve(300, level=1), Reservation)


def test_settling_twice_changes_nothing():
    spent = budget()
    held = spent.reserve(100)
    spent.settle(held, tokens=50)
    spent.settle(held, tokens=50)
    assert spent.spending.tokens == 50


def test_an_unknown_spend_counts_as_all_that_was_held():
    spent = budget()
    spent.settle(spent.reserve(100))
    assert spent.spending.tokens == 100


def test_a_reply_that_used_more_than_was_held_is_counted_in_full_and_stops_further_calls():
    spent = budget()
    spent.settle(spent.reserve(100), tokens=50_000)
    assert spent.spending.tokens == 50_000
    assert spent.is_spent
    assert isinstance(spent.reserve(1, level=9), Refusal)


def test_money_stops_before_a_call_as_dear_as_the_dearest_would_overdraw():
    spent = budget(money_usd=1.0)
    spent.settle(spent.reserve(10), tokens=10, cost_usd=0.4)
    spent.settle(spent.reserve(10, level=1), tokens=10, cost_usd=0.4)
    assert isinstance(spent.reserve(10, level=2), Refusal)
    assert spent.is_spent


def test_a_fresh_budget_is_not_spent_and_one_without_calls_is():
    assert not budget().is_spent
    assert budget(calls=0).is_spent


def test_eight_threads_never_overdraw_together():
    spent = budget(tokens=1000, tokens_per_call=10, calls=70, calls_per_level=1000)
    granted, barrier = [], threading.Barrier(8)

    def walk(number):
        barrier.wait()
        for turn in range(50):
            held = spent.reserve(10, level=(number, turn))
            if isinstance(held, Reservation):
                granted.append(held.number)
                spent.settle(held, tokens=10)

    threads = [threading.Thread(target=walk, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == len(set(granted)) == 70
    assert spent.spending.made == 70
    assert spent.spending.tokens == 700
    assert spent.spending.held_tokens == 0
