"""The compiler's name changes when, and only when, what it writes changes."""

import hashlib

import pytest

from tests.engine.documents import golden
from tests.engine.documents.test_artefact import PARTS
from tests.support.artefact_rewriting import rewritten
from vectorless_web.engine.documents import artefact, container
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument, fingerprint, write_artefact
from vectorless_web.engine.errors import ArtefactDamaged

RECORD = (
    "Run `make fingerprint`: it gives the compiler another ENGINE_VERSION, so that stored documents are read again."
)


def written(**facts) -> bytes:
    """The artefact of PARTS with other facts in its directory."""
    return rewritten(write_artefact(PARTS), **facts)


def with_card(card: bytes, **facts) -> bytes:
    """The artefact of PARTS with other bytes for its card, and sound checksums."""
    blocks = {**dict(artefact._blocks(PARTS)), "card": card}
    return container.write_container(artefact._MAGIC, {**artefact._facts(PARTS), **facts}, blocks)


def test_the_compiler_writes_what_is_recorded_under_its_name():
    # Each process has a hash seed of its own, so that bytes which hung on it would differ, too.
    measured, recorded = golden.measured(), golden.recorded()
    changed = [name for name, digest in measured["artefacts"].items() if recorded["artefacts"].get(name) != digest]
    assert not changed, f"What the compiler makes of {', '.join(changed)} has changed. {RECORD}"
    assert measured == recorded, f"Libraries or known documents have changed. {RECORD}"


def test_the_name_comes_from_what_is_recorded_alone():
    digest = hashlib.sha256(golden.RECORDED.read_bytes()).hexdigest()
    assert digest[:12] == ENGINE_VERSION
    assert CompiledDocument(write_artefact(PARTS)).engine == ENGINE_VERSION


def test_the_fingerprint_holds_everything_but_the_name():
    assert fingerprint(written(engine="1")) == fingerprint(write_artefact(PARTS))
    assert fingerprint(written(title="Other")) != fingerprint(write_artefact(PARTS))
    assert fingerprint(with_card(b"{}")) != fingerprint(write_artefact(PARTS))


@pytest.mark.parametrize("engine", ["1", "from the future"])
def test_what_another_compiler_wrote_in_the_same_layout_can_be_read(engine):
    document = CompiledDocument(written(engine=engine, format=None if engine == "1" else container.FORMAT))
    document.verify()
    assert document.engine == engine
    assert document.card == PARTS.card


def test_another_layout_is_not_read():
    with pytest.raises(ArtefactDamaged, match="another layout"):
        CompiledDocument(written(format=container.FORMAT + 1))


def test_sound_bytes_that_this_program_does_not_understand_are_noticed_on_trial():
    newer = with_card(b'{"title":"Buoys","mood":"calm"}', engine="newer")
    with pytest.raises(ArtefactDamaged, match="another version"):
        CompiledDocument(newer).verify()
    with pytest.raises(ArtefactDamaged, match="another version"):
        CompiledDocument(written(engine="newer", nodes=77)).verify()
    without = {name: block for name, block in artefact._blocks(PARTS) if name != "report"}
    with pytest.raises(ArtefactDamaged, match="no block report"):
        facts = {**artefact._facts(PARTS), "engine": "older"}
        CompiledDocument(container.write_container(artefact._MAGIC, facts, without)).verify()


def test_verifying_finds_an_altered_byte_in_every_block():
    data = write_artefact(PARTS)
    blocks = dict(artefact._blocks(PARTS))
    for block in filter(None, blocks.values()):
        place = data.rindex(block)
        with pytest.raises(ArtefactDamaged):
            CompiledDocument(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]).verify()
