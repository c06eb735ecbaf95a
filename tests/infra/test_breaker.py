"""A Redis that hangs is asked once in a while, and left alone in between."""

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from vectorless_web.infra.site.patient_redis import Breaker, RedisLeftAlone


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock) -> Breaker:
    return Breaker(rest_seconds=4, clock=clock)


def ask(breaker: Breaker, error: Exception | None = None) -> bool:
    with breaker.guard():
        if error is not None:
            raise error
    return True


def test_after_a_time_out_nobody_asks_until_the_rest_is_over(breaker, clock):
    with pytest.raises(RedisTimeoutError):
        ask(breaker, RedisTimeoutError())
    clock.now += 3.9
    with pytest.raises(RedisLeftAlone):
        ask(breaker)
    clock.now += 0.2
    assert ask(breaker)
    assert ask(breaker)


def test_one_caller_tries_again_and_the_others_are_spared_meanwhile(breaker, clock):
    with pytest.raises(TimeoutError):
        ask(breaker, TimeoutError())
    clock.now += 5
    with breaker.guard(), pytest.raises(RedisLeftAlone):
        ask(breaker)
    assert ask(breaker)


def test_a_refused_connection_is_quick_and_changes_nothing(breaker):
    with pytest.raises(RedisConnectionError):
        ask(breaker, RedisConnectionError())
    assert ask(breaker)
