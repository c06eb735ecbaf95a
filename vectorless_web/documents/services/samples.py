"""Fills a workspace with invented documents by the paths that an upload takes, but for the files."""

import hashlib
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from vectorless_web.documents.models import Document, DocumentVersion, Section
from vectorless_web.documents.services.compiled_rows import (
    Linked,
    card_row,
    list_words,
    section_rows,
    show_many,
    starters_of,
    version_facts,
)
from vectorless_web.documents.storage.files import store_artefact
from vectorless_web.engine.documents.artefact import ENGINE_VERSION, CompiledDocument, open_artefact
from vectorless_web.engine.finding.routing.editions import read_head
from vectorless_web.engine.parsing.compile import compile_file
from vectorless_web.infra.limits import TITLE_MAX
from vectorless_web.workspaces.models import Workspace

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


BATCH = 50
"""Documents written in one transaction."""


@dataclass(frozen=True, slots=True)
class _Made:
    sample: Sample
    sha256: str
    file: str
    artefact: tuple[str, str]
    document: CompiledDocument


def add_samples(*, workspace: Workspace, count: int) -> Iterator[int]:
    """Add so many invented documents, ready; yields how many are there after each portion."""
    first = workspace.documents.count() + 1
    for start in range(0, count, BATCH):
        numbers = range(first + start, first + min(start + BATCH, count))
        with tempfile.TemporaryDirectory(prefix="samples-") as folder:
            _store(workspace, [_compile_sample(sample_document(number), Path(folder)) for number in numbers])
        yield min(start + BATCH, count)


def _compile_sample(sample: Sample, folder: Path) -> _Made:
    content = sample.text.encode()
    digest = hashlib.sha256(content).hexdigest()
    path, target = folder / sample.name, folder / f"{sample.name}.artefact"
    path.write_bytes(content)
    target.write_bytes(compile_file(path, name=sample.name))
    file = default_storage.save(f"uploads/samples/{digest}.txt", ContentFile(content))
    artefact = store_artefact(target, f"compiled/{digest}-{ENGINE_VERSION}")
    return _Made(sample, digest, file, artefact, open_artefact(target))


@transaction.atomic
def _store(workspace: Workspace, made: list[_Made]) -> None:
    titles = [row.document.title[:TITLE_MAX] or row.sample.name for row in made]
    documents = [
        Document(workspace=workspace, title=title, name=row.sample.name)
        for title, row in zip(titles, made, strict=True)
    ]
    Document.objects.bulk_create(documents)
    versions = [_version(document, row) for document, row in zip(documents, made, strict=True)]
    DocumentVersion.objects.bulk_create(versions)
    for document, version, row in zip(documents, versions, made, strict=True):
        document.current_version = version
        Section.objects.bulk_create(section_rows(version, row.document))
        card_row(version, row.document.card, starters_of(row.document)).save()
    Document.objects.bulk_update(documents, ["current_version"])
    cards = [Linked(row.document.card, (), list_words(row.document), read_head(row.document)) for row in made]
    show_many(workspace.pk, dict(zip(documents, cards, strict=True)))


def _version(document: Document, row: _Made) -> DocumentVersion:
    name, digest = row.artefact
    return DocumentVersion(
        document=document,
        file=row.file,
        sha256=row.sha256,
        bytes=len(row.sample.text.encode()),
        status=DocumentVersion.Status.READY,
        ready_at=timezone.now(),
        artefact=name,
        artefact_sha256=digest,
        **version_facts(row.document, seconds=0.0, peak_mb=0.0),
    )
