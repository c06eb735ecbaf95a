"""A worker that has loaded what it needs keeps it out of garbage collection."""

import gc

import pytest

from vectorless_web.infra.queues.jobs import COLLECTING, freeze_memory


@pytest.fixture(autouse=True)
def collecting_as_before():
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def test_what_is_loaded_is_kept_out_and_collections_are_rare():
    freeze_memory()
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == COLLECTING
