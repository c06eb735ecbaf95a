"""Compiles in this process, without child or limits: for files that the program has written itself."""

import time
from collections.abc import Generator

from vectorless_web.documents.compile_process import Finished, Order, Progress
from vectorless_web.engine.parsing.compile import compile_file


def compile_here(order: Order) -> Generator[Progress | Finished | None, None, None]:
    """Compile as `run_child` does, at once."""
    started = time.monotonic()
    order.target.write_bytes(compile_file(order.path, name=order.name))
    yield Finished(seconds=round(time.monotonic() - started, 2), peak_mb=0.0)
