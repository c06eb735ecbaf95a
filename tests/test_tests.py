"""Every test says in its own body what it looks at: it asserts, waits for an error, or calls `assert_...`."""

import ast
from pathlib import Path

TESTS = Path(__file__).parent


def looks(test: ast.AST) -> bool:
    """Whether anything in a test can fail it where a reader of the test sees it."""
    names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(test)}
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(test))
    return asserts or bool(names & {"expect", "raises", "warns"}) or any(n.startswith("assert_") for n in names)


def test_every_test_asserts_where_its_reader_sees_it():
    blind = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        if not looks(node)
    ]
    assert blind == []
