"""Documents that were really compiled, in this process."""

from functools import partial

from django.core.files.uploadedfile import SimpleUploadedFile

from vectorless_web.documents.compiling.process import Finished, Order
from vectorless_web.documents.models import Document
from vectorless_web.documents.services import add_document
from vectorless_web.documents.services.compiling import compile_version
from vectorless_web.engine.parsing.compile import compile_file

_KEPT: dict[tuple[bytes, str], bytes] = {}
"""What was compiled of a file's bytes under a name, for the next test that has the same file compiled."""


def compile_here(order: Order, **options):
    """Compile as the worker's child process does, but in this process and at once, the same file once."""
    key = (order.path.read_bytes(), order.name)
    made = None if options or order.corrections else _KEPT.get(key)
    if made is None:
        made = compile_file(order.path, name=order.name, **options)
    if not options and not order.corrections:
        _KEPT[key] = made
    order.target.write_bytes(made)
    yield Finished(seconds=0.1, peak_mb=1)


def compiled_document(workspace, user, content: bytes, name: str = "report.md", **options) -> Document:
    """An uploaded document that is ready to be read; `options` of the compiler."""
    added = add_document(workspace=workspace, user=user, upload=SimpleUploadedFile(name, content))
    compile_version(added.version.pk, compile_with=partial(compile_here, **options))
    return Document.objects.select_related("workspace", "current_version").get(pk=added.document.pk)
