"""Small documents with tables of many domains, for questions about figures."""

from functools import cache

from tests.support.engine_documents import compiled, paragraph, section, table
from vectorless_web.engine.documents.artefact import CompiledDocument

INVENTORY = section(
    "Warehouse stock",
    paragraph("The following table lists the stock of each warehouse at the end of the year."),
    table(
        "Stock of pumps by warehouse",
        [
            ["Lund", "1,250", "1,100"],
            ["Malmö", "980", "1,040"],
            ["Kiruna", "310", "—"],
            ["Total", "2,540", "2,140"],
        ],
        columns=["Warehouse", "2023", "2022"],
    ),
)
PRICES = section(
    "Price list",
    table(
        "Prices of hoses",
        [
            ["Garden hose", "12.50", "15"],
            ["Fire hose", "140.00", "4"],
            ["Suction hose", "88.00", "6"],
        ],
        columns=["Article", "Unit price ($)", "Delivery time (days)"],
    ),
)
DOSES = section(
    "Dosage",
    table(
        "Recommended doses",
        [
            ["Adults", "400 mg", "1,200 mg"],
            ["Children", "100 mg", "300 mg"],
            ["Patients over 65", "200 mg", "600 mg"],
        ],
        columns=["Group", "Single dose", "Maximum daily dose"],
    ),
)
STAFF = section(
    "Staff",
    table(
        "Staff by site",
        [
            ["Permanent", "", ""],
            ["Leeds", "58", "51"],
            ["York", "44", "47"],
            ["Temporary", "", ""],
            ["Leeds", "7", "9"],
            ["Hull", "12", "3"],
            ["Scarborough", "5", "6"],
        ],
        columns=["Site", "2024", "2023"],
    ),
)
STATEMENT = section(
    "Results",
    table(
        "Results of the group",
        [
            ["Net sales", "51,904", "49,330", "40,000"],
            ["Cost of goods sold", "(30,000)", "(28,100)", "(25,000)"],
            ["Ferry income", "2,515", "1,310", "900"],
            ["Ferry expense", "(644)", "(590)", "(600)"],
            ["Profit margin (%)", "12.4", "11.1", "9.0"],
        ],
        columns=["", "2019", "2018", "2017"],
        units="In thousands of euros",
    ),
)
SEGMENTS = section(
    "Segments",
    table(
        "Operating profit by segment",
        [["Operating profit", "120", "85", "205"], ["Fleet size (vehicles)", "40", "61", "101"]],
        columns=["2021 (in millions)", "Rail", "Road", "Total"],
        units="$ in millions",
    ),
)
LOANS = section(
    "Stress test",
    table(
        "Loan losses under the baseline scenario",
        [["Home loans", "41"], ["Credit card loans", "77"]],
        columns=["", "Losses"],
        units="USD millions",
    ),
)
CREDITS = section(
    "Service credits",
    table(
        "Service credits",
        [["99.0 % to 99.9 %", "10%"], ["95.0 % to 99.0 %", "25%"], ["Below 95.0 %", "50%"]],
        columns=["Monthly availability", "Share of the monthly fee"],
    ),
)
FERRY = section(
    "Timetable",
    table(
        "Crossings of the ferry",
        [["Hvaler", "09:10", "55 minutes"], ["Strömstad", "11:40", "150 minutes"]],
        columns=["Destination", "Departure", "Crossing time"],
    ),
)


@cache
def handbook() -> CompiledDocument:
    """All of these tables in one document."""
    return compiled("Handbook", INVENTORY, PRICES, DOSES, STAFF, STATEMENT, SEGMENTS, LOANS, CREDITS, FERRY)
