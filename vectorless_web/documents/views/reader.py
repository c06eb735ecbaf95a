"""The reader: page with finds, about, images and the original file; the outline, and correcting it by hand."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import PurePath
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header

from vectorless_web.documents import selectors, services
from vectorless_web.documents.background import add_summaries
from vectorless_web.documents.forms import DEEPEST, CorrectionForm, ReaderForm
from vectorless_web.documents.models import Document, DocumentVersion, Section
from vectorless_web.documents.rendering.markdown import write_document
from vectorless_web.documents.rendering.page import (
    SCALE,
    SCALES,
    figure_image,
    page_image,
    page_tables,
    page_url,
    page_view,
    page_words,
    unreadable_sentence,
)
from vectorless_web.documents.rendering.text import Find, find_words
from vectorless_web.documents.rendering.tree_report import count, report_pairs
from vectorless_web.documents.storage.files import open_version, size_of
from vectorless_web.documents.views.listing import row_context
from vectorless_web.documents.views.rights import document_done_by, document_shown_to
from vectorless_web.engine.documents.node import Node
from vectorless_web.engine.errors import ArtefactDamaged
from vectorless_web.engine.parsing.corrections import CorrectionAct
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.csv_files import download
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind
from vectorless_web.notices.services import mark_seen
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context

MOST_CANDIDATES = 60
"""Leaves of one section that are offered to become headings."""
MOST_PENDING = 200
"""Corrections that may be collected before they are applied; they are kept in the session."""


@document_shown_to(Role.EDITOR)
def outline(request: HttpRequest, document: Document) -> HttpResponse:
    """The outline with what may be corrected about the heading `?section=`."""
    version = _find_correctable_version(document)
    return render(request, "documents/outline.html", _page(request, document, version))


@document_done_by(Role.EDITOR)
def correct(request: HttpRequest, document: Document) -> HttpResponse:
    """Note one correction; nothing changes until all are applied."""
    version = _find_correctable_version(document)
    form = CorrectionForm(request.POST)
    if not form.is_valid():
        context = {**_page(request, document, version), "form": form}
        return render(request, "documents/outline.html", context, status=422)
    pending = [*_read_pending_changes(request, version), form.cleaned_data]
    if len(pending) > MOST_PENDING:
        raise Problem(
            "No more corrections can wait.", remedy="Apply these first, then go on.", code="too_many_corrections"
        )
    services.check_corrections(version=version, corrections=pending)
    request.session[_place(version)] = pending
    address = reverse("documents:outline", kwargs={"slug": document.workspace.slug, "pk": document.pk})
    return redirect(f"{address}?section={form.cleaned_data['key']}")


@document_done_by(Role.EDITOR)
def discard(request: HttpRequest, document: Document) -> HttpResponse:
    """Forget the corrections that were noted."""
    request.session.pop(_place(_find_correctable_version(document)), None)
    return redirect("documents:outline", slug=document.workspace.slug, pk=document.pk)


@document_done_by(Role.EDITOR)
def apply(request: HttpRequest, document: Document) -> HttpResponse:
    """Make a new version with the corrections that were noted."""
    version = _find_correctable_version(document)
    made = services.correct_outline(
        actor=request.user, version=version, corrections=_read_pending_changes(request, version)
    )
    request.session.pop(_place(version), None)
    messages.info(
        request, f"Version {made.number} is being read with your corrections; it takes over when it is ready."
    )
    return redirect("documents:detail", slug=document.workspace.slug, pk=document.pk)


def _find_correctable_version(document: Document) -> DocumentVersion:
    """The current version, if it is the newest one."""
    version, newest = document.current_version, document.latest
    if version is None or newest is None or version.pk != newest.pk:
        raise Problem(
            "The newest version has not been read yet.",
            remedy="Correct the outline when it has been.",
            code="not_ready",
            status=409,
        )
    version.document = document
    return version


def _place(version: DocumentVersion) -> str:
    return f"corrections-{version.pk}"


def _read_pending_changes(request: HttpRequest, version: DocumentVersion) -> list[dict[str, Any]]:
    pending: list[dict[str, Any]] = request.session.get(_place(version), [])
    return pending


def _page(request: HttpRequest, document: Document, version: DocumentVersion) -> dict[str, Any]:
    asked = ReaderForm(request.GET)
    asked.is_valid()
    key = parse_whole_number(request.GET.get("section", request.POST.get("key", "")))
    chosen = version.sections.filter(key=key).first() if key is not None else None
    window = selectors.outline_window(
        version,
        key=chosen.key if chosen else None,
        first=asked.cleaned_data.get("headings"),
        search=asked.cleaned_data.get("outline") or "",
    )
    for section in window.rows:
        section.url = f"?section={section.key}"  # type: ignore[attr-defined]
    pending = _read_pending_changes(request, version)
    return {
        **workspace_context(request.user, document.workspace, "documents"),
        "document": document,
        "version": version,
        "outline": window.rows,
        "outline_window": window,
        "current_key": chosen.key if chosen else None,
        "chosen": chosen,
        "depths": range(DEEPEST + 1),
        "chosen_depth": chosen.depth - 1 if chosen else 0,
        "candidates": _candidates(version, chosen) if chosen else [],
        "pending": [_sentence(version, correction) for correction in pending],
        "pending_count": count(len(pending), "correction"),
    }


def _candidates(version: DocumentVersion, chosen: Section) -> list[Node]:
    """Short paragraphs that stand directly in a section: what may be a heading that was missed."""
    tree = open_version(version).tree
    nodes = (tree.node(key) for key in tree.children(chosen.key))
    return [node for node in nodes if services.may_be_heading(node)][:MOST_CANDIDATES]


def _sentence(version: DocumentVersion, correction: dict[str, Any]) -> str:
    """A correction in words."""
    tree = open_version(version).tree
    key = correction["key"]
    node = tree.node(key)
    name = (node.title or node.text)[:80]
    return {
        CorrectionAct.RENAME: f"“{name}” is called “{correction['title']}”",
        CorrectionAct.MOVE: f"“{name}” stands at level {(correction['depth'] or 0) + 1}",
        CorrectionAct.JOIN: f"“{name}” is no heading",
        CorrectionAct.SPLIT: f"“{name}” is a heading",
    }[CorrectionAct(correction["act"])]


RETRY_SECONDS = 5
"""Seconds after which the browser is told to ask again for a document whose artefact is being made again."""
REPAIR_FIELDS = ["repair", "repair_reason", "repair_after", "error_code", "error_message", "stage_done", "stage_total"]
IMAGE_SECONDS = 365 * 24 * 3600
"""Seconds that a browser may keep a page image: a year, since the address names the version and a version never
changes."""
FIGURE_SECONDS = 3600
"""Seconds that a browser may keep a figure's picture: an hour, since a document that is read again counts anew."""
CHUNK_BYTES = 1 << 18
"""Bytes of a download that are sent at a time."""


@document_shown_to(Role.VIEWER)
def detail(request: HttpRequest, document: Document) -> HttpResponse:
    """A document: its outline, one page of it, and what is known about it."""
    mark_seen(user_id=request.user.pk, kinds=(Kind.DOCUMENT_FAILED,), about=document.pk)
    asked = _read_query(request)
    version = selectors.shown_version(document, asked.get("version"))
    reading = _reading_or_why(version, asked) if version.status == DocumentVersion.Status.READY else {}
    window = selectors.outline_window(
        version, key=reading.get("current_key"), first=asked.get("headings"), search=asked.get("outline") or ""
    )
    summarised_by = add_summaries(version, window.rows)
    context = {
        **workspace_context(request.user, document.workspace, "documents"),
        **row_context(document.workspace, document),
        "version": version,
        "original_missing": bool(reading.get("sheet")) and size_of(version.file.name or "") is None,
        "is_latest": document.latest is not None and document.latest.pk == version.pk,
        "versions": document.versions.all(),
        "comparable": [other.number for other in selectors.ready_versions(document)[:-1]],
        "outline": window.rows,
        "summarised_by": summarised_by,
        "outline_window": window,
        "card": getattr(version, "card", None),
        "enclosures": selectors.enclosed_files(version, request.user),
        "holders": selectors.holders_of(document, request.user),
        "report_pairs": report_pairs(version),
        "sheet": None,
        **reading,
    }
    return render(request, "documents/detail.html", context)


@document_shown_to(Role.VIEWER)
def page(request: HttpRequest, document: Document, page: int) -> HttpResponse:
    """One page as a fragment; `?version=` other than the current one, `?view=text`, `?find=words`."""
    asked = {**_read_query(request), "page": page}
    version = selectors.ready_version(document, asked.get("version"))
    sheet = _reading_or_why(version, asked)["sheet"]
    if sheet is None:
        raise Problem(
            unreadable_sentence(version),
            remedy="Try again in a moment.",
            code="artefact_damaged",
            status=503,
            retry_after=RETRY_SECONDS,
        )
    return render(request, "documents/_page.html", {"sheet": sheet})


@document_shown_to(Role.VIEWER)
def image(request: HttpRequest, document: Document, number: int, page: int) -> HttpResponse:
    """A page's picture. It never changes, so the browser may keep it."""
    version = _find_page(document, number, page)
    tag = f'"{version.sha256}-{page}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304)
    picture = page_image(version, page - 1, _scale(request))
    response = HttpResponse(picture.read_bytes(), content_type="image/jpeg", headers={"ETag": tag})
    patch_cache_control(response, private=True, max_age=IMAGE_SECONDS, immutable=True)
    return response


@document_shown_to(Role.VIEWER)
def figure(request: HttpRequest, document: Document, number: int, key: int) -> HttpResponse:
    """The picture of a figure; `key` is that of its node, which another compiler may have given to something else."""
    picture = figure_image(selectors.ready_version(document, number), key)
    tag = f'"{hashlib.sha256(picture).hexdigest()[:32]}"'
    if request.headers.get("If-None-Match") == tag:
        return HttpResponse(status=304)
    response = HttpResponse(picture, content_type="image/jpeg", headers={"ETag": tag})
    patch_cache_control(response, private=True, max_age=FIGURE_SECONDS)
    return response


@document_shown_to(Role.VIEWER)
def words(request: HttpRequest, document: Document, number: int, page: int) -> HttpResponse:
    """The words of a page, to lie over its picture for selecting and copying. They never change either."""
    version = _find_page(document, number, page)
    response = render_words(request, version, page - 1)
    patch_cache_control(response, private=True, max_age=IMAGE_SECONDS, immutable=True)
    return response


def _find_page(document: Document, number: int, page: int) -> DocumentVersion:
    """The version of that number, if it has such a page (from 1); else Http404."""
    version = selectors.version_for(document, number)
    if not 1 <= page <= version.pages:
        raise Http404("This document has no such page.")
    return version


def render_words(request: HttpRequest, version: DocumentVersion, page_index: int) -> HttpResponse:
    """The words of a page, to lie over its picture."""
    shown = open_version(version).pages[page_index]
    context = {"lines": page_words(version, page_index), "width": shown.width, "height": shown.height}
    return render(request, "documents/_words.html", context)


@document_shown_to(Role.VIEWER)
def original(request: HttpRequest, document: Document) -> StreamingHttpResponse:
    """The uploaded file of the current version, or of `?version=`, as a download."""
    version = selectors.shown_version(document, _read_query(request).get("version"))
    content = FileChunks(_opened_original(version))
    response = StreamingHttpResponse(content, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, document.name)
    response["Content-Length"] = version.bytes
    return response


@document_shown_to(Role.VIEWER)
def markdown(request: HttpRequest, document: Document) -> HttpResponse:
    """The words of the current version, or of `?version=`, as a Markdown file."""
    version = selectors.ready_version(document, _read_query(request).get("version"))
    name = f"{PurePath(document.name).stem}.md"
    return download(write_document(open_version(version)), "text/markdown; charset=utf-8", name)


def _opened_original(version: DocumentVersion) -> File:
    """The stored upload, open; Problem (404) when it is gone or cut short: a started answer could no longer say so."""
    name = version.file.name or ""
    if not name:
        raise Problem(
            "The file of this version was not kept.",
            remedy="Upload it again if it is needed.",
            code="file_missing",
            status=404,
        )
    try:
        file = default_storage.open(name)
        if file.size == version.bytes:
            return file
        file.close()
    except FileNotFoundError:
        pass
    raise Problem(
        f"The original file of “{version.document.title}” is missing from storage or damaged.",
        remedy="Upload the same file once more: it takes its place, and nothing else changes.",
        code="file_missing",
        status=404,
    )


class FileChunks:
    """An open file in pieces: an ordinary iterator would be read into memory whole before the first byte is sent.

    The response closes it, read or not.
    """

    def __init__(self, file: File) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while chunk := await sync_to_async(self._file.read)(CHUNK_BYTES):
            yield chunk

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _read_query(request: HttpRequest) -> dict[str, Any]:
    form = ReaderForm(request.GET)
    form.is_valid()
    return form.cleaned_data


def _reading_or_why(version: DocumentVersion, asked: dict[str, Any]) -> dict[str, Any]:
    """What `_reading` gives; without a `sheet`, why the version cannot be shown: it is being read again, or cannot be.

    Whoever comes upon a damaged file has it repaired, so its state is read once more.
    """
    try:
        return _reading(version, asked)
    except ArtefactDamaged:
        version.refresh_from_db(fields=REPAIR_FIELDS)
        return {"sheet": None, "unreadable": unreadable_sentence(version)}


def _reading(version: DocumentVersion, asked: dict[str, Any]) -> dict[str, Any]:
    """The page asked for, with the words to find on it; the last page when the number is too high."""
    page_index = min(asked.get("page") or 1, version.pages) - 1
    view, words = asked.get("view") or "page", asked.get("find") or ""
    finds = find_words(open_version(version), words)
    if finds and not asked.get("page"):
        page_index = finds[0].span.page_index
    sheet = {
        **page_view(version, page_index, view=view, finds=[find.span for find in finds]),
        "tables": page_tables(version, page_index, key=asked.get("table"), first=asked.get("row")),
        "tables_open": asked.get("table") is not None,
    }
    path = selectors.section_path(version, page_index)
    return {
        "sheet": sheet,
        "view": view,
        "find": words,
        "find_results": _results(version, finds, words, view),
        "current_key": path[-1].key if path else None,
    }


def _results(version: DocumentVersion, finds: list[Find], words: str, view: str) -> list[dict[str, Any]]:
    """One line for each page the words stand on."""
    first_on_page = {find.span.page_index: find for find in reversed(finds)}
    more = {"find": words} | ({"view": view} if view == "text" else {})
    return [
        {
            "page": find.page,
            "snippet": f"{find.before}{find.text}{find.after}",
            "url": page_url(version, page_index, **more),
        }
        for page_index, find in sorted(first_on_page.items())
    ]


def _scale(request: HttpRequest) -> float:
    """One of the scales that are drawn; the usual one for any other wish."""
    try:
        wanted = float(request.GET.get("scale", SCALE))
    except ValueError:
        return SCALE
    return wanted if wanted in SCALES else SCALE
