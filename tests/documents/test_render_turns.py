"""Documents take turns at being drawn, and a slow one waits behind all others."""

from vectorless_web.documents.drawing.server import MOST_WAITING, MOST_WAITING_OF_FILE, DrawJob, Turns


def page(file: str, number: int = 0, waiter: str = "", at: float = 0.0) -> DrawJob[str]:
    return DrawJob(file, f"{file}-{number}".encode(), True, at, [waiter or f"{file}-{number}"])


def boxes(file: str) -> DrawJob[str]:
    return DrawJob(file, b"boxes", False, 0.0, ["run"])


def turns_with(*jobs: DrawJob[str], workers: int = 3) -> Turns[str]:
    turns: Turns[str] = Turns(workers)
    for job in jobs:
        assert turns.add(job)
    return turns


def begun(turns: Turns[str], now: float = 0.0) -> list[str]:
    """All jobs that may begin now, as if there were a worker for each."""
    found = []
    while (job := turns.take(now)) is not None:
        found.append(job.line.decode())
    return found


def test_documents_take_turns_however_many_pages_one_has_waiting():
    turns = turns_with(*(page("long", number) for number in range(5)), page("short"))
    first, second = turns.take(0), turns.take(0)
    assert [first.line, second.line] == [b"long-0", b"short-0"]
    turns.finish(first, 0)
    turns.add(page("other"))
    assert begun(turns) == ["long-1", "other-0"]


def test_boxes_go_before_pages_and_one_document_never_holds_all_workers():
    assert begun(turns_with(page("a"), page("b"), boxes("c")))[0] == "boxes"

    turns = turns_with(*(page("hostile", number) for number in range(5)), boxes("hostile"))
    assert begun(turns) == ["boxes", "hostile-0"]


def test_pages_of_slow_documents_wait_behind_all_others_and_share_one_worker():
    turns = turns_with(page("slow", 1), page("slower", 1))
    for _ in range(2):
        turns.finish(turns.take(0), 0, timed_out=True)
    for number in (2, 3):
        turns.add(page("slow", number))
        turns.add(page("slower", number))
    turns.add(page("good"))
    assert begun(turns, now=1) == ["good-0", "slow-2"]


def test_a_page_is_drawn_once_for_all_who_wait_and_for_nobody_else():
    turns = turns_with(page("a", waiter="first"), page("a", waiter="second"))
    job = turns.take(0)
    assert turns.add(page("a", waiter="third"))
    assert job.waiters == ["first", "second", "third"]
    assert turns.take(0) is None

    turns = turns_with(page("a", waiter="gone"))
    turns.leave("gone")
    assert turns.take(0) is None


def test_too_many_are_refused_and_late_ones_told():
    turns = turns_with(*(page("a", number) for number in range(MOST_WAITING_OF_FILE)))
    assert not turns.add(page("a", 99))
    for number in range(MOST_WAITING - MOST_WAITING_OF_FILE):
        assert turns.add(page(f"b{number}", at=5))
    assert not turns.add(page("c"))
    assert len(turns.overdue(1)) == MOST_WAITING_OF_FILE
    assert turns.add(page("a", 99))
