"""Invented documents, each different: companies, matters and figures drawn from word lists by number."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

FIRST = [
    "Alder",
    "Brack",
    "Corvid",
    "Dunmore",
    "Elstow",
    "Farrow",
    "Garnet",
    "Hollin",
    "Inver",
    "Juniper",
    "Kestrel",
    "Larch",
    "Marlow",
    "Norrvik",
    "Orrin",
    "Pemberley",
    "Quarry",
    "Rowan",
    "Selby",
    "Tarn",
    "Ullswater",
    "Vesper",
    "Wharfe",
    "Yarrow",
    "Zephyr",
    "Ashcombe",
    "Birch",
    "Calder",
    "Drummond",
    "Ember",
]
SECOND = [
    "Bridge",
    "Castle",
    "Dale",
    "Field",
    "Gate",
    "Haven",
    "Isle",
    "Moor",
    "Point",
    "Quay",
    "Ridge",
    "Stone",
    "Tower",
    "Vale",
    "Water",
    "Wick",
    "Wood",
    "Yard",
    "Forge",
    "Mill",
]
FORMS = ("plc", "Ltd", "Inc.", "AG", "AB", "Group", "Holdings", "Cooperative")
KINDS = (
    "Annual report",
    "Quarterly report",
    "Supply agreement",
    "Lease agreement",
    "Safety manual",
    "Board minutes",
    "Audit memorandum",
    "Field study",
    "Maintenance handbook",
    "Market review",
)
PLACES = [
    "Aarhus",
    "Bergen",
    "Cadiz",
    "Dresden",
    "Exeter",
    "Faro",
    "Ghent",
    "Halifax",
    "Izmir",
    "Jena",
    "Kiel",
    "Lucca",
    "Malmo",
    "Nantes",
    "Oulu",
    "Porto",
    "Quito",
    "Riga",
    "Split",
    "Turku",
    "Utrecht",
    "Vigo",
    "Wroclaw",
    "York",
    "Zadar",
]
MATTERS = [
    "cold storage",
    "freight rail",
    "wind turbines",
    "orchard produce",
    "paper mills",
    "harbour dredging",
    "glass making",
    "dairy farming",
    "bicycle parts",
    "water metering",
    "timber framing",
    "lighthouse lamps",
    "cable laying",
    "seed breeding",
    "printing inks",
    "ferry services",
    "stone quarrying",
    "wool spinning",
    "roof solar",
    "fish farming",
    "medical textiles",
    "road salt",
    "piano making",
    "brick kilns",
    "tidal power",
    "map printing",
    "heat pumps",
    "grain drying",
    "crane hire",
    "archive scanning",
]
SUBJECTS = [
    "Staffing",
    "Energy use",
    "Capital expenditure",
    "Insurance",
    "Spare parts",
    "Inspection",
    "Customer complaints",
    "Training",
    "Packaging",
    "Water consumption",
    "Suppliers",
    "Warranty claims",
    "Noise limits",
    "Fire drills",
    "Currency hedging",
    "Storage temperatures",
    "Delivery times",
    "Licence fees",
    "Recycling",
    "Night shifts",
    "Software licences",
    "Vehicle fleet",
    "Pension plan",
    "Research projects",
]
VERBS = ("rose to", "fell to", "stood at", "was planned at", "was cut to", "reached")
UNITS = ("thousand euros", "hours", "tonnes", "cases", "visits", "units", "square metres")
REASONS = (
    "after the second hall was opened",
    "because fewer orders came in winter",
    "as the older machines were taken out of use",
    "while prices of raw material doubled",
    "once the new contract with the port began",
    "since two sites were merged",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A Markdown file and its name."""

    name: str
    text: str


def sample_document(number: int, *, seed: int = 7) -> Sample:
    """The invented document of that number: the same on every machine, of about 250 words."""
    draw = random.Random(seed * 1_000_003 + number)
    company = f"{draw.choice(FIRST)}{draw.choice(SECOND).lower()} {draw.choice(FORMS)}"
    kind, matter, year = draw.choice(KINDS), draw.choice(MATTERS), draw.randrange(2008, 2027)
    place = draw.choice(PLACES)
    title = f"{company}: {kind.lower()} on {matter} {year}"
    opening = (
        f"{company} works in {matter} from {place}. This {kind.lower()} covers the year {year} and bears the reference "
        f"{_code(draw, number)}."
    )
    sections = [_section(draw, subject, matter, place) for subject in draw.sample(SUBJECTS, 5)]
    text = "\n\n".join([f"# {title}", opening, *sections]) + "\n"
    stem = "-".join(title.replace(":", "").replace(".", "").lower().split())
    return Sample(f"{stem}-{number}.md", text)


def _code(draw: random.Random, number: int) -> str:
    return f"{draw.choice('ABCDEFGHKLMNPRSTUVWX')}{draw.choice('ABCDEFGHKLMNPRSTUVWX')}-{number:06d}"


def _section(draw: random.Random, subject: str, matter: str, place: str) -> str:
    return f"## {subject}\n\n" + " ".join(_sentence(draw, subject, matter, place) for _ in range(3))


def _sentence(draw: random.Random, subject: str, matter: str, place: str) -> str:
    where: Sequence[str] = (place, draw.choice(PLACES))
    return (
        f"{subject} for {matter} in {draw.choice(where)} {draw.choice(VERBS)} {draw.randrange(11, 9_900):,} "
        f"{draw.choice(UNITS)} {draw.choice(REASONS)}."
    )
