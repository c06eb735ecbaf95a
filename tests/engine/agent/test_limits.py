"""The wall clock of a run: where time was up is told, and a replay takes it over without reading a clock."""

from hypothesis import given
from hypothesis import strategies as st

from vectorless_web.engine.agent.limits import Deadline, Late, Place


class Clock:
    """Moves on by a step with every reading."""

    def __init__(self, step: float = 1.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_time_is_up_from_the_limit_on_and_its_places_are_told():
    deadline = Deadline(Clock(), 2.5)
    assert [deadline.is_up(Place(1, step)) for step in range(4)] == [False, False, True, True]
    assert deadline.late == (Late(Place(1, 2)), Late(Place(1, 3)))


@given(st.integers(1, 30), st.integers(1, 30))
def test_a_search_that_ran_out_at_a_reading_runs_out_at_the_same_one_again(most, readings):
    deadline = Deadline(Clock(0.5), 1000.0)
    clock, seconds = deadline.search(Place(1, 0), float(most))
    read = [clock() for _ in range(readings)]
    over = [at - read[0] >= seconds for at in read]
    again = Deadline(lambda: 0.0, 1000.0, told=deadline.late)
    clock, seconds = again.search(Place(1, 0), float(most))
    repeated = [clock() for _ in range(readings)]
    assert [any(over[: place + 1]) for place in range(readings)] == [
        at - repeated[0] >= seconds if over[0] is False else True for at in repeated
    ]


def test_a_search_never_takes_longer_than_the_run_has_left():
    deadline = Deadline(Clock(), 10.0)
    deadline.is_up(Place(1, 0))
    assert deadline.search(Place(1, 1), 20.0)[1] <= 9.0
