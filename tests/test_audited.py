"""Whoever adds an act that writes is asked for its event: every service that somebody does is in the record."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "vectorless_web"
FOLDERS = ("services", "subjects")
"""Folders and modules of services; the acts that people do live there alone."""
PEOPLE = {"actor", "user", "by"}
"""Names of the argument that says who acts."""
WRITES = {
    "save",
    "create",
    "update",
    "delete",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
    "set",
    "add",
    "remove",
    "clear",
}
OF_SETS_TOO = {"set", "add", "remove", "clear", "update"}
"""Those that sets and dictionaries have as well."""
RECORDS = {"record", "delete_and_record"}
UNRECORDED = {
    "runs/services/asking.py:give_feedback": "an opinion on an answer, kept with the run and changed at will",
    "workspaces/services/settings.py:reserve": "money put aside during a run; the run is in the record",
    "documents/services/uploads.py:begin_partial_upload": "pieces of a file; the document's event follows the last",
    "documents/services/uploads.py:hold_upload": "a file that waits for its sender's word; its event follows",
    "runs/services/asking.py:start_background_run": "one of many; the grid or the evaluation is in the record",
    "workspaces/services/recording.py:record": "writes the event itself",
}
"""Acts that write and leave no event, each with its reason."""


def modules() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*.py")):
        folders = set(path.relative_to(ROOT).parts[:-1])
        if not folders & {"engine", "migrations"} and (path.stem == "services" or folders & set(FOLDERS)):
            yield path


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def calls_in(function: ast.FunctionDef) -> set[str]:
    """Names of what a function calls: functions by their name, methods by the last part."""
    names = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            target = node.func
            names.add(target.id if isinstance(target, ast.Name) else getattr(target, "attr", ""))
    return names


def writes(function: ast.FunctionDef) -> bool:
    """Whether a function writes rows by itself: a manager's, a query's or a row's method of that name is called."""
    methods = [
        node.func for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    return any(
        method.attr in WRITES and (method.attr not in OF_SETS_TOO or is_of_rows(method.value)) for method in methods
    )


def is_of_rows(value: ast.expr) -> bool:
    """Whether a method's object reads like rows: `Model.objects...`, or a relation such as `run.shared_with`."""
    text = ast.unparse(value)
    return "objects" in text or "filter(" in text or ("." in text and not text.startswith(("cache", "messages")))


def reaches(function: str, known: dict[str, ast.FunctionDef], seen: frozenset[str] = frozenset()) -> set[str]:
    """All names that a function calls, through functions of its own module."""
    called = calls_in(known[function])
    for name in (called & known.keys()) - seen - {function}:
        called |= reaches(name, known, seen | {function})
    return called


def people_of(function: ast.FunctionDef) -> set[str]:
    arguments = [*function.args.args, *function.args.kwonlyargs]
    return {argument.arg for argument in arguments} & PEOPLE


def unrecorded(tree: ast.Module) -> list[str]:
    """Public functions by which somebody writes rows and no event follows."""
    known = functions(tree)
    found = []
    for name, function in known.items():
        if name.startswith("_") or not people_of(function):
            continue
        called = reaches(name, known)
        touched = [known[each] for each in called & known.keys()] + [function]
        if any(writes(each) for each in touched) and not called & RECORDS:
            found.append(name)
    return found


def test_every_act_that_writes_is_recorded_or_says_why_not():
    found = {
        f"{path.relative_to(ROOT)}:{name}"
        for path in modules()
        for name in unrecorded(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == UNRECORDED.keys()
