"""Runs several streams of steps in threads and hands their items on in the order they happen."""

import queue
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from vectorless_web.engine.reasoner.events import StepEvent

_Arrivals = queue.SimpleQueue[StepEvent | Future[None]]


def side_by_side(streams: Sequence[Iterator[StepEvent]], *, at_once: int) -> Iterator[StepEvent]:
    """Steps of all streams, at most `at_once` running, each stream's in its order.

    Once every stream has stopped, the error of the first stream that has one is raised:
    which of several it is does not depend on timing. When nobody takes further steps,
    the streams stop after the step they are in.
    """
    arrived: _Arrivals = queue.SimpleQueue()
    unwanted = threading.Event()
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        futures = [pool.submit(_drain, stream, arrived, unwanted) for stream in streams]
        for future in futures:
            future.add_done_callback(arrived.put)
        running = len(futures)
        try:
            while running:
                item = arrived.get()
                if isinstance(item, StepEvent):
                    yield item
                else:
                    running -= 1
        finally:
            unwanted.set()
    for future in futures:
        future.result()


def _drain(stream: Iterator[StepEvent], arrived: _Arrivals, unwanted: threading.Event) -> None:
    for step in stream:
        arrived.put(step)
        if unwanted.is_set():
            return
