"""One annual report of the invented company, as a PDF, with the truth about what it says and where."""

from collections.abc import Iterator
from pathlib import Path

from reportlab.platypus import CondPageBreak, Flowable, PageBreak, Paragraph, Spacer

from tools.demo import lists, more_prose, notes_prose, prose, statements
from tools.demo.figures import SEGMENTS, Year
from tools.demo.layout import BODY, BULLET, CENTRE, NOTE, TITLE, Report, Truth, contents, heading


def write_report(folder: Path, books: dict[int, Year], year: int, *, bookmarks: bool) -> Truth:
    """Write `annual-report-<year>.pdf` into the folder."""
    name = f"thornbury-annual-report-{year}.pdf"
    truth = Truth(document=name, bookmarks=bookmarks)
    running = f"{year} Annual Report on Form 10-K"
    report = Report(folder / name, company=prose.COMPANY, running=running, truth=truth)
    report.multiBuild(list(_Story(truth, books, year)))
    return truth


class _Story:
    """The flowables of one report, in order."""

    def __init__(self, truth: Truth, books: dict[int, Year], year: int) -> None:
        self.truth, self.books, self.year, self.book = truth, books, year, books[year]
        inputs = self.book.inputs
        self.words = {
            **prose.FACTS[year], "year": year, "next": year + 1, "yield_share": 88 + year % 10, "employees": f"{inputs.employees:,}", "backlog": f"{inputs.backlog:,}",
            "research": inputs.research, "debt": self.book.debt, "goodwill": self.book.goodwill,
            "deferred_revenue": inputs.deferred_revenue, "depreciation": inputs.depreciation,
            "amortisation": inputs.amortisation, "stock_compensation": inputs.stock_compensation,
            "repurchases": inputs.repurchases, "dividend": f"${self.book.dividend_per_share:.2f}",
        }  # fmt: skip

    def __iter__(self) -> Iterator[Flowable]:
        yield from self._cover()
        yield from self._part_one()
        yield from self._part_two()
        yield from self._part_three()

    def _say(self, text: str, style=BODY) -> Paragraph:
        return Paragraph(text.replace("${dividend}", "{dividend}").format(**self.words), style)

    def _item(self, title: str, *paragraphs: str) -> Iterator[Flowable]:
        yield CondPageBreak(180)
        yield heading(1, title)
        for paragraph in paragraphs:
            yield self._say(paragraph)

    def _cover(self) -> Iterator[Flowable]:
        yield Spacer(1, 110)
        yield Paragraph(prose.COMPANY, TITLE)
        yield Paragraph("FORM 10-K", TITLE)
        yield self._say("Annual report for the fiscal year ended September 30, {year}", CENTRE)
        yield self._say("Rhode Island &nbsp;&nbsp; Commission file number 1-00000 (invented)", CENTRE)
        yield Spacer(1, 40)
        yield self._say("This company does not exist. Its report was written to try out software.", CENTRE)
        yield PageBreak()
        yield Paragraph("TABLE OF CONTENTS", TITLE)
        yield contents()
        yield PageBreak()

    def _part_one(self) -> Iterator[Flowable]:
        yield heading(0, "PART I")
        yield from self._item("Item 1. Business", *prose.INTRODUCTION)
        yield heading(2, "Segments")
        for name in SEGMENTS:
            yield heading(3, name)
            for paragraph in prose.SEGMENT_PROSE[name]:
                yield self._say(paragraph)
        for title, paragraphs in (*more_prose.CUSTOMERS, *prose.MORE_BUSINESS):
            yield heading(2, title)
            for paragraph in paragraphs:
                yield self._say(paragraph)
        yield PageBreak()
        yield from self._item("Item 1A. Risk Factors", "The following risks could harm our business and our results.")
        for group, risks in {**prose.RISKS, **more_prose.MORE_RISKS}.items():
            yield CondPageBreak(420)
            yield heading(2, group)
            for title, text in risks:
                yield heading(3, title)
                yield self._say(text)
                yield self._say("We review this risk every quarter and report it to the Audit Committee. The measures "
                                "that we take may not be enough.")  # fmt: skip
        yield from self._item("Item 1B. Unresolved Staff Comments", prose.ITEMS_SHORT["unresolved"])
        yield from self._item("Item 1C. Cybersecurity", *prose.ITEMS_SHORT["cyber"])
        yield PageBreak()
        yield from self._item("Item 2. Properties", "The table lists the sites that the Company uses.")
        yield lists.properties(self.truth)
        yield from self._item("Item 3. Legal Proceedings", *prose.ITEMS_SHORT["legal"])
        yield from self._item("Item 4. Mine Safety Disclosures", prose.ITEMS_SHORT["mine"])
        yield heading(2, "Information About Our Executive Officers")
        yield lists.officers(self.truth)
        yield PageBreak()

    def _part_two(self) -> Iterator[Flowable]:
        year = self.year
        yield heading(0, "PART II")
        yield from self._item(
            "Item 5. Market for Registrant's Common Equity",
            "The common stock is traded under the symbol TMSI. At October 31, {year} there were 2,118 holders of "
            "record. Dividends of {dividend} per share were paid in {year}; see Note 18.",
        )
        yield PageBreak()
        yield from self._discussion()
        yield from self._item(
            "Item 7A. Quantitative and Qualitative Disclosures About Market Risk",
            "A rise of one percentage point in short-term interest rates would have raised interest expense in {year} "
            "by less than $1 million. Currency risk is described in Note 19.",
        )
        yield PageBreak()
        yield from self._item("Item 8. Financial Statements and Supplementary Data")
        yield heading(2, "Report of Independent Registered Public Accounting Firm")
        yield self._say(f"We have audited the consolidated balance sheets of {prose.COMPANY} at September 30, {year} "
                        f"and {year - 1} and the related statements for each of the three years ended September 30, "
                        f"{year}. In our opinion they present fairly, in all material respects, its position and "
                        "results.")  # fmt: skip
        yield self._say("The estimated cost to complete vessel contracts was a critical audit matter, because it rests "
                        "on judgement about work that has not yet been done.")  # fmt: skip
        for title, make in (
            ("Consolidated Statements of Income", statements.income),
            ("Consolidated Statements of Comprehensive Income", statements.comprehensive),
            ("Consolidated Balance Sheets", statements.balance),
            ("Consolidated Statements of Cash Flows", statements.cash_flows),
            ("Consolidated Statements of Shareholders' Equity", statements.equity),
        ):
            yield PageBreak()
            yield heading(2, title)
            yield self._say("(In millions, except per share amounts)", CENTRE)
            yield make(self.truth, self.books, year)
            yield self._say("The accompanying notes are an integral part of these statements.", NOTE)
        yield PageBreak()
        yield heading(2, "Notes to Consolidated Financial Statements")
        for number, (title, paragraphs) in notes_prose.NOTES_PROSE.items():
            yield from self._note(number, title, paragraphs)
        yield PageBreak()
        yield from self._item("Item 9. Changes in and Disagreements With Accountants", prose.ITEMS_SHORT["changes"])
        yield from self._item("Item 9A. Controls and Procedures", *prose.ITEMS_SHORT["controls"])
        yield from self._item("Item 9B. Other Information", prose.ITEMS_SHORT["other"])
        yield PageBreak()

    def _discussion(self) -> Iterator[Flowable]:
        year, book, before = self.year, self.book, self.books[self.year - 1]
        drivers = prose.DRIVERS[year]
        yield from self._item("Item 7. Management's Discussion and Analysis of Financial Condition")
        yield heading(2, "Overview")
        yield self._say("This discussion should be read with the statements and notes in Item 8. A discussion of "
                        f"{year - 1} compared with {year - 2} is in last year's report.")  # fmt: skip
        yield heading(2, "Results of Operations")
        yield heading(3, "Net Revenue")
        yield self._say(drivers["revenue"])
        yield statements.segments(self.truth, self.books, year)
        for name in SEGMENTS:
            yield CondPageBreak(200)
            yield heading(3, f"{name} Segment")
            yield self._say(drivers[name])
            yield statements.segment_detail(self.truth, self.books, year, name)
        yield heading(2, "Outlook")
        for text in more_prose.OUTLOOK:
            yield self._say(text)
        yield PageBreak()
        yield heading(3, "Gross Margin")
        yield self._say(f"Gross margin was {100 * book.gross_profit / book.revenue:.1f} percent of revenue in {year} "
                        f"and {100 * before.gross_profit / before.revenue:.1f} percent in {year - 1}. "
                        + drivers["gross"])  # fmt: skip
        yield heading(3, "Operating Expenses")
        yield self._say(f"Research and development expense was ${book.inputs.research} million, or "
                        f"{100 * book.inputs.research / book.revenue:.1f} percent of revenue. Selling, general and "
                        f"administrative expense was ${book.inputs.selling} million. Restructuring charges of "
                        f"${book.inputs.restructuring} million are described in Note 17.")  # fmt: skip
        yield heading(3, "Quarterly Results")
        yield statements.quarters(self.truth, self.books, year)
        yield PageBreak()
        yield from self._liquidity()

    def _liquidity(self) -> Iterator[Flowable]:
        year, book, before = self.year, self.book, self.books[self.year - 1]
        drivers = prose.DRIVERS[year]
        yield heading(2, "Liquidity and Capital Resources")
        yield self._say(f"Cash and cash equivalents were ${book.cash} million at September 30, {year}, compared with "
                        f"${before.cash} million a year before. Net cash provided by operating activities was "
                        f"${book.operating_cash} million. " + drivers["cash"])  # fmt: skip
        yield self._say(drivers["capital"] + f" We expect to spend about ${book.inputs.capital_spending - 6} million "
                        f"in {year + 1}.")  # fmt: skip
        yield heading(3, "Obligations")
        for line in ("Debt matures as shown in Note 9.", "Leases are described in Note 10.",
                     "Purchase commitments are described in Note 16."):  # fmt: skip
            yield Paragraph(line, BULLET, bulletText="•")
        yield heading(2, "Critical Accounting Estimates")
        for text in ("The cost to complete vessel contracts is estimated monthly by engineers and buyers. A change of "
                     "five percent in the estimates for contracts open at September 30, {year} would have changed "
                     "operating income by about $9 million. See Note 2.",
                     "Goodwill is tested by discounting expected cash flows. See Note 7.",
                     "The liability for clean-up rests on the advice of engineers and on an order of the state. See "
                     "Note 16."):  # fmt: skip
            yield self._say(text)
        yield PageBreak()

    def _note(self, number: int, title: str, paragraphs: tuple[str, ...]) -> Iterator[Flowable]:
        yield CondPageBreak(300)
        yield heading(3, f"Note {number}. {title}")
        if number == 4:
            paragraphs = notes_prose.ACQUISITIONS[self.year]
        if number == 25:
            paragraphs = (notes_prose.SUBSEQUENT[self.year],)
        for paragraph in paragraphs:
            yield self._say(paragraph)
        if number == 1:
            for policy, text in more_prose.POLICIES:
                yield Paragraph(f"<i>{policy}.</i> " + self._say(text).text, BODY)
        yield from self._note_tables(number)
        if number in more_prose.NOTE_EXTRAS:
            yield self._say(more_prose.NOTE_EXTRAS[number])
        yield PageBreak()

    def _note_tables(self, number: int) -> Iterator[Flowable]:
        data = (self.truth, self.books, self.year)
        splits = {
            5: ("Inventories", (("Raw materials", 0.44), ("Work in process", 0.31), ("Finished goods", 0.25)),
                lambda b: b.inputs.inventories),
            6: ("Property, plant and equipment, net",
                (("Land and buildings", 0.38), ("Machinery and equipment", 0.36), ("Survey vessels", 0.19),
                 ("Construction in progress", 0.07)), lambda b: b.ppe),
            7: ("Goodwill by segment", (("Sensors", 0.41), ("Vessels", 0.17), ("Software and Data", 0.3),
                                        ("Services", 0.12)), lambda b: b.goodwill),
            8: ("Accrued expenses", (("Compensation and benefits", 0.52), ("Warranties", 0.14), ("Leases", 0.12),
                                     ("Other", 0.22)), lambda b: b.inputs.accrued),
        }  # fmt: skip
        makers = {
            3: (statements.segments, statements.regions), 9: (statements.maturities,), 12: (statements.tax_rates,),
            15: (statements.per_share,), 24: (statements.quarters,),
        }  # fmt: skip
        if number in splits:
            name, shares, figure = splits[number]
            yield self._say("(In millions)", NOTE)
            yield statements.split(self.truth, name, self.books, self.year, shares, figure)
        for make in makers.get(number, ()):
            yield self._say("(In percent)" if number == 12 else "(In millions)", NOTE)
            yield make(*data)
        if number == 7:
            yield self._say("<super>1</super> Goodwill of Fjordlink AS is part of Sensors; that of Brightwater Analytics "
                            "is part of Software and Data from its acquisition.", NOTE)  # fmt: skip

    def _part_three(self) -> Iterator[Flowable]:
        yield heading(0, "PART III")
        for title in ("Item 10. Directors, Executive Officers and Corporate Governance", "Item 11. Executive "
                      "Compensation", "Item 12. Security Ownership", "Item 13. Certain Relationships",
                      "Item 14. Principal Accountant Fees"):  # fmt: skip
            yield from self._item(title, prose.ITEMS_SHORT["proxy"])
        yield PageBreak()
        yield heading(0, "PART IV")
        yield from self._item("Item 15. Exhibits", "The exhibits of this report are listed below.")
        yield lists.exhibits(self.truth)
        yield heading(2, "Schedule II. Valuation and Qualifying Accounts")
        yield statements.valuation(self.truth, self.year)
        yield PageBreak()
        yield from self._item("Item 16. Form 10-K Summary", "None.")
        yield heading(2, "Glossary")
        for term, meaning in more_prose.GLOSSARY:
            yield Paragraph(f"<b>{term}</b>: {meaning}.", BODY)
        yield PageBreak()
        yield heading(2, "Signatures")
        yield self._say("Signed on behalf of the registrant on November 22, {year} by Tobias Renner, Chief Financial "
                        "Officer, and by the directors in person.")  # fmt: skip
        yield PageBreak()
        yield heading(2, "Exhibit 21.1. Subsidiaries of the Registrant")
        yield lists.subsidiaries(self.truth)
        for number, officer in (("31.1", "Chief Executive Officer"), ("31.2", "Chief Financial Officer")):
            yield PageBreak()
            yield heading(2, f"Exhibit {number}. Certification of the {officer}")
            for text in more_prose.CERTIFICATION:
                yield self._say(text)
        yield PageBreak()
        yield heading(2, "Appendix. Vessels Delivered Since 2015")
        yield self._say("Every vessel delivered to a customer since the first Petrel, in the order of delivery.")
        yield statements.deliveries(self.truth, self.year)
