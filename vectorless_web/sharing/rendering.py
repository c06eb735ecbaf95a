"""What a shared run shows: answer, trace and the pages quoted, with no way into the workspace."""

from dataclasses import replace
from typing import Any

from django.urls import reverse

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.runs import selectors
from vectorless_web.runs.models import Run
from vectorless_web.runs.page import page_context
from vectorless_web.runs.page.sheets import may_be_shown
from vectorless_web.sharing.models import ShareLink
from vectorless_web.sharing.redaction import redaction_of
from vectorless_web.workspaces.selectors import May

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
    return {
        **context,
        "link": link,
        "shared": True,
        "shared_by": None if link.redact else link.created_by,
        "steps": [replace(step, refs=[_remove_links(ref) for ref in step.refs]) for step in context["steps"]],
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
    answer = context["answer"]
    if answer is not None:
        answer.missing = [told.text(part) for part in answer.missing]
    context["maps"] = []


def find_quoted_version(run: Run, version: int, page_index: int) -> DocumentVersion | None:
    """The version when that page of it holds a part of a quote and was not deleted since, else None."""
    for claim in selectors.claims_of(run):
        for citation in claim.citations.all():
            on_pages = {citation.page_index, *(span[0] for span in citation.spans)}
            shown = citation.version if citation.version_id == version and page_index in on_pages else None
            if shown is not None and may_be_shown(shown):
                return shown
    return None


def _remove_links(ref: Any) -> Any:
    return replace(ref, url="", sheet_url="")


def _adapt_sheet(sheet: dict[str, Any], token: str) -> dict[str, Any]:
    """A page as seen through the link: its picture by the link's own address, no neighbours."""
    image = reverse("sharing:page_image", args=[token, sheet["version"], sheet["page"]]) if sheet["image_url"] else ""
    return sheet | {"image_url": image, "url": "", "previous_url": "", "next_url": ""}
