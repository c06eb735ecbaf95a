"""Token estimates without a tokenizer: pure, fast, on the safe side."""

import math
from typing import Protocol


class TokenEstimator(Protocol):
    """Estimates how many tokens a model will count for a text."""

    def estimate(self, text: str) -> int:
        """Tokens in `text`; 0 for the empty string."""
        ...


class HeuristicEstimator:
    """ceil(ASCII characters / 4) + ceil(other characters / 1.5), counting code points.

    Source: the rule of thumb for BPE vocabularies, about four English characters a token
    and one or two of other scripts; no tokenizer is asked.
    """

    def estimate(self, text: str) -> int:
        """Tokens in `text`; pure, so equal texts give equal estimates."""
        if text.isascii():
            return math.ceil(len(text) / 4)
        ascii_characters = len(text.encode("ascii", "ignore"))
        return math.ceil(ascii_characters / 4) + math.ceil((len(text) - ascii_characters) / 1.5)
