"""Numbers of list items as they are printed: decimal, letters, Roman."""

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_LARGEST_ROMAN, _LARGEST_LETTERS = 3_999, 26 * 30


def counted(number: int, form: str) -> str:
    """A number in the form "a", "A", "i", "I" or "1"; what a form cannot say is said in figures."""
    if form in ("i", "I") and 0 < number <= _LARGEST_ROMAN:
        return roman(number) if form == "i" else roman(number).upper()
    if form in ("a", "A") and 0 < number <= _LARGEST_LETTERS:
        return letters(number) if form == "a" else letters(number).upper()
    return str(number)


def roman(number: int) -> str:
    """A number from 1 to 3,999 in small Roman numerals."""
    said = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        said += sign * count
    return said


def letters(number: int) -> str:
    """a to z, then aa to zz, then aaa: as word processors count on."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
