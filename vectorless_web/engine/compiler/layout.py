"""What is usual in a document: body style, line pitch and margins, against which headings stand out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vectorless_web.engine.compiler.lines import Line, Page, Style

_PROSE = 40


@dataclass(frozen=True, slots=True)
class Layout:
    """Usual values. `margins[page]`: left edges (rounded points) at which prose starts on that page."""

    body: Style
    body_caps: bool
    margins: dict[int, frozenset[int]]
    pitch: dict[float, float]

    def at_margin(self, line: Line) -> bool:
        """Whether the line starts where prose starts on its page."""
        left = round(line.left)
        own = self.margins.get(line.page, frozenset())
        return any(left + shift in own for shift in (0, -1, 1, -2, 2, -3, 3))

    def line_pitch(self, style: Style) -> float:
        """Usual distance between the tops of lines of one paragraph in that size, in points."""
        return self.pitch.get(style.size, style.size * 1.25)


def survey(pages: Sequence[Page], running: set[tuple[int, int]]) -> Layout:
    """Measure a document. Pages without prose take the margins common to the whole document."""
    sizes: Counter[Style] = Counter()
    margins: dict[int, Counter[int]] = defaultdict(Counter)
    pitches: dict[float, Counter[float]] = defaultdict(Counter)
    for page in pages:
        before: Line | None = None
        for line in _standing(page, running):
            sizes[line.style] += len(line.text)
            if len(line.text) >= _PROSE:
                margins[page.index][round(line.left)] += 1
            if before is not None and before.style.size == line.style.size and 0 < line.top - before.top < 40:
                pitches[line.style.size][round(line.top - before.top, 1)] += min(len(before.text), len(line.text))
            before = line
    body = sizes.most_common(1)[0][0] if sizes else Style(10.0, False, False, False, "")
    return Layout(body, False, _margins(pages, margins), {size: _usual(counts) for size, counts in pitches.items()})


def _standing(page: Page, running: set[tuple[int, int]]) -> Iterable[Line]:
    return (line for number, line in enumerate(page.lines) if (page.index, number) not in running)


def _usual(counts: Counter[float]) -> float:
    return max(counts, key=lambda pitch: (counts[pitch], -pitch))


def _margins(pages: Sequence[Page], found: dict[int, Counter[int]]) -> dict[int, frozenset[int]]:
    total: Counter[int] = Counter()
    for counts in found.values():
        total.update(counts)
    weight = sum(total.values())
    common = frozenset(left for left, count in total.items() if count > weight * 0.04)
    return {
        page.index: common | frozenset(left for left, count in found.get(page.index, Counter()).items() if count > 1)
        for page in pages
    }
