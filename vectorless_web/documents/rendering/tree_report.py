"""The tree report of a version in words that a reader understands."""

from typing import Any

from vectorless_web.documents.models import DocumentVersion

OUTLINE_SOURCES = {
    "bookmarks": "the file's bookmarks",
    "contents": "the printed table of contents",
    "headings": "the headings of the text",
    "sheets": "the sheets of the workbook",
    "slides": "the slides",
    "pages": "pages, since no headings were found",
}
PAGES_NAMED = 5
"""Pages that a line of the report names by number."""


def report_pairs(version: DocumentVersion) -> list[tuple[str, str]]:
    """Label and value of each line; nothing for a version that is not ready."""
    report = version.report
    if not report:
        return []
    verdict = report.get("verdict", "")
    pairs = [
        ("Outline from", OUTLINE_SOURCES.get(version.outline_source, version.outline_source)),
        ("Sections", f"{report['sections']:,} in {count(report['depth'], 'level')}"),
        ("Tables", f"{report['tables']:,}"),
        ("Text kept", _format_coverage(version)),
        ("Pages", f"{version.pages:,}"),
        ("Read by OCR", _pages(report.get("recognised") or [])),
        ("Not read", _pages(report.get("unread") or [])),
        ("Pages without text", _pages(_list_blank(report))),
        ("Read in", f"{report['seconds']:.1f} s, with {report['peak_mb']:,.0f} MB of memory"),
        ("Verdict", "" if verdict in version.remarks else verdict),  # Remarks are listed below the lines.
    ]
    return [(label, value) for label, value in pairs if value]


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 page", "1,204 pages"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def _format_coverage(version: DocumentVersion) -> str:
    """The share of characters that stand in the tree, rounded down: 100 % means all of them.

    Characters of pages that were not read are not known, so the share is said of the other pages alone.
    """
    if version.coverage is None:
        return ""
    share = f"{int(version.coverage * 1000) / 10:g} % of characters"
    empty = version.unread_pages
    if empty >= version.pages and empty:
        return "nothing; no page could be read"
    return f"{share} on {version.pages - empty:,} of {count(version.pages, 'page')}" if empty else share


def _list_blank(report: dict[str, Any]) -> list[int]:
    """Pages without text apart from those that were not read, which are told by themselves."""
    unread = set(report.get("unread") or [])
    return [page for page in report["pages_without_text"] if page not in unread]


def _pages(indexes: list[int]) -> str:
    if not indexes:
        return ""
    named = ", ".join(str(index + 1) for index in indexes[:PAGES_NAMED])
    return f"{count(len(indexes), 'page')}: {named}{', …' if len(indexes) > PAGES_NAMED else ''}"
