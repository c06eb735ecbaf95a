"""Tries well-kept libraries in the places where the product has code of its own, on the cases that the code is for.

    python benchmarks/libraries.py

Two tables, a line per case: what the product's reader gives and what the library gives, with the library used as its
documentation says and nothing built around it.
* Streams of chat completions: `Received` beside openai's own `Stream` and `ChatCompletion` readers.
* Word files: `read_docx` beside python-docx's `iter_inner_content`, by the words of the document that come through.
"""

import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import docx
import httpx2
import openai
from docx.table import Table
from pytest_httpserver import HTTPServer
from werkzeug import Response

from tests.support.word_files import LEGAL, add_numbering, body, contract, number, related, word
from vectorless_web.engine.errors import ModelError
from vectorless_web.engine.llm.model import Message
from vectorless_web.engine.parsing.limits import CompileLimits
from vectorless_web.engine.parsing.word.parse import read_docx
from vectorless_web.providers.connections import Endpoint
from vectorless_web.providers.openai_chat import OpenAIChat


def _event(text: str, *, finish: str | None = None) -> str:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    row = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(row, ensure_ascii=False)}\n\n"


WHOLE = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "good day"}}],
}
SAID = "good day"
EVENTS, PLAIN = "text/event-stream", "application/json"
STREAMS: dict[str, tuple[str, str, str | None]] = {
    "a stream with its end": (_event("good ") + _event("day", finish="stop") + "data: [DONE]\n\n", EVENTS, SAID),
    "a stream without [DONE]": (_event("good ") + _event("day", finish="stop"), EVENTS, SAID),
    "a server that does not stream": (json.dumps(WHOLE), PLAIN, SAID),
    "comments to keep it open": (": wait\n\n" + _event(SAID, finish="stop") + "data: [DONE]\n\n", EVENTS, SAID),
    "a line separator in the text": (
        _event("good\u2028day", finish="stop") + "data: [DONE]\n\n",
        EVENTS,
        "good\u2028day",
    ),
    "broken off: an error, no answer": (_event("good "), EVENTS, None),
    "an error within: an error, no answer": (_event("good ") + 'data: {"error": {"code": 500}}\n\n', EVENTS, None),
}


def try_streams() -> Iterator[tuple[str, bool, bool]]:
    """Whether each reader gives the reply, and an error where there is none."""
    with HTTPServer(host="127.0.0.1") as server:
        for name, (text, kind, wanted) in STREAMS.items():
            server.clear()
            server.expect_request("/v1/chat/completions").respond_with_response(Response(text, content_type=kind))
            address = server.url_for("/v1")
            yield name, _read(_ours_streams, address) == wanted, _read(_openai_streams, address) == wanted


def _read(stream: Callable[[str], str], address: str) -> str | None:
    try:
        return stream(address)
    except (ModelError, openai.OpenAIError, httpx2.HTTPError):
        return None


def _ours_streams(address: str) -> str:
    return "".join(OpenAIChat(Endpoint(address, "m", "k", retries=0)).stream([Message("user", "?")]))


def _openai_streams(address: str) -> str:
    client = openai.OpenAI(base_url=address, api_key="k", max_retries=0)
    with client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}], stream=True) as chunks:
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def _numbered(document: docx.document.Document) -> None:
    add_numbering(document, LEGAL)
    number(document.add_paragraph("Payment"), 0)
    number(document.add_paragraph("The price is due in thirty days."), 1)


NOTES = (
    '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:footnote w:id="2"><w:p><w:r><w:t>Net of tax.</w:t></w:r></w:p></w:footnote></w:footnotes>'
)
WORD_FILES: dict[str, tuple[bytes, str, bool]] = {
    "headings, list, table": (word(contract), "Mooring line", True),
    "numbers that Word prints": (word(_numbered), "1.1", True),
    "a content control": (
        body("<w:sdt><w:sdtContent><w:p><w:r><w:t>Kept word</w:t></w:r></w:p></w:sdtContent></w:sdt>"),
        "Kept word",
        True,
    ),
    "a footnote": (
        related(
            body('<w:p><w:r><w:t>The price</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'),
            "footnotes",
            "footnotes.xml",
            NOTES,
        ),
        "Net of tax",
        True,
    ),
    "inserted text": (
        body('<w:p><w:ins w:id="1" w:author="a"><w:r><w:t>Added word</w:t></w:r></w:ins></w:p>'),
        "Added word",
        True,
    ),
    "hidden text stays out": (
        body("<w:p><w:r><w:t>Shown</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>"),
        "secret",
        False,
    ),
    "a deleted row stays out": (
        body(
            "<w:p><w:r><w:t>Shown</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
            "<w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr>"
            "<w:tr><w:trPr><w:del w:id='1' w:author='a'/></w:trPr>"
            "<w:tc><w:p><w:r><w:t>gone</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        ),
        "gone",
        False,
    ),
}


def try_word_files() -> Iterator[tuple[str, bool, bool]]:
    """Whether the words that a reader of the printed page sees come through, and the others stay out."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (content, words, is_printed) in WORD_FILES.items():
            path = Path(folder) / "file.docx"
            path.write_bytes(content)
            ours = read_docx(path, limits=CompileLimits()).text
            yield name, (words in ours) is is_printed, (words in _docx_text(path)) is is_printed


def _docx_text(path: Path) -> str:
    lines = []
    for block in docx.Document(str(path)).iter_inner_content():
        if isinstance(block, Table):
            lines += ["\t".join(cell.text for cell in row.cells) for row in block.rows]
        else:
            lines.append(block.text)
    return "\n".join(lines)


def main() -> None:
    """Print the three tables."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    trials = {
        f"Streams (openai {openai.__version__})": try_streams,
        "Word files (python-docx)": try_word_files,
    }
    for title, trial in trials.items():
        rows = list(trial())
        print(f"| {title} | product | library |\n|---|---|---|")
        for name, ours, library in rows:
            print(f"| {name} | {'yes' if ours else 'no'} | {'yes' if library else 'no'} |")
        print(f"| of {len(rows)} | {sum(row[1] for row in rows)} | {sum(row[2] for row in rows)} |\n")


if __name__ == "__main__":
    main()
