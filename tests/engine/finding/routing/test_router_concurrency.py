"""Readers never wait and never see half a change."""

import threading

from tests.support.cards import ACTIVE, card, ids, plan
from vectorless_web.engine.finding.routing import DocumentRouter, Snapshot

QUESTION = plan("forest")
VERSIONS = 120


def test_every_answer_is_that_of_one_version() -> None:
    published = [Snapshot.empty(version="0")]
    expected = {"0": []}
    wrong: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            result = DocumentRouter(published[-1], ACTIVE).route(QUESTION)
            if ids(result) != expected[result.index_version]:
                wrong.append(result.index_version)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(1, VERSIONS + 1):
        held = published[-1]
        doc_id = number % 20 + 1
        made = card(f"Forest {number}", tags=("forest",) * (number % 3))
        writer = DocumentRouter(held, ACTIVE)
        row = writer.remove(doc_id) if number % 7 == 0 else writer.upsert(doc_id, made)
        following = held.with_changes([row], version=str(number))
        expected[str(number)] = ids(DocumentRouter(following, ACTIVE).route(QUESTION))
        published.append(following)
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []
