"""Sharing a run, and reading a shared one without an account: with or without names, with no way into the workspace."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from vectorless_web.documents.models import Document, DocumentVersion
from vectorless_web.documents.rendering.page import figure_image, page_image
from vectorless_web.documents.rendering.text import PagePicture
from vectorless_web.documents.storage.files import open_version
from vectorless_web.documents.views.reader import render_words
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.pages import is_htmx
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import client_address, counted_address
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Citation, Run, Step
from vectorless_web.runs.page import page_context
from vectorless_web.runs.page.rendering import StepView, group_steps
from vectorless_web.runs.page.sheets import may_be_shown
from vectorless_web.sharing import services
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import May, workspace_context
from vectorless_web.workspaces.views.rights import shown_to

IMAGE_SECONDS = 24 * 3600
"""Seconds that a browser may keep a page image of a shared run. A page seen before its link was revoked may be seen so
long after."""
FIGURE_SECONDS = 3600
"""The same for a figure's picture: shorter, since a document that is read again counts its figures anew."""


@require_GET
def menu(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = services.shareable_run(request.user, slug, pk)
    return _menu(request, run)


@require_POST
def make(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    run = services.shareable_run(request.user, slug, pk)
    terms = services.LinkTerms(
        days=parse_whole_number(request.POST.get("days")) or 0,
        password=request.POST.get("password", ""),
        redact=bool(request.POST.get("redact")),
        hide_trace=bool(request.POST.get("hide_trace")),
        label=request.POST.get("label", ""),
        views_max=_read_views_max(request),
    )
    try:
        _link, token = services.make_link(user=request.user, run=run, terms=terms)
    except Problem as problem:
        # With what was chosen: the second try must not make a link that is open for longer.
        return _menu(request, run, error=problem.message, status=problem.status, terms=terms)
    return _menu(request, run, new_link=request.build_absolute_uri(reverse("sharing:view", args=[token])))


@require_POST
def revoke(request: HttpRequest, slug: str, pk: int, link: int) -> HttpResponse:
    run = services.shareable_run(request.user, slug, pk)
    services.revoke_link(user=request.user, link=services.link_of(run, link))
    if is_htmx(request):
        return _menu(request, run)
    back = request.POST.get("back")
    return redirect("sharing:links", slug=slug) if back == "links" else redirect("sharing:menu", slug=slug, pk=pk)


@shown_to(Role.OWNER)
def links(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    context = workspace_context(request.user, workspace, "settings")
    found = services.links_in(workspace, request.user)
    return render(request, "sharing/links.html", {**context, "tab": "links", "links": found})


@shown_to(Role.OWNER)
def link_views(request: HttpRequest, workspace: Workspace, link: int) -> HttpResponse:
    """Who opened one link, when, from which network, and which pages they looked at."""
    found = services.link_in(workspace, request.user, link)
    context = {
        **workspace_context(request.user, workspace, "settings"),
        "tab": "links",
        "link": found,
        "views": services.views_of(found),
        "shown_at_most": services.VIEWS_SHOWN,
    }
    return render(request, "sharing/link_views.html", context)


@login_not_required
@require_GET
def view(request: HttpRequest, token: str) -> HttpResponse:
    services.count_request(counted_address(request))
    link = services.open_link(token)
    if link is None:
        return mark_private(render(request, "sharing/gone.html", status=404))
    if not _may_read(request, link):
        return mark_private(render(request, "sharing/password.html", {"token": token}))
    agent = request.headers.get("User-Agent", "")
    if not services.take_view(link=link, address=client_address(request), agent=agent):
        return mark_private(render(request, "sharing/gone.html", status=404))
    return mark_private(render(request, "sharing/view.html", shared_context(link, token)))


@login_not_required
@require_POST
def unlock(request: HttpRequest, token: str) -> HttpResponse:
    services.count_request(counted_address(request))
    link = services.open_link(token)
    if link is None:
        return mark_private(render(request, "sharing/gone.html", status=404))
    password = request.POST.get("password", "")
    try:
        fits = services.password_fits(link=link, password=password, address=client_address(request))
        error = "" if fits else "That is not the password."
        status = 200 if fits else 422
    except Problem as problem:
        error, status = problem.message, problem.status
    if error:
        return mark_private(render(request, "sharing/password.html", {"token": token, "error": error}, status=status))
    request.session[_session_key(link)] = link.password_hash
    return mark_private(redirect("sharing:view", token=token))


@login_not_required
@require_GET
def image(request: HttpRequest, token: str, version: int, page: int) -> HttpResponse:
    link = _find_readable_link(request, token)
    shown = _take_page(request, link, version, page - 1)
    picture = page_image(shown, page - 1, label=link.label)
    return _keep_for(HttpResponse(picture.read_bytes(), content_type="image/jpeg"), IMAGE_SECONDS)


@login_not_required
@require_GET
def figure(request: HttpRequest, token: str, version: int, key: int) -> HttpResponse:
    """The picture of a figure on a quoted page, with the link's label across it; shown to whom its page is."""
    link = _find_readable_link(request, token)
    shown = _take_page(request, link, version, _find_page_of_figure(link.run, version, key))
    picture = figure_image(shown, key, label=link.label)
    return _keep_for(HttpResponse(picture, content_type="image/jpeg"), FIGURE_SECONDS)


@login_not_required
@require_GET
def words(request: HttpRequest, token: str, version: int, page: int) -> HttpResponse:
    """The words of a quoted page, to lie over its picture for selecting; shown to whom its picture is."""
    shown = _take_page(request, _find_readable_link(request, token), version, page - 1)
    return _keep_for(render_words(request, shown, page - 1), IMAGE_SECONDS)


def _find_readable_link(request: HttpRequest, token: str) -> ShareLink:
    """The open link that this browser may read by; Http404 for any other. Every asking counts."""
    services.count_request(counted_address(request))
    link = services.open_link(token)
    if link is None or not _may_read(request, link):
        raise Http404("There is no such page.")
    return link


def _take_page(request: HttpRequest, link: ShareLink, version: int, page_index: int | None) -> DocumentVersion:
    """The version of a quoted page, noted as looked at; Http404 for a page that is not quoted."""
    shown = None if page_index is None else find_quoted_version(link.run, version, page_index)
    if shown is None or page_index is None:
        raise Http404("There is no such page.")
    if not services.take_page(link=link, address=client_address(request), version=version, page=page_index + 1):
        raise Http404("There is no such page.")
    return shown


def _keep_for(response: HttpResponse, seconds: int) -> HttpResponse:
    """Let the browser alone keep an answer, for so long."""
    patch_cache_control(response, private=True, max_age=seconds)
    return _mark_unlisted(response)


def _read_views_max(request: HttpRequest) -> int | None:
    """The number of openings as typed; None for none, 0 for what is no number."""
    typed = request.POST.get("views_max", "").strip()
    return (parse_whole_number(typed) or 0) if typed else None


def _menu(request: HttpRequest, run: Run, *, status: int = 200, **more: Any) -> HttpResponse:
    """The share menu of a run: a fragment for htmx, a page of its own otherwise."""
    context = {
        **workspace_context(request.user, run.workspace, "runs"),
        "run": run,
        "links": services.links_of(run),
        "terms": services.LinkTerms(days=30),
        "days_offered": (7, 30, 90),
        "password_min": services.PASSWORD_MIN,
    }
    template = "sharing/_menu.html" if is_htmx(request) else "sharing/menu.html"
    return render(request, template, {**context, **more}, status=status)


def _may_read(request: HttpRequest, link: ShareLink) -> bool:
    """Whether the link has no password, or this session gave the one it has now."""
    return not link.password_hash or request.session.get(_session_key(link)) == link.password_hash


def _session_key(link: ShareLink) -> str:
    return f"share-{link.pk}"


def mark_private(response: HttpResponse) -> HttpResponse:
    """Mark an answer: kept by no cache, found by no search engine, its address told to no other site."""
    patch_cache_control(response, private=True, no_store=True)
    return _mark_unlisted(response)


def _mark_unlisted(response: HttpResponse) -> HttpResponse:
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    # "no-referrer" would make browsers post the password form without an origin, which CSRF protection refuses.
    response["Referrer-Policy"] = "same-origin"
    return response


LEAST_LETTERS = 3
"""Shorter names would be found within ordinary words."""
SHORTEST = 3
"""Words that a step keeps of a long name at least."""


@dataclass(frozen=True)
class Redaction:
    """What may be told of a run's documents, and how the names of all others are taken out of a text."""

    quoted: frozenset[str]
    """The documents that the answer quotes, by number."""
    hidden: re.Pattern[str] | None
    """The names of all others."""

    def text(self, text: str) -> str:
        """The text with "another document" for each name that is left out."""
        return self.hidden.sub(_("another document"), text) if self.hidden and text else text

    def step(self, view: StepView, step: Step, run: Run) -> StepView:
        """A step's card: one that worked in a document which is not quoted tells no more than that."""
        routed = [row for row in view.routed if str(row.document) in self.quoted]
        named = [row for row in view.documents if row.id in self.quoted]
        told = [replace(row, reason=self.text(row.reason)) for row in routed]
        view = replace(view, routed=told, documents=named)
        if step.kind == "route":
            return replace(view, say=self._redact_routing(step), thought="", note="", refs=(), rejected=())
        if not self._may_be_told(step, run):
            say = _("Worked in a document that the answer does not quote")
            return replace(view, say=say, thought="", note="", refs=(), quotes=(), rejected=(), search=())
        rejected = [
            {**row, "label": self.text(row["label"]), "reason": self.text(row["reason"])} for row in view.rejected
        ]
        return replace(
            view,
            say=self.text(view.say),
            thought=self.text(view.thought),
            note=self.text(view.note),
            rejected=rejected,
            search=[self.text(line) for line in view.search],
        )

    def redact_checked(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What was checked in vain: places in quoted documents, and the number of all others."""
        told = [row for row in rows if str(row.get("document")) in self.quoted]
        others = len(rows) - len(told)
        if not others:
            return told
        places = ngettext("%(n)d place", "%(n)d places", others) % {"n": others}
        return [*told, {"title": places, "reason": _("in documents that are not named here")}]

    def _may_be_told(self, step: Step, run: Run) -> bool:
        """Whether a step touched quoted documents alone.

        Of one that names no document the whole walk must be known to be in quoted ones.
        """
        if step.documents:
            return self.quoted.issuperset(step.documents) and self._all_quoted(step.refs)
        if step.walk == 0:
            return self._all_quoted(step.refs)
        refs = [ref for refs in run.steps.filter(walk=step.walk).values_list("refs", flat=True) for ref in refs]
        return bool(refs) and self._all_quoted(refs)

    def _all_quoted(self, refs: Iterable[dict[str, Any]]) -> bool:
        return all(str(ref.get("document")) in self.quoted for ref in refs)

    @staticmethod
    def _redact_routing(step: Step) -> str:
        shortlist = step.observation.get("shortlist")
        opened = len(shortlist) if isinstance(shortlist, list) else 0
        if not opened:
            return _("Chose which documents to open")
        return ngettext("Chose %(n)d document", "Chose %(n)d documents", opened) % {"n": opened}


def redaction_of(run: Run, citations: Iterable[Citation], steps: Iterable[Step]) -> Redaction:
    """What is left out of a run: the names of all documents of the workspace and of its steps that are not quoted."""
    cited = list(citations)
    quoted = {str(row.version.document_id) for row in cited if row.version is not None}
    kept = {row.document_title.casefold() for row in cited}
    names: set[str] = set()
    # A name of a restricted folder, taken out of an ordinary sentence, would tell that it is a document's.
    told = Document.objects.filter(~Q(folder__in=selectors.hidden_folders(run)), workspace=run.workspace_id)
    for pk, title, name in told.values_list("pk", "title", "name").iterator():
        if str(pk) not in quoted:
            names |= {title, name, PurePath(name).stem}
    for step in steps:
        names |= {str(title) for document, title in _list_routed_documents(step.observation) if document not in quoted}
    return Redaction(frozenset(quoted), _compile_pattern(name for name in names if name.casefold() not in kept))


def _list_routed_documents(observation: dict[str, Any]) -> list[tuple[str, str]]:
    """The documents that a routing step names: (number, title)."""
    lists = [observation.get(name) for name in ("shortlist", "missed")]
    rows = [row for found in lists if isinstance(found, list) for row in found if isinstance(row, dict)]
    return [(str(row.get("document")), str(row.get("title", ""))) for row in rows]


def _compile_pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """Matches any of the names as whole words, the longest first, no matter what the case and the blanks."""
    plain = {" ".join(name.split()) for name in names if len(name.strip()) >= LEAST_LETTERS}
    told = sorted(plain, key=lambda name: (-len(name), name))
    return re.compile("|".join(map(_match_name, told)), re.IGNORECASE) if told else None


def _match_name(name: str) -> str:
    """A pattern of the name as whole words; of one that a step shortened, which then ends in dots."""
    words, blank = list(map(re.escape, name.split())), r"\s+"
    whole, first = blank.join(words), blank.join(words[:SHORTEST])
    shortened = rf"|{first}\b[^…]{{0,200}}?…" if len(words) > SHORTEST else ""
    return rf"(?<!\w)(?:{whole}(?!\w){shortened})"


NOTHING = May(ask=False, upload=False, edit=False, delete=False, share=False, govern=False)


def shared_context(link: ShareLink, token: str) -> dict[str, Any]:
    """The context of `sharing/view.html`. Addresses inside the workspace are left out of it."""
    run = link.run
    context = page_context.run_context(run, NOTHING)
    for row in run.checked:
        row.pop("url", None)
        row.pop("sheet_url", None)
    if link.redact:
        _leave_names_out(context)
    if link.hide_trace:
        _leave_trace_out(context)
    steps = [replace(step, refs=[_remove_links(ref) for ref in step.refs]) for step in context["steps"]]
    return {
        **context,
        "link": link,
        "shared": True,
        "shared_by": None if link.redact else link.created_by,
        "steps": steps,
        "trace": group_steps(steps),
        "sheets": [_adapt_sheet(sheet, token) for sheet in context["sheets"]],
        "newer": [],
    }


def _leave_names_out(context: dict[str, Any]) -> None:
    """Take the names of documents that are not quoted out of everything that the page shows."""
    run: Run = context["run"]
    steps = selectors.steps_of(run)
    told = redaction_of(run, context["citations"], steps)
    context["steps"] = [told.step(view, step, run) for view, step in zip(context["steps"], steps, strict=True)]
    run.checked, run.reason = told.redact_checked(run.checked), told.text(run.reason)
    for claim in context["claims"]:
        claim.text, claim.because = told.text(claim.text), told.text(claim.because)
        claim.marks = list(map(told.text, claim.marks))
        claim.table = [list(map(told.text, row)) for row in claim.table]
    answer = context["answer"]
    if answer is not None:
        answer.missing, answer.note = list(map(told.text, answer.missing)), told.text(answer.note)
    context["maps"], context["unread_lines"] = [], []


def _leave_trace_out(context: dict[str, Any]) -> None:
    """Take out how the answer was found: no step, map or place that was checked reaches the page."""
    run: Run = context["run"]
    run.checked = []
    for citation in context["citations"]:
        citation.read_in = None
    context.update(steps=[], maps=[])


def find_quoted_version(run: Run, version: int, page_index: int) -> DocumentVersion | None:
    """The version when that page of it holds a part of a quote and was not deleted since, else None.

    A quote that was not found opens no page: a model may have named any.
    """
    for citation in _list_quotes(run):
        if citation.check_result == "missing":
            continue
        on_pages = {citation.page_index, *(span[0] for span in citation.spans)}
        shown = citation.version if citation.version_id == version and page_index in on_pages else None
        if shown is not None and may_be_shown(shown):
            return shown
    return None


def _list_quotes(run: Run) -> list[Citation]:
    cited = [citation for claim in selectors.claims_of(run) for citation in claim.citations.all()]
    return [*cited, *selectors.passages_of(run)]


def _find_page_of_figure(run: Run, version: int, key: int) -> int | None:
    """The index of the page on which a figure of a quoted version begins, else None."""
    versions = [row.version for row in _list_quotes(run) if row.version_id == version]
    held = next((own for own in versions if own is not None and may_be_shown(own)), None)
    document = open_version(held) if held is not None else None
    return document.tree.node(key).page_start if document is not None and key in document.pictures else None


def _remove_links(ref: Any) -> Any:
    return replace(ref, url="", sheet_url="")


def _adapt_sheet(sheet: dict[str, Any], token: str) -> dict[str, Any]:
    """A page as seen through the link: its picture by the link's own address, no neighbours."""
    place = [token, sheet["version"], sheet["page"]]
    image = reverse("sharing:page_image", args=place) if sheet["image_url"] else ""
    words = reverse("sharing:page_words", args=place) if sheet["words_url"] else ""
    blocks = [
        replace(block, picture=_adapt_figure(block.picture, sheet, token)) if block.picture else block
        for block in sheet["blocks"]
    ]
    figures = [_adapt_figure(figure, sheet, token) for figure in sheet["figures"]]
    alone = {"words_url": words, "url": "", "previous_url": "", "next_url": ""}
    return sheet | {"image_url": image, "blocks": blocks, "figures": figures} | alone


def _adapt_figure(figure: PagePicture, sheet: dict[str, Any], token: str) -> PagePicture:
    """A figure with the link's own address of its picture."""
    return replace(figure, url=reverse("sharing:figure", args=[token, sheet["version"], figure.key]))
