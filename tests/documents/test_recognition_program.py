"""The program that recognises text is given little, watched, and replaced by a sentence when it is not there."""

import time

import pytest

from tests.support.scans import grey, page, program
from vectorless_web.documents.compiling.tesseract import Tesseract, find_recogniser, read_table
from vectorless_web.engine.errors import RecognitionFailed
from vectorless_web.engine.parsing.scans.recognition import NoRecogniser


def reader(folder, script: str, *, seconds: float = 5.0) -> Tesseract:
    return Tesseract(str(program(folder, script)), "", "eng", seconds)


def why(recogniser) -> RecognitionFailed:
    with pytest.raises(RecognitionFailed) as failed:
        recogniser.read_words(grey(page()))
    return failed.value


def test_a_program_that_hangs_is_ended_in_time(tmp_path):
    begun = time.monotonic()
    failure = why(reader(tmp_path, "exec sleep 60", seconds=0.5))

    assert failure.message == "text recognition took longer than 0.5 s"
    assert time.monotonic() - begun < 5


def test_a_program_that_fails_fails_the_page(tmp_path):
    assert "exit code -11" in why(reader(tmp_path, "cat > /dev/null; kill -SEGV $$")).message

    assert "exit code 3" in why(reader(tmp_path, "exit 3")).message

    assert "cannot be started" in why(Tesseract(str(tmp_path / "nothing"), "", "eng", 5)).message


def test_a_missing_language_is_told_by_its_name(tmp_path):
    (tmp_path / "eng.traineddata").write_bytes(b"")
    script = "cat > /dev/null; echo \"Failed loading language 'deu'\" >&2; exit 1"
    failure = why(Tesseract(str(program(tmp_path, script)), "", "eng+deu", 5))

    assert failure.code == "recognition_missing"
    assert failure.message == "text recognition lacks the data of a language of “eng+deu”"


def test_languages_that_are_not_there_are_told_before_any_page():
    for languages, sentence in (
        ("eng+deu", "lacks the data of the language “deu”"),
        ("eng; rm -rf", "names no languages"),
        ("", "names no lang"),
    ):
        found = find_recogniser(languages=languages, seconds=5)

        assert isinstance(found, NoRecogniser)
        assert sentence in found.why


def test_the_program_sees_no_secret_and_one_thread(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "a secret")
    seen = tmp_path / "seen"
    reader(tmp_path, f"cat > /dev/null; env > {seen}").read_words(grey(page()))

    assert "SECRET_KEY" not in seen.read_text()
    assert "OMP_THREAD_LIMIT=1" in seen.read_text()


def test_the_program_has_limits_of_memory_and_time(tmp_path):
    seen = tmp_path / "seen"
    reader(tmp_path, f"cat > /dev/null; ulimit -v > {seen}; ulimit -t >> {seen}").read_words(grey(page()))

    assert seen.read_text().split() == [str(2**20), "6"]


def test_lines_that_are_no_words_are_passed_over():
    table = (
        "level\tpage_num\n5\t1\t1\t1\t1\t1\t10\t20\t30\t8\t91.6\tFees\n4\t1\t1\t1\t1\t0\t1\t1\t1\t1\t-1\t\n5\t1\tbroken"
    )
    (word,) = read_table(table)

    assert (word.text, word.left, word.top, word.right, word.bottom) == ("Fees", 10, 20, 40, 28)
    assert word.confidence == 92
