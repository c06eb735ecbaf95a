"""Runs several streams of steps in threads and hands their items on in the order they happen."""

import queue
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from vectorless_web.engine.reasoner.events import StepEvent

_Arrivals = queue.SimpleQueue[StepEvent | Future[None]]


def side_by_side(streams: Sequence[Iterator[StepEvent]], *, at_once: int) -> Iterator[StepEvent]:
    """Steps of all streams, at most `at_once` running; the first error is raised once every stream has stopped."""
    arrived: _Arrivals = queue.SimpleQueue()
    ended: list[Future[None]] = []
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        for stream in streams:
            pool.submit(_drain, stream, arrived).add_done_callback(arrived.put)
        while len(ended) < len(streams):
            item = arrived.get()
            if isinstance(item, StepEvent):
                yield item
            else:
                ended.append(item)
    for future in ended:
        future.result()


def _drain(stream: Iterator[StepEvent], arrived: _Arrivals) -> None:
    for step in stream:
        arrived.put(step)
