"""The words of a page as a reader sees them, however its template is laid out."""

from selectolax.lexbor import LexborHTMLParser

INLINE = ["a", "b", "bdi", "cite", "code", "em", "i", "kbd", "mark", "span", "strong", "sub", "sup", "time"]
"""Elements that part no words: `<b>3</b>,` reads as `3,`."""
SILENT = ["script", "style"]


def visible_text(html: str) -> str:
    """The text of `html` without tags, on one line: each stretch of white space is one space, as browsers show it."""
    page = LexborHTMLParser(html)
    page.strip_tags(SILENT)
    page.unwrap_tags(INLINE)
    page.merge_text_nodes()
    return " ".join(page.root.text(separator=" ").split())
