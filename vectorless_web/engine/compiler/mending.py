"""Mends words that a PDF broke or glued, by the words the rest of the document uses."""

import re
from collections import Counter
from collections.abc import Iterable

# Marks that may cling to a word; stripping them is quicker than matching words.
_MARKS = ".,:;()[]\"'“”‘’"
_WORD = re.compile(r"[^\W\d_]+")
_GLUED = re.compile(r"([a-zß-ÿ])([A-ZÀ-Þ])")
_LETTERS = re.compile(r"(?:(?<=\s)|^)(?:[^\W\d_] ){3,}[^\W\d_](?=\s|$|[.,:;])")
_TIMES = 5


class Vocabulary:
    """How often each word stands in a document, whatever its case."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts: Counter[str] = Counter()
        for text in texts:
            self._counts.update([word.strip(_MARKS) for word in text.casefold().split()])

    def mend(self, text: str) -> str:
        """The text with letter-spaced and broken words joined and glued words parted."""
        text = _LETTERS.sub(lambda match: match.group().replace(" ", ""), text)
        words = text.split(" ")
        position = 0
        while position + 1 < len(words):
            if self._broken(words[position], words[position + 1]):
                words[position : position + 2] = [words[position] + words[position + 1]]
            else:
                position += 1
        return " ".join(self._parted(word) for word in words)

    def _broken(self, first: str, second: str) -> bool:
        if not (first.isalpha() and second.rstrip(".,:;)").isalpha()):
            return False
        left, right = first.casefold(), second.rstrip(".,:;)").casefold()
        rarer = min(self._counts[left], self._counts[right])
        return self._counts[left + right] >= _TIMES * max(rarer, 1)

    def _parted(self, word: str) -> str:
        for match in _GLUED.finditer(word):
            left, right = _last(word[: match.end(1)]), _first(word[match.end(1) :])
            seldom = self._counts[(left + right).casefold()] * _TIMES
            if seldom < min(self._counts[left.casefold()], self._counts[right.casefold()]) and len(left) > 1 < len(
                right
            ):
                return f"{word[: match.end(1)]} {word[match.end(1) :]}"
        return word


def _last(text: str) -> str:
    return next(reversed(_WORD.findall(text)), "")


def _first(text: str) -> str:
    return next(iter(_WORD.findall(text)), "")
