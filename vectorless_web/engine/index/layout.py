"""The byte layout of a segment: little-endian on every machine, every array aligned to 8 bytes.

header | field names | keys[N] | lengths[N][F] | totals[F] | filled[F] | term offsets[T+1] |
terms (UTF-8, ascending) | entry starts[T+1] | document frequencies[T] | entry rows[E] |
entry cells[E] | overflow positions[O] | overflow counts[O]

An entry says how often a term stands in one field of one row. Its cell packs the field into
the low bits and the count above them; a count too large for the cell is held as overflow.
Entries of a term ascend by row, then by field. Keys ascend.
"""

import struct
from dataclasses import dataclass

MAGIC = b"VWSEG\x00\x00\x02"
HEADER = struct.Struct("<8s32sIIIIIBBBB" + "Q" * 13)
ALIGNMENT = 8
SECTIONS = (
    "names",
    "keys",
    "lengths",
    "totals",
    "filled",
    "term_offsets",
    "terms",
    "starts",
    "frequencies",
    "rows",
    "cells",
    "overflow_positions",
    "overflow_counts",
)
FIXED_TYPES = {"totals": "<u8", "filled": "<u8", "term_offsets": "<u4", "starts": "<u4", "cells": "<u1"}
OVERFLOW_TYPE = "<u4"


@dataclass(frozen=True, slots=True)
class Header:
    """Sizes and types of one segment; `offsets[i]` is where `SECTIONS[i]` begins.

    `field_bits` low bits of a cell name the field; `key_bytes`, `row_bytes` and
    `length_bytes` are the widths of keys, row numbers (document frequencies too) and
    field lengths.
    """

    analyser: str
    rows: int
    fields: int
    terms: int
    entries: int
    overflow: int
    field_bits: int
    key_bytes: int
    row_bytes: int
    length_bytes: int
    offsets: tuple[int, ...]

    def pack(self) -> bytes:
        """The header's bytes."""
        widths = (self.field_bits, self.key_bytes, self.row_bytes, self.length_bytes)
        sizes = (self.rows, self.fields, self.terms, self.entries, self.overflow)
        return HEADER.pack(MAGIC, self.analyser.encode(), *sizes, *widths, *self.offsets)

    @classmethod
    def unpack(cls, buffer: memoryview) -> "Header":
        """Read a header; ValueError when the bytes are no segment of this layout."""
        if len(buffer) < HEADER.size or bytes(buffer[:8]) != MAGIC:
            raise ValueError("These bytes are not an index segment of this version.")
        values = HEADER.unpack_from(buffer)
        return cls(values[1].rstrip(b"\x00").decode(), *values[2:11], offsets=tuple(values[11:]))  # type: ignore[misc]


def count_cap(field_bits: int) -> int:
    """The count that a cell of one byte holds for "look into the overflow"."""
    return 0xFF >> field_bits


def width(greatest: int) -> int:
    """Bytes of the narrowest unsigned type that holds `greatest`: 2, 4 or 8."""
    if greatest <= 0xFFFF:
        return 2
    return 4 if greatest <= 0xFFFFFFFF else 8
