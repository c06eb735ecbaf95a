"""Correcting an outline by hand: a new version of the same file, with its author."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from vectorless_web.documents.models import DocumentVersion
from vectorless_web.documents.services.uploads import start_compiling
from vectorless_web.documents.storage.files import open_version
from vectorless_web.engine.documents.node import Node, NodeKind
from vectorless_web.engine.parsing.corrections import LONGEST_HEADING, CorrectionAct
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

HEADING_KINDS = (NodeKind.PARAGRAPH, NodeKind.LIST, NodeKind.CAPTION)


def may_be_heading(node: Node) -> bool:
    """Whether a leaf is short and plain enough to be made a heading."""
    return node.kind in HEADING_KINDS and len(node.text) <= LONGEST_HEADING


def check_corrections(*, version: DocumentVersion, corrections: Sequence[Mapping[str, Any]]) -> None:
    """Problem (422) when a correction does not fit the part it names, given those before it."""
    tree = open_version(version).tree
    headings = set(tree.sections())
    text: set[int] = set()
    for correction in corrections:
        key, act = correction["key"], CorrectionAct(correction["act"])
        if key not in tree:
            raise Problem("There is no such part in this document.", code="unknown_part", status=422)
        is_text = key in text or (key not in headings and may_be_heading(tree.node(key)))
        if not (is_text if act is CorrectionAct.SPLIT else key in headings):
            raise Problem("This correction does not fit that part of the document.", code="not_a_heading", status=422)
        if act is CorrectionAct.JOIN:
            headings.discard(key)
            text.add(key)
        elif act is CorrectionAct.SPLIT:
            headings.add(key)
            text.discard(key)


@transaction.atomic
def correct_outline(
    *, actor: User, version: DocumentVersion, corrections: Sequence[Mapping[str, Any]]
) -> DocumentVersion:
    """Queue a version with `corrections` ([{key, act, title, depth}], keys as in `version`) on top of its own.

    Problem when nothing is to be corrected, or a newer version has come.
    """
    document = version.document
    newest = document.versions.select_for_update().order_by("-number").first()
    if not corrections:
        raise Problem("There is nothing to correct yet.", code="no_corrections", status=422)
    if newest is None or newest.pk != version.pk or version.status != DocumentVersion.Status.READY:
        raise Problem(
            "A newer version of this document has come. Look at it before you correct anything.",
            code="newer_version",
            status=409,
        )
    made = DocumentVersion.objects.create(
        document=document,
        number=version.number + 1,
        file=version.file.name,
        sha256=version.sha256,
        mime=version.mime,
        bytes=version.bytes,
        corrections=[*version.corrections, *map(dict, corrections)],
        added_by_id=actor.pk,
    )
    details = {"version": made.number, "corrections": len(corrections)}
    record(
        actor=actor, verb="document.outline_corrected", workspace=document.workspace, target=document, details=details
    )
    start_compiling(made)
    return made
