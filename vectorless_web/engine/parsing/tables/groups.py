"""Groups of rows: which labels each row stands under."""

import re

_TOTAL = re.compile(r"^(?:sub-?)?totals?\b", re.IGNORECASE)
_WORDS = re.compile(r"(?!total|and|of|the|net\b)[^\W\d_]{3,}")


class RowPaths:
    """Which labels a row stands under: labels without figures, by indent; a total closes its group."""

    def __init__(self) -> None:
        self._open: list[tuple[float, str]] = []

    @property
    def depth(self) -> int:
        """How many groups are open."""
        return len(self._open)

    def enter(self, label: str, left: float, *, has_figures: bool) -> tuple[str, ...]:
        """The labels above a row; a row without figures opens a group of its own."""
        while self._open and label and left < self._open[-1][0] - 1.5:
            self._open.pop()
        if not has_figures:
            while self._open and left <= self._open[-1][0] + 1.5:
                self._open.pop()
        path = tuple(text for indent, text in self._open if indent <= left + 1.5 or not label)
        if not has_figures and label:
            self._open.append((left, label))
        elif has_figures and self._open and (not label or _TOTAL.match(label)):
            self._close(label)
        return path

    def _close(self, label: str) -> None:
        """Close the group whose total this is: the one that it names, else the innermost."""
        words = set(_WORDS.findall(label.casefold()))
        named = [place for place, (_, text) in enumerate(self._open) if words & set(_WORDS.findall(text.casefold()))]
        del self._open[named[-1] if named else len(self._open) - 1 :]
