"""The cache when Redis is away: no request fails, and every limit goes on counting."""

from collections.abc import Iterator

import pytest

from tests.conftest import await_fresh_minute
from vectorless_web.infra.site.patient_redis import PatientRedisCache

AWAY = {
    "default": {
        "BACKEND": "vectorless_web.infra.site.patient_redis.PatientRedisCache",
        "LOCATION": "unix:///nowhere/redis.sock",
    }
}


@pytest.fixture
def lonely() -> Iterator[PatientRedisCache]:
    """A cache whose Redis does not answer."""
    cache = PatientRedisCache("unix:///nowhere/redis.sock", {})
    cache.clear()
    yield cache
    cache.clear()


def test_what_is_stored_counted_and_locked_without_redis_is_found_by_this_process(lonely):
    assert lonely.get("tries", 0) == 0
    lonely.set("tries", [1.5], 60)
    assert lonely.get("tries") == [1.5]
    assert lonely.delete("tries")
    assert lonely.get("tries") is None

    assert [lonely.add("lock", True, 10), lonely.add("lock", True, 10)] == [True, False]

    lonely.add("count", 0, 60)
    assert [lonely.incr("count"), lonely.incr("count"), lonely.decr("count")] == [1, 2, 1]
    with pytest.raises(ValueError, match="not found"):
        lonely.incr("unset")


@pytest.mark.django_db
def test_guessing_passwords_is_limited_without_redis(client, settings, alice):
    settings.CACHES = AWAY
    await_fresh_minute(needed=5)
    for _ in range(6):
        answer = client.post("/accounts/login/", {"login": "alice", "password": "a wrong guess"})
    assert "Too many failed" in answer.content.decode()
    right = client.post("/accounts/login/", {"login": "alice", "password": "correct horse battery"})
    assert "_auth_user_id" not in client.session, right.status_code
