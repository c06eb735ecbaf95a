"""Which questions about its sections a document answers without a model, tried before they are offered to readers."""

from collections.abc import Iterator, Sequence

from vectorless_web.engine.documents.artefact import CompiledDocument
from vectorless_web.engine.passages.find import find_passages
from vectorless_web.engine.questions.understand import understand


def answered_questions(document: CompiledDocument, questions: Sequence[str]) -> Iterator[str]:
    """Those whose closest passage is under the very heading that they name."""
    for question in questions:
        closest = find_passages(understand(question), {"": document}, most=1)
        if closest and closest[0].path and closest[0].path[-1].strip(" .:") in question:
            yield question
