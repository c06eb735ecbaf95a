"""Fixtures shared by the tests of the engine's rooms."""

import pytest

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.parsing.compile import compile_file


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compiles a text in a format told by the file's name."""

    def compile_text(text, name="note.md"):
        path = tmp_path_factory.mktemp("texts") / name
        path.write_text(text, encoding="utf-8")
        return CompiledDocument(compile_file(path, name=name))

    return compile_text
