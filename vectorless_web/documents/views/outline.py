"""Correcting an outline by hand: corrections are gathered in the session, then applied as one new version."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents import selectors, services
from vectorless_web.documents.forms import DEEPEST, CorrectionForm, ReaderForm
from vectorless_web.documents.models import Document, DocumentVersion, Section
from vectorless_web.documents.rendering.tree_report import count
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.node import Node
from vectorless_web.engine.parsing.corrections import CorrectionAct
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role
from vectorless_web.workspaces.selectors import workspace_context

MOST_CANDIDATES = 60
"""Leaves of one section that are offered to become headings."""
MOST_PENDING = 200
"""Corrections that may be collected before they are applied; they are kept in the session."""


@require_GET
def outline(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The outline with what may be corrected about the heading `?section=`."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    version = _find_correctable_version(document)
    return render(request, "documents/outline.html", _page(request, document, version))


@require_POST
def correct(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Note one correction; nothing changes until all are applied."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    version = _find_correctable_version(document)
    form = CorrectionForm(request.POST)
    if not form.is_valid():
        context = {**_page(request, document, version), "form": form}
        return render(request, "documents/outline.html", context, status=422)
    pending = [*_read_pending_changes(request, version), form.cleaned_data]
    if len(pending) > MOST_PENDING:
        raise Problem("Apply these corrections first, then go on.", code="too_many_corrections", status=422)
    services.check_corrections(version=version, corrections=pending)
    request.session[_place(version)] = pending
    address = reverse("documents:outline", kwargs={"slug": slug, "pk": pk})
    return redirect(f"{address}?section={form.cleaned_data['key']}")


@require_POST
def discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Forget the corrections that were noted."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    request.session.pop(_place(_find_correctable_version(document)), None)
    return redirect("documents:outline", slug=slug, pk=pk)


@require_POST
def apply(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a new version with the corrections that were noted."""
    document = selectors.document_for(request.user, slug, pk, Role.EDITOR)
    version = _find_correctable_version(document)
    made = services.correct_outline(
        actor=request.user, version=version, corrections=_read_pending_changes(request, version)
    )
    request.session.pop(_place(version), None)
    messages.info(
        request, f"Version {made.number} is being read with your corrections; it takes over when it is ready."
    )
    return redirect("documents:detail", slug=slug, pk=pk)


def _find_correctable_version(document: Document) -> DocumentVersion:
    """The current version, if it is the newest one."""
    version, newest = document.current_version, document.latest
    if version is None or newest is None or version.pk != newest.pk:
        raise Problem(
            "The outline can be corrected when the newest version has been read.", code="not_ready", status=409
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
