"""Questions about the reports, with answers and pages taken from what the generator recorded."""

from tools.demo.figures import Year
from tools.demo.layout import Truth, money

ROW_QUESTIONS = (
    ("What was total net revenue in {year}?", "Consolidated Statements of Income", "Total net revenue"),
    ("How much did Thornbury spend on research and development in {year}?", "Consolidated Statements of Income",
     "Research and development"),
    ("What was the diluted earnings per share for {year}?", "Consolidated Statements of Income",
     "Diluted earnings per share"),
    ("What was capital expenditure in {year} in USD millions?", "Consolidated Statements of Cash Flows",
     "Purchases of property, plant and equipment"),
    ("How much cash did operating activities provide in {year}?", "Consolidated Statements of Cash Flows",
     "Net cash provided by operating activities"),
    ("What were total assets at the end of fiscal {year}?", "Consolidated Balance Sheets", "Total assets"),
    ("What was goodwill at the end of fiscal {year}?", "Consolidated Balance Sheets", "Goodwill"),
)  # fmt: skip


def add_questions(truth: Truth, books: dict[int, Year], year: int) -> None:
    """Append questions to the truth: look-ups from table rows, calculations from the books, words, and absent ones."""
    for question, table, row in ROW_QUESTIONS:
        cell = next(c for c in truth.cells if c.table == table and c.row == row and c.column.endswith(str(year)))
        _add(truth, question.format(year=year), "look-up", cell.value, [cell.page_index])
    book, before = books[year], books[year - 1]
    income, sheet = _page(truth, "Consolidated Statements of Income"), _page(truth, "Consolidated Balance Sheets")
    growth = 100 * (book.revenue - before.revenue) / before.revenue
    _add(truth, f"By what percentage did net revenue grow in {year}? Round to one decimal place.", "calculation",
         f"{growth:.1f}%", [income])  # fmt: skip
    margin = 100 * book.gross_profit / book.revenue
    _add(truth, f"What was the gross margin in {year}, in percent, to one decimal place?", "calculation",
         f"{margin:.1f}%", [_heading_page(truth, "Gross Margin"), income])  # fmt: skip
    ratio = book.current_assets / book.current_liabilities
    _add(truth, f"What was the current ratio at the end of fiscal {year}, to two decimal places?", "calculation",
         f"{ratio:.2f}", [sheet])  # fmt: skip
    _add(truth, f"What was free cash flow in {year}?", "calculation", money(book.free_cash_flow),
         [_page(truth, "Consolidated Statements of Cash Flows")])  # fmt: skip
    for question in (f"What was the revenue of the Airships segment in {year}?",
                     "Who audits the company's Peruvian pension fund?"):  # fmt: skip
        _add(truth, question, "absent", "", [])


def _page(truth: Truth, table: str) -> int:
    return next(c.page_index for c in truth.cells if c.table == table)


def _heading_page(truth: Truth, title: str) -> int:
    return next(heading.page_index for heading in truth.outline if heading.title == title)


def _add(truth: Truth, question: str, kind: str, answer: str, pages: list[int]) -> None:
    truth.questions.append({"question": question, "kind": kind, "answer": answer, "page_indexes": pages})
