"""The container: what was written comes back as blocks, and what was altered is refused."""

import pytest

from vectorless_web.engine.documents.container import Container, map_file, write_container

MAGIC = b"TESTFILE"
BLOCKS = {"odd": b"abc", "none": b"", "numbers": bytes(range(16))}


def opened(data, magic=MAGIC):
    return Container.open(data, magic=magic, damage=ValueError)


@pytest.mark.parametrize("align", [8, 64])
def test_blocks_come_back_at_their_alignment(align):
    data = write_container(MAGIC, {"about": "a test"}, BLOCKS, align=align)
    file = opened(data)
    assert {name: bytes(file[name]) for name in BLOCKS} == BLOCKS
    assert file.facts["about"] == "a test"
    assert data.index(BLOCKS["numbers"]) % align == 0
    assert file.array("numbers", "<u4").tolist()[0] == 0x03020100


def test_equal_blocks_are_equal_bytes_with_one_digest():
    one, other = (write_container(MAGIC, {"about": "a test"}, dict(BLOCKS)) for _ in range(2))
    assert one == other
    assert opened(one).digest == opened(other).digest
    assert opened(write_container(MAGIC, {"about": "a test"}, {**BLOCKS, "odd": b"abd"})).digest != opened(one).digest


@pytest.mark.parametrize("place", range(0, 320, 7))
def test_a_byte_that_was_altered_is_noticed(place):
    data = bytearray(write_container(MAGIC, {}, {"odd": b"abc" * 50}))
    place %= len(data)
    data[place] ^= 1
    with pytest.raises(ValueError, match=r"damaged|layout|length"):
        opened(bytes(data)).verify()


@pytest.mark.parametrize("size", [0, 5, 60, -1])
def test_a_file_that_was_cut_is_refused(size):
    with pytest.raises(ValueError, match=r"cut short|damaged|length"):
        opened(write_container(MAGIC, {}, BLOCKS)[:size])


def test_a_file_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="directory"):
        opened(write_container(MAGIC, {}, BLOCKS), magic=b"OTHER...")


def test_a_block_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no block card"):
        opened(write_container(MAGIC, {}, BLOCKS))["card"]


def test_an_empty_file_cannot_be_mapped(tmp_path):
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match="empty"):
        map_file(tmp_path / "empty", ValueError)
