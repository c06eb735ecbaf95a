"""The words of a page as a reader sees them, however its template is laid out."""

from html.parser import HTMLParser

INLINE = frozenset({"a", "b", "bdi", "cite", "code", "em", "i", "kbd", "mark", "span", "strong", "sub", "sup", "time"})
"""Elements that part no words: `<b>3</b>,` reads as `3,`."""
SILENT = frozenset({"script", "style"})


def visible_text(html: str) -> str:
    """The text of `html` without tags, on one line: each stretch of white space is one space, as browsers show it."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return " ".join("".join(reader.pieces).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in SILENT
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in SILENT
        self._part(tag)

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.pieces.append(data)

    def _part(self, tag: str) -> None:
        if tag not in INLINE:
            self.pieces.append(" ")
