"""The search page of a workspace with very many documents, over HTTP, with the database and storage behind it.

    python benchmarks/search_page.py [--documents 10000] [--queries 200] [--folder DIR]

The documents are made-up handbooks (`handbooks.py`), compiled and written by the functions that production uses: rows,
artefacts, cards, the snapshot and its blocks of words. A query asks for one handbook's own rule, for the organisation's
rule, or for a few common words, every third with a facet. Each request is followed by a fixed piece of work, the
reference, so that a busy machine can be told from a slow page: how much longer it takes than its own processor time is
how much else was going on. With --folder what was built is kept and measured again. Printed: milliseconds of the page
and of the fragment that htmx gets, and those of the processor that the server had for it; the share of known facts
whose handbook comes first; whether facets and marked words are right.
"""

import argparse
import random
import re
import sys
import time
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.handbooks import Handbook, made_up
from benchmarks.site import Site

BAR_MS = 150
FOLDERS, PORTION = 12, 500
"""Folders the documents lie in, and documents written in one transaction."""
COMMON = ("office open morning", "guests stay nights", "deposit paid", "complaints answered", "alarm tested weeks")


def main() -> None:
    """Build what is missing, ask, print."""
    options = _options()
    with Site(folder=options.folder) as site:
        library = Library(site, options.documents)
        built = library.build()
        figures = library.measure(options.queries)
    print(f"{options.documents} documents, {built} of them built now")
    for name, told in figures.items():
        print(f"{name}: {told}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--folder", type=Path)
    return parser.parse_args()


@dataclass(frozen=True)
class Asked:
    """One request: its words, perhaps a facet, and the titles of which one is to come first."""

    words: str
    narrowed: str = ""
    titles: frozenset[str] = frozenset()


class Library:
    """A workspace of handbooks, and somebody signed in who searches it."""

    def __init__(self, site: Site, count: int) -> None:
        from django.contrib.auth import get_user_model
        from django.test import Client

        from vectorless_web.workspaces.models import Workspace
        from vectorless_web.workspaces.services import create_workspace

        self._site, self._books = site, list(made_up(count))
        people = get_user_model().objects
        self.user = people.filter(username="reader").first() or people.create_user("reader", "r@example.com", "x")
        held = Workspace.objects.filter(name="Handbooks").first()
        self.workspace = held or create_workspace(user=self.user, name="Handbooks")
        client = Client()
        client.force_login(self.user)
        self._cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())

    def build(self) -> int:
        """Store and compile the handbooks that are not there yet; how many."""
        from vectorless_web.documents.models import Document
        from vectorless_web.documents.services.compiled_rows import compact_snapshot, compact_words

        known = set(Document.objects.filter(workspace=self.workspace).values_list("name", flat=True))
        missing = [(number, book) for number, book in enumerate(self._books) if book.name not in known]
        for first in range(0, len(missing), PORTION):
            self._add(missing[first : first + PORTION])
            # The jobs of the queue do so; nobody works on it here.
            compact_words(self.workspace.pk)
            compact_snapshot(self.workspace.pk)
            print(f"built {first + PORTION} of {len(missing)}", file=sys.stderr, flush=True)
        return len(missing)

    def _add(self, books: Sequence[tuple[int, Handbook]]) -> None:
        """What an upload and its job leave behind, written for many documents at once by the same functions."""
        from django.db import transaction
        from django.utils import timezone

        from vectorless_web.documents.models import Card, Document, DocumentVersion, Folder, Section
        from vectorless_web.documents.services.compiled_rows import (
            card_row,
            link_card,
            section_rows,
            show_many,
            version_facts,
        )
        from vectorless_web.engine.documents.artefact import CompiledDocument

        with transaction.atomic():
            folders = [
                Folder.objects.get_or_create(workspace=self.workspace, name=f"Shelf {number + 1}")[0]
                for number in range(FOLDERS)
            ]
            rows, sections, cards, shown = [], [], [], {}
            for number, book in books:
                artefact, digest, content = self._compile(book)
                compiled = CompiledDocument(content)
                document = Document.objects.create(
                    workspace=self.workspace,
                    title=compiled.title,
                    name=book.name,
                    folder=folders[number % FOLDERS],
                    tags=[("old", "new")[number % 2]],
                )
                version = DocumentVersion.objects.create(
                    document=document, file=f"uploads/{book.name}", sha256=compiled.sha256, bytes=len(book.text),
                    artefact=artefact, artefact_sha256=digest, artefact_bytes=len(content),
                    status=DocumentVersion.Status.READY, ready_at=timezone.now(),
                    **version_facts(compiled, seconds=0.1, peak_mb=1),
                )  # fmt: skip
                document.current_version = version
                rows.append(document)
                sections += section_rows(version, compiled)
                cards.append(card_row(version, compiled.card))
                shown[document] = link_card(document, compiled)
            Document.objects.bulk_update(rows, ["current_version"])
            Section.objects.bulk_create(sections)
            Card.objects.bulk_create(cards)
            show_many(self.workspace.pk, shown)

    def _compile(self, book: Handbook) -> tuple[str, str, bytes]:
        """The name and digest of the stored artefact, and its bytes."""
        from vectorless_web.documents.storage.files import store_artefact
        from vectorless_web.engine.parsing.compile import compile_file

        path = self._site.folder / book.name
        path.write_text(book.text, "utf-8")
        content = compile_file(path, name=book.name)
        path.write_bytes(content)
        name, digest = store_artefact(path, f"compiled/{book.name}")
        path.unlink()
        return name, digest, content

    def measure(self, queries: int) -> dict[str, Any]:
        """Milliseconds and checks over so many queries, each asked as a page and as a fragment."""
        asked = list(self._make_queries(queries))
        first = _time(lambda: self._fetch(asked[0], fragment=False))[0]
        for each in asked[:3]:
            self._fetch(each, fragment=False)
        pages, used, fragments, references, right, marked = [], [], [], [_time(refer)[0]], [], []
        for each in asked:
            before = self._site.processor_ms()
            took, page = _time(lambda each=each: self._fetch(each, fragment=False))
            pages.append(took)
            used.append(self._site.processor_ms() - before)
            fragments.append(_time(lambda each=each: self._fetch(each, fragment=True))[0])
            references.append(_time(refer)[0])
            if each.titles:
                right.append(_first_title(page) in each.titles)
            marked.append(_marks_rightly(page, each.words))
        return {
            "first page of a process, ms": round(first),
            "page, ms p50 / p95 (bar 150)": _spread(pages),
            "page, ms of the server's processor p50 / p95": _spread(used),
            "fragment, ms p50 / p95": _spread(fragments),
            "reference, ms p50 / p95": _spread(references),
            "reference, ms of the processor": f"{_measure_processor(refer):.1f}",
            "known facts whose handbook comes first": f"{sum(right) / len(right):.3f} of {len(right)}",
            "pages on which just the words asked for are marked": f"{sum(marked) / len(marked):.3f} of {len(marked)}",
            "facets that count what they leave": f"{self._check_facets(asked[:12]):.3f}",
        }

    def _make_queries(self, count: int) -> Iterator[Asked]:
        chance = random.Random(5)
        # Beyond 1,020 handbooks several have a rule of the same words: any of them may come first.
        bearers: dict[str, set[str]] = {}
        for book in self._books:
            for question, _ in book.asked:
                bearers.setdefault(question, set()).add(book.text.splitlines()[0].removeprefix("# "))
        for number in range(count):
            book = chance.choice(self._books)
            if number % 3 < 2:
                question = book.asked[number % 3][0]
                yield Asked(question, titles=frozenset(bearers[question]))
            else:
                yield Asked(chance.choice(COMMON), narrowed="tag=new")

    def _fetch(self, asked: Asked, *, fragment: bool) -> str:
        query = urllib.parse.urlencode({"q": asked.words}) + (f"&{asked.narrowed}" if asked.narrowed else "")
        headers = {"Cookie": self._cookie, **({"HX-Request": "true"} if fragment else {})}
        address = f"{self._site.address}/w/{self.workspace.slug}/search/?{query}"
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as answer:
            return answer.read().decode()

    def _check_facets(self, asked: Sequence[Asked]) -> float:
        """The share of facets whose count is the number of documents that choosing them leaves."""
        from vectorless_web.runs.search import SearchQuery, search_workspace

        right = []
        for each in asked:
            found = search_workspace(self.workspace, self.user, SearchQuery(each.words))
            for facet in found.facets["folder"][:2]:
                narrowed = search_workspace(self.workspace, self.user, SearchQuery(each.words, folder=int(facet.value)))
                right.append(narrowed.total == facet.count)
            for facet in found.facets["tag"][:2]:
                narrowed = search_workspace(self.workspace, self.user, SearchQuery(each.words, tag=facet.value))
                right.append(narrowed.total == facet.count)
        return sum(right) / len(right) if right else 0.0


def refer() -> float:
    """A fixed piece of work, half of it in Python, half in numpy: what it takes tells how busy the machine is."""
    counts = Counter(number % 97 for number in range(60_000))
    array = np.arange(1_000_000, dtype=np.float64)
    return float(counts[5] + np.sqrt(array).sum())


def _time(act: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    value = act()
    return (time.perf_counter() - started) * 1000, value


def _measure_processor(act: Callable[[], Any]) -> float:
    """Milliseconds of the processor that an act takes, the least of ten."""
    taken = []
    for _ in range(10):
        started = time.process_time()
        act()
        taken.append((time.process_time() - started) * 1000)
    return min(taken)


_TITLE = re.compile(r'found-documents.*?<a class="main"[^>]*>(?P<title>.*?)</a>', re.DOTALL)
_MARK = re.compile(r"<mark>(.*?)</mark>", re.DOTALL)


def _first_title(page: str) -> str:
    found = _TITLE.search(page)
    return " ".join(re.sub(r"<[^>]+>", "", found["title"]).replace("&#x27;", "'").split()) if found else ""


def _marks_rightly(page: str, asked: str) -> bool:
    """Whether something is marked, and all that is marked is a word of the question in some form."""
    from vectorless_web.engine.finding.routing.lexical import list_asked_words
    from vectorless_web.engine.questions.understand import understand
    from vectorless_web.engine.text.analyser import analyse

    known = set(list_asked_words(understand(asked)))
    found = [set(analyse(text)) for text in _MARK.findall(page)]
    return bool(found) and all(terms & known for terms in found)


def _spread(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{ordered[len(ordered) // 2]:.1f} / {ordered[min(len(ordered) * 95 // 100, len(ordered) - 1)]:.1f}"


if __name__ == "__main__":
    main()
