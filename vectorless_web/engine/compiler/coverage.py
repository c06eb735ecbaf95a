"""Measures whether every printed character stands in exactly one node."""

from collections.abc import Iterable, Sequence

import numpy as np

from vectorless_web.engine.compiler.drafts import Draft

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype="<u4")


def coverage(texts: Sequence[str], drafts: Iterable[Draft]) -> tuple[float, list[int]]:
    """Share (0..1) of the pages' non-space characters that stand in exactly one draft, and the pages that miss some."""
    counts = [np.zeros(len(text), dtype=np.uint8) for text in texts]
    for draft in drafts:
        for run in draft.runs:
            counts[run.page_index][run.char_index : run.char_index + run.length] += 1
    total = covered = 0
    faulty: list[int] = []
    for index, text in enumerate(texts):
        printed = ~np.isin(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4"), _SPACES)
        once = int((counts[index][printed] == 1).sum())
        total += int(printed.sum())
        covered += once
        if once < printed.sum():
            faulty.append(index)
    return (covered / total if total else 1.0), faulty
