"""Every error names its cause and what to do about it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from ninja.errors import ValidationError

from vectorless_web.api.problems import WORDED, problem_of
from vectorless_web.engine.errors import ArtefactDamaged

ROOT = Path(__file__).resolve().parents[2] / "vectorless_web"
SHOWN = ("engine/questions", "engine/parsing/sniff.py", "infra", "runs/services")
"""Where an InvalidInput goes to whoever sent a request; elsewhere a model or a command reads it."""


def find_errors() -> Iterator[tuple[str, ast.Call]]:
    """Where each error that people or programs are told is made, and how."""
    for path in sorted(ROOT.rglob("*.py")):
        place = str(path.relative_to(ROOT))
        told = {"Problem", "UnreadableDocument"} | ({"InvalidInput"} if place.startswith(SHOWN) else set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in told:
                yield f"{place}:{node.lineno}", node


def test_every_error_of_the_program_has_a_cause_and_a_remedy():
    lacking, codes = [], set()
    for place, call in find_errors():
        given = {row.arg: row.value for row in call.keywords}
        codes |= {row.value for name, row in given.items() if name == "code" and isinstance(row, ast.Constant)}
        remedy = given.get("remedy")
        is_told = None in given or (remedy is not None and getattr(remedy, "value", "?") != "")
        if not (call.args and getattr(call.args[0], "value", "?") and is_told):
            lacking.append(place)
    assert lacking == []
    assert len(codes) > 150  # It did look.


@pytest.mark.parametrize("kind", [*WORDED, ValidationError, ArtefactDamaged, RuntimeError])
def test_an_error_of_a_library_gets_a_remedy_too(kind, rf):
    error = kind.__new__(kind)
    error.errors, error.status_code, error.cause, error.remedy, error.message = [], 400, "", "", "It is damaged."
    problem = problem_of(rf.get("/"), error)
    assert problem.cause and problem.remedy and problem.code


@pytest.mark.django_db
def test_a_refusal_names_cause_remedy_and_code(program, alice, workspace, report):
    importer, place = program(alice), f"/workspaces/{workspace.slug}"
    refused = [
        importer.get(f"{place}/documents/{report.pk}/pages/99"),
        importer.get("/workspaces/nowhere"),
        importer.get("/nothing"),
        importer.post(f"{place}/runs", {"question": " "}),
        importer.post(f"{place}/runs", {"question": "Which dues?", "documents": []}),
        importer.post(f"{place}/retrieve", {"query": "dues", "limit": 0}),
        importer.post(f"{place}/retrieve", {"query": "dues", "documents": [report.pk], "encoded": {"x": {}}}),
        importer.send("delete", "/me"),
        program(alice, "read").post(f"{place}/runs", {"question": "Which dues?"}),
    ]
    told = [reply.json() for reply in refused]
    assert [(row["code"], row["detail"]) for row in told if not (row["code"] and row["detail"] and row["remedy"])] == []
    assert all(reply.status_code >= 400 for reply in refused)
