"""The primary statements and the tables of the notes, from the books."""

from tools.demo.figures import REGIONS, SEGMENTS, Year
from tools.demo.layout import Truth, money, sheet
from tools.demo.more_prose import SEGMENT_MARGINS, SEGMENT_NUMBERS

MILLIONS = "millions"


def _years(year: int, count: int) -> list[str]:
    return [str(year - n) for n in range(count)]


def _lines(books: dict[int, Year], year: int, count: int, lines: list[tuple]) -> list[tuple]:
    """Rows from (label, function of a year, first-line dollar?) over `count` years, newest first."""
    rows = []
    for label, figure, *dollar in lines:
        if figure is None:
            rows.append((label, *[""] * count))
            continue
        values = [money(figure(books[year - n]), dollar=bool(dollar)) for n in range(count)]
        rows.append((label, *values))
    return rows


def income(truth: Truth, books: dict[int, Year], year: int):
    """Consolidated Statements of Income, three years."""
    rows = _lines(books, year, 3, [
        ("Net revenue:", None),
        ("Products", lambda b: b.product_revenue, 1),
        ("Services and subscriptions", lambda b: b.service_revenue),
        ("Total net revenue", lambda b: b.revenue),
        ("Cost of revenue:", None),
        ("Cost of products", lambda b: b.product_cost),
        ("Cost of services and subscriptions", lambda b: b.service_cost),
        ("Total cost of revenue", lambda b: b.cost),
        ("Gross profit", lambda b: b.gross_profit),
        ("Operating expenses:", None),
        ("Research and development", lambda b: b.inputs.research),
        ("Selling, general and administrative", lambda b: b.inputs.selling),
        ("Amortization of intangible assets", lambda b: b.inputs.amortisation),
        ("Restructuring charges", lambda b: b.inputs.restructuring),
        ("Total operating expenses", lambda b: b.operating_expenses),
        ("Operating income", lambda b: b.operating_income),
        ("Interest expense", lambda b: -b.inputs.interest),
        ("Other income, net", lambda b: b.inputs.other_income),
        ("Income before income taxes", lambda b: b.pretax),
        ("Provision for income taxes", lambda b: b.tax),
        ("Net income", lambda b: b.net_income, 1),
    ])  # fmt: skip
    shown = [books[year - n] for n in range(3)]
    rows += [
        ("Basic earnings per share", *[money(b.basic_eps, dollar=True, places=2) for b in shown]),
        ("Diluted earnings per share", *[money(b.diluted_eps, dollar=True, places=2) for b in shown]),
        ("Weighted average shares, basic", *[money(b.basic_shares, places=1) for b in shown]),
        ("Weighted average shares, diluted", *[money(b.diluted_shares, places=1) for b in shown]),
    ]
    totals = ("Total net revenue", "Total cost of revenue", "Gross profit", "Operating income", "Net income")
    headers = [["", "Years Ended September 30,", "", ""], ["", *_years(year, 3)]]
    return sheet(truth, "Consolidated Statements of Income", headers, rows, units=MILLIONS, bold=totals)


def comprehensive(truth: Truth, books: dict[int, Year], year: int):
    """Consolidated Statements of Comprehensive Income, three years."""
    rows = _lines(books, year, 3, [
        ("Net income", lambda b: b.net_income, 1),
        ("Foreign currency translation", lambda b: b.inputs.translation),
        ("Comprehensive income", lambda b: b.net_income + b.inputs.translation, 1),
    ])  # fmt: skip
    headers = [["", *_years(year, 3)]]
    return sheet(truth, "Consolidated Statements of Comprehensive Income", headers, rows, units=MILLIONS)


def balance(truth: Truth, books: dict[int, Year], year: int):
    """Consolidated Balance Sheets, two years."""
    rows = _lines(books, year, 2, [
        ("ASSETS", None),
        ("Current assets:", None),
        ("Cash and cash equivalents", lambda b: b.cash, 1),
        ("Accounts receivable, net", lambda b: b.inputs.receivables),
        ("Inventories", lambda b: b.inputs.inventories),
        ("Prepaid expenses and other", lambda b: b.inputs.prepaid),
        ("Total current assets", lambda b: b.current_assets),
        ("Property, plant and equipment, net", lambda b: b.ppe),
        ("Goodwill", lambda b: b.goodwill),
        ("Intangible assets, net", lambda b: b.intangibles),
        ("Total assets", lambda b: b.assets, 1),
        ("LIABILITIES AND SHAREHOLDERS' EQUITY", None),
        ("Current liabilities:", None),
        ("Accounts payable", lambda b: b.inputs.payables, 1),
        ("Accrued expenses", lambda b: b.inputs.accrued),
        ("Deferred revenue", lambda b: b.inputs.deferred_revenue),
        ("Current portion of long-term debt", lambda b: b.inputs.current_debt),
        ("Total current liabilities", lambda b: b.current_liabilities),
        ("Long-term debt", lambda b: b.long_term_debt),
        ("Other liabilities", lambda b: b.inputs.other_liabilities),
        ("Total liabilities", lambda b: b.liabilities),
        ("Commitments and contingencies (Note 16)", None),
        ("Total shareholders' equity", lambda b: b.equity),
        ("Total liabilities and shareholders' equity", lambda b: b.liabilities + b.equity, 1),
    ])  # fmt: skip
    totals = ("Total current assets", "Total assets", "Total current liabilities", "Total liabilities",
              "Total liabilities and shareholders' equity")  # fmt: skip
    headers = [["", "September 30,", ""], ["", *_years(year, 2)]]
    return sheet(truth, "Consolidated Balance Sheets", headers, rows, units=MILLIONS, bold=totals)


def cash_flows(truth: Truth, books: dict[int, Year], year: int):
    """Consolidated Statements of Cash Flows, three years."""
    rows = _lines(books, year, 3, [
        ("Operating activities:", None),
        ("Net income", lambda b: b.net_income, 1),
        ("Depreciation", lambda b: b.inputs.depreciation),
        ("Amortization of intangible assets", lambda b: b.inputs.amortisation),
        ("Stock-based compensation", lambda b: b.inputs.stock_compensation),
        ("Changes in accounts receivable", lambda b: b.change("receivables")),
        ("Changes in inventories", lambda b: b.change("inventories")),
        ("Changes in prepaid expenses and other", lambda b: b.change("prepaid")),
        ("Changes in accounts payable", lambda b: b.change("payables")),
        ("Changes in accrued expenses", lambda b: b.change("accrued")),
        ("Changes in deferred revenue", lambda b: b.change("deferred_revenue")),
        ("Changes in other liabilities", lambda b: b.change("other_liabilities")),
        ("Net cash provided by operating activities", lambda b: b.operating_cash),
        ("Investing activities:", None),
        ("Purchases of property, plant and equipment", lambda b: -b.inputs.capital_spending),
        ("Acquisitions of businesses, net of cash acquired", lambda b: -b.inputs.acquisitions),
        ("Net cash used in investing activities", lambda b: b.investing_cash),
        ("Financing activities:", None),
        ("Proceeds from borrowings", lambda b: b.inputs.borrowed),
        ("Repayment of borrowings", lambda b: -b.inputs.repaid),
        ("Dividends paid", lambda b: -b.inputs.dividends),
        ("Repurchases of common stock", lambda b: -b.inputs.repurchases),
        ("Net cash used in financing activities", lambda b: b.financing_cash),
        ("Effect of exchange rate changes on cash", lambda b: b.inputs.translation),
        ("Net increase in cash and cash equivalents", lambda b: b.cash_change),
        ("Cash and cash equivalents at beginning of year", lambda b: b.cash - b.cash_change),
        ("Cash and cash equivalents at end of year", lambda b: b.cash, 1),
    ])  # fmt: skip
    totals = ("Net cash provided by operating activities", "Net cash used in investing activities",
              "Net cash used in financing activities", "Cash and cash equivalents at end of year")  # fmt: skip
    headers = [["", "Years Ended September 30,", "", ""], ["", *_years(year, 3)]]
    return sheet(truth, "Consolidated Statements of Cash Flows", headers, rows, units=MILLIONS, bold=totals)


def equity(truth: Truth, books: dict[int, Year], year: int):
    """Consolidated Statements of Shareholders' Equity, three years."""
    rows = _lines(books, year, 3, [
        ("Balance at beginning of year", lambda b: b.opening_equity, 1),
        ("Net income", lambda b: b.net_income),
        ("Foreign currency translation", lambda b: b.inputs.translation),
        ("Stock-based compensation", lambda b: b.inputs.stock_compensation),
        ("Dividends declared", lambda b: -b.inputs.dividends),
        ("Repurchases of common stock", lambda b: -b.inputs.repurchases),
        ("Balance at end of year", lambda b: b.equity, 1),
    ])  # fmt: skip
    headers = [["", *_years(year, 3)]]
    name = "Consolidated Statements of Shareholders' Equity"
    return sheet(truth, name, headers, rows, units=MILLIONS, bold=("Balance at end of year",))


def segments(truth: Truth, books: dict[int, Year], year: int):
    """Revenue by segment, three years."""
    rows = _lines(books, year, 3, [
        (name, lambda b, i=i: b.inputs.revenue[i], *([1] if i == 0 else [])) for i, name in enumerate(SEGMENTS)
    ] + [("Total", lambda b: b.revenue, 1)])  # fmt: skip
    return sheet(truth, "Revenue by segment", [["Revenue", *_years(year, 3)]], rows, units=MILLIONS, bold=("Total",))


def regions(truth: Truth, books: dict[int, Year], year: int):
    """Revenue by region, three years."""
    rows = _lines(books, year, 3, [(name, lambda b, i=i: b.region_revenue[i]) for i, name in enumerate(REGIONS)])
    return sheet(truth, "Revenue by region", [["Revenue by region", *_years(year, 3)]], rows, units=MILLIONS)


def split(truth: Truth, name: str, books: dict[int, Year], year: int, shares: tuple[tuple[str, float], ...], figure):
    """A balance split into named parts, two years; the last part takes what rounding leaves."""
    columns = []
    for n in range(2):
        total = figure(books[year - n])
        parts = [round(total * share) for _, share in shares[:-1]]
        columns.append([*parts, total - sum(parts), total])
    labels = [label for label, _ in shares] + ["Total"]
    rows = [(label, *[money(column[i], dollar=i == 0) for column in columns]) for i, label in enumerate(labels)]
    return sheet(truth, name, [["At September 30,", *_years(year, 2)]], rows, units=MILLIONS, bold=("Total",))


def quarters(truth: Truth, books: dict[int, Year], year: int):
    """Revenue and gross profit by quarter."""
    book = books[year]
    weights = (0.21, 0.24, 0.26)
    revenue = [round(book.revenue * w) for w in weights]
    profit = [round(book.gross_profit * w) for w in weights]
    revenue.append(book.revenue - sum(revenue))
    profit.append(book.gross_profit - sum(profit))
    rows = [("Net revenue", *[money(v, dollar=True) for v in revenue]), ("Gross profit", *[money(v) for v in profit])]
    headers = [["", "First quarter", "Second quarter", "Third quarter", "Fourth quarter"]]
    return sheet(truth, "Quarterly results", headers, rows, units=MILLIONS)


def maturities(truth: Truth, books: dict[int, Year], year: int):
    """Debt due by year."""
    book = books[year]
    due = [book.inputs.current_debt, 40, 84, 84, 84]
    rows = [(str(year + 1 + n), money(amount, dollar=n == 0)) for n, amount in enumerate(due)]
    rows += [("Thereafter", money(book.debt - sum(due))), ("Total", money(book.debt, dollar=True))]
    return sheet(truth, "Debt maturities", [["Fiscal year", "Amount"]], rows, units=MILLIONS, bold=("Total",))


def tax_rates(truth: Truth, books: dict[int, Year], year: int):
    """From the federal rate to the effective rate, three years, in percent."""

    def percent(value: float) -> str:
        return f"({abs(value):.1f})%" if value < 0 else f"{value:.1f}%"

    rows = [("Federal rate", *["21.0%"] * 3)]
    for label, part in (("State taxes", 1.4), ("Foreign rate differences", -0.9), ("Research credits", -1.6)):
        rows.append((label, *[percent(part)] * 3))
    effective = [100 * books[year - n].tax / books[year - n].pretax for n in range(3)]
    rows.append(("Other", *[percent(round(e, 1) - 19.9) for e in effective]))
    rows.append(("Effective rate", *[percent(e) for e in effective]))
    return sheet(truth, "Effective tax rate", [["", *_years(year, 3)]], rows, units="percent", bold=("Effective rate",))


def per_share(truth: Truth, books: dict[int, Year], year: int):
    """Earnings per share, three years."""
    shown = [books[year - n] for n in range(3)]
    rows = [
        ("Net income", *[money(b.net_income, dollar=True) for b in shown]),
        ("Weighted average shares, basic", *[money(b.basic_shares, places=1) for b in shown]),
        ("Dilutive restricted units and options", *[money(b.diluted_shares - b.basic_shares, places=1) for b in shown]),
        ("Weighted average shares, diluted", *[money(b.diluted_shares, places=1) for b in shown]),
    ]
    return sheet(truth, "Earnings per share", [["", *_years(year, 3)]], rows, units=MILLIONS)


def segment_detail(truth: Truth, books: dict[int, Year], year: int, name: str):
    """One segment's revenue, profit and measure, two years."""
    measure, numbers = SEGMENT_NUMBERS[name]
    shown = (year, year - 1)
    revenue = [books[y].inputs.revenue[SEGMENTS.index(name)] for y in shown]
    profit = [round(r * SEGMENT_MARGINS[name][y]) for r, y in zip(revenue, shown, strict=True)]
    rows = [
        ("Revenue", *[money(r, dollar=True) for r in revenue]),
        ("Segment profit", *[money(p) for p in profit]),
        ("Segment margin", *[f"{100 * p / r:.1f}%" for p, r in zip(profit, revenue, strict=True)]),
        (measure, *[money(numbers[y]) for y in shown]),
    ]
    return sheet(truth, f"{name} segment", [["", *[str(y) for y in shown]]], rows, units=MILLIONS)


def valuation(truth: Truth, year: int):
    """Schedule II."""
    headers = [["Allowance for credit losses", "Beginning", "Charged", "Deducted", "End"]]
    rows, opening = [], 6
    for shown in range(year - 2, year + 1):
        charged, deducted = 2 + shown % 3, 1 + shown % 2
        rows.append(
            (f"Year ended {shown}", *[str(n) for n in (opening, charged, deducted, opening + charged - deducted)])
        )
        opening += charged - deducted
    return sheet(truth, "Valuation accounts", headers, rows, units=MILLIONS)


def deliveries(truth: Truth, year: int):
    """Every vessel delivered: a table of several pages."""
    headers = [["Hull", "Class", "Delivered", "Length (metres)"]]
    rows, hull = [], 101
    for delivered in range(2015, year + 1):
        for n in range({2022: 11, 2023: 9, 2024: 13}.get(delivered, 5 + delivered % 4)):
            skua = delivered >= 2022 and n % 3 == 0
            length = f"{24 - n % 2 * 2 if skua else 6 + (hull * 7) % 9}.{hull % 10}"
            rows.append((f"TMS-{hull}", "Skua" if skua else "Petrel", str(delivered), length))
            hull += 1
    return sheet(truth, "Vessels delivered", headers, rows, units=["", "", "metres"], widths=[120, 120, 110, 118])
