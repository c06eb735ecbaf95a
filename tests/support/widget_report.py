"""The annual report of an invented company: prose, three primary statements, filler."""

FILLER = (
    "The widget business is described here in many words that answer nothing in particular. Widgets are made in"
    " three plants and sold to builders, who use widgets in houses. "
) * 20
INCOME = [
    ("Net sales", "900", "800"),
    ("Cost of sales", "500", "450"),
    ("Gross profit", "400", "350"),
    ("Selling, general and administrative", "150", "140"),
    ("Operating income", "250", "210"),
    ("Interest expense", "20", "20"),
    ("Income before income taxes", "230", "190"),
    ("Provision for income taxes", "50", "40"),
    ("Net income", "180", "150"),
]
BALANCE = [
    ("Cash and cash equivalents", "100", "90"),
    ("Accounts receivable, net", "120", "110"),
    ("Inventories", "80", "70"),
    ("Total current assets", "300", "270"),
    ("Property, plant and equipment, net", "400", "390"),
    ("Goodwill", "50", "50"),
    ("Total assets", "750", "710"),
    ("Accounts payable", "90", "85"),
    ("Total current liabilities", "200", "190"),
    ("Long-term debt", "150", "160"),
    ("Retained earnings", "300", "270"),
    ("Total liabilities and shareholders' equity", "750", "710"),
]
CASH = [
    ("Net income", "180", "150"),
    ("Depreciation and amortization", "60", "55"),
    ("Net cash provided by operating activities", "230", "200"),
    ("Purchases of property, plant and equipment", "(77)", "(66)"),
    ("Net cash used in investing activities", "(80)", "(70)"),
    ("Dividends paid", "(40)", "(35)"),
    ("Net cash used in financing activities", "(60)", "(50)"),
    ("Cash and cash equivalents at end of year", "100", "90"),
]


def table(rows):
    lines = ["| (in millions) | 2021 | 2020 |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    return "\n".join(lines)


def report():
    return "\n\n".join(
        [
            "# Widget Company annual report",
            "## Business",
            FILLER,
            "## Results of operations",
            "Gross margin rose in 2021, driven by lower freight costs, due to new routes, and as a result of better"
            " prices; it was partly offset by wages. " + FILLER,
            "## Legal proceedings",
            "A former supplier sued the company over an unpaid invoice; the lawsuit is pending. " + FILLER,
            "## Consolidated Statements of Income",
            table(INCOME) + "\n\n" + FILLER,
            "## Consolidated Balance Sheets",
            table(BALANCE) + "\n\n" + FILLER,
            "## Consolidated Statements of Cash Flows",
            table(CASH) + "\n\n" + FILLER,
        ]
    )
