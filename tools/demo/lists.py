"""The tables of the demo's reports that no books stand behind: sites, companies, people, exhibits."""

from tools.demo.layout import Truth, money, sheet
from tools.demo.more_prose import EXHIBITS, OFFICERS
from tools.demo.prose import PROPERTIES, SUBSIDIARIES


def properties(truth: Truth):
    """The Company's sites: a table long enough to cross a page."""
    headers = [["Location", "Use", "Held", "Square feet (thousands)"]]
    rows = [(place, use, held, money(area)) for place, use, held, area in PROPERTIES]
    return sheet(truth, "Properties", headers, rows, units=["", "", "thousand square feet"],
                 widths=[150, 160, 60, 98])  # fmt: skip


def subsidiaries(truth: Truth):
    """Exhibit 21."""
    headers = [["Name", "Jurisdiction", "Owned (percent)"]]
    return sheet(truth, "Subsidiaries", headers, [(n, j, str(p)) for n, j, p in SUBSIDIARIES], units=["", "percent"])


def officers(truth: Truth):
    """Names, ages and offices."""
    rows = [(name, str(age), office) for name, age, office in OFFICERS]
    headers = [["Name", "Age", "Office"]]
    return sheet(truth, "Executive officers", headers, rows, units=["years", ""], widths=[160, 50, 258])


def exhibits(truth: Truth):
    """The index of exhibits."""
    return sheet(truth, "Exhibits", [["Number", "Description"]], list(EXHIBITS), units="", widths=[80, 388])
