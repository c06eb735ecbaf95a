"""What the maker and the checker of evidence bundles agree on."""

from typing import Any

FORMAT, VERSION = "vectorless-evidence-bundle", 1
MANIFEST = "manifest.json"
NEEDED = ("answer.json", "answer.md", "quotes.json", "settings.json", "trace.json")

Quote = dict[str, Any]


def page_stem(sha256: str, page: int) -> str:
    """The name, without suffix, of a page's files: the document's hash and the page, from 1."""
    return f"pages/{sha256[:16]}-p{page:04d}"
