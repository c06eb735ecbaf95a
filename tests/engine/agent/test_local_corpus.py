"""Files as a corpus: what was compiled before is opened, and compiled again when it cannot be."""

from vectorless_web.engine.agent.local_corpus import LocalCorpus


def test_a_damaged_file_of_the_cache_is_compiled_again(tmp_path):
    file, cache = tmp_path / "note.txt", tmp_path / "cache"
    file.write_text("The harbour has four cranes.\n")
    LocalCorpus([file], cache=cache)
    (kept,) = cache.iterdir()
    sound = kept.read_bytes()
    for damaged in (b"", sound[:100], sound[:-9] + b"elsewhere"):
        kept.write_bytes(damaged)
        assert "four cranes" in LocalCorpus([file], cache=cache).open("1").page_text(0)
        assert kept.read_bytes() == sound
    assert list(cache.iterdir()) == [kept]
