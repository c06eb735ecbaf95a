"""Whole numbers that forms and addresses hold."""

LARGEST = 10**15 - 1
"""Larger numbers name no row, and databases refuse them with an error of their own."""


def parse_whole_number(text: str | None) -> int | None:
    """The whole number from 0 to LARGEST that a text holds, or None."""
    digits = (text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
