"""Finds tables without figures: rows of the same columns, told by the left edges of their cells."""

from collections.abc import Sequence

from vectorless_web.engine.compiler.regions import Role, Row

_EDGE = 5.0
_LEAST_ROWS = 3


def find_text_tables(rows: Sequence[Row], taken: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges (from, to) of rows outside `taken` that form such tables."""
    covered = {number for start, end in taken for number in range(start, end)}
    found: list[tuple[int, int]] = []
    position = 0
    while position < len(rows):
        end = _extent(rows, position, covered) if _is_row(rows[position], position, covered) else position
        if end > position:
            found.append((position, end))
        position = max(end, position + 1)
    return found


def _is_row(row: Row, number: int, covered: set[int]) -> bool:
    return number not in covered and row.role is Role.HEADER and len(row.cells) >= 2


def _extent(rows: Sequence[Row], start: int, covered: set[int]) -> int:
    """The end of the table that starts at a row, or `start` if there is none."""
    edges = [cell.left for cell in rows[start].cells]
    ends = [cell.right for cell in rows[start].cells]
    end, members = start + 1, 1
    for position in range(start + 1, len(rows)):
        row = rows[position]
        if position in covered or _apart(rows[position - 1], row):
            break
        if _is_row(row, position, covered) and _aligned(row, edges, ends):
            members += 1
            end = position + 1
        elif row.role is Role.TEXT and _wraps(row, edges):
            end = position + 1
        else:
            break
    while end > start + 1 and rows[end - 1].role is Role.TEXT and rows[end - 1].line.left < edges[1] - _EDGE:
        end -= 1  # a line under the first column alone may already be running text
    return end if members >= _LEAST_ROWS else start


def _aligned(row: Row, edges: Sequence[float], ends: Sequence[float]) -> bool:
    """Whether every cell but the first begins or ends where a column does."""
    return all(
        any(abs(cell.left - edge) < _EDGE for edge in edges) or any(abs(cell.right - end) < _EDGE for end in ends)
        for cell in row.cells[1:]
    )


def _wraps(row: Row, edges: Sequence[float]) -> bool:
    """A lone line that begins at an edge and does not run under the next column."""
    line = row.line
    for number, edge in enumerate(edges):
        following = edges[number + 1] if number + 1 < len(edges) else float("inf")
        if abs(line.left - edge) < 2 * _EDGE:
            return line.right < following
    return False


def _apart(before: Row, row: Row) -> bool:
    gap = row.line.top - before.line.bottom
    return gap > 2.5 * row.line.style.size or gap < -6 * row.line.style.size
