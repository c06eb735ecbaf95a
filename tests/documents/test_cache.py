"""What this machine can fetch or make again is kept for a while, within a limit."""

import os

import pytest

from vectorless_web.documents.services import forget_purged_copies
from vectorless_web.documents.storage.cache import CacheFolder


def fill(cache: CacheFolder, number: int, age: int) -> None:
    path = cache.root / f"{number:02}" / f"file-{number}"
    with cache.write(path) as file:
        file.write(b"x" * 30)
    os.utime(path, (age, age))


def kept(cache: CacheFolder) -> list[str]:
    return sorted(path.name for path in cache.root.glob("??/*"))


def test_the_cache_makes_room_for_what_was_used_last(tmp_path):
    cache = CacheFolder(tmp_path, limit_bytes=100)
    for number in range(3):
        fill(cache, number, age=number)
    os.utime(tmp_path / "00" / "file-0", (50, 50))
    fill(cache, 3, age=60)
    assert kept(cache) == ["file-0", "file-2", "file-3"]


def test_what_was_not_written_to_its_end_is_not_there(tmp_path):
    cache = CacheFolder(tmp_path, limit_bytes=100)
    with pytest.raises(OSError, match="full"), cache.write(tmp_path / "00" / "half") as file:
        file.write(b"x")
        raise OSError("full")
    assert kept(cache) == []


@pytest.mark.django_db
def test_what_was_purged_at_another_machine_is_removed_here_too(ready, settings):
    version = ready().current_version
    gone = "0" * 64
    for sha256 in (version.sha256, version.artefact_sha256, gone):
        for name in (f"files/{sha256[:2]}/{sha256}", f"pages/{sha256[:2]}/{sha256}-0-160.jpg"):
            path = settings.CACHE_ROOT / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    assert forget_purged_copies() == 2
    assert not list(settings.CACHE_ROOT.glob(f"*/*/{gone}*"))
    assert len(list(settings.CACHE_ROOT.glob("*/*/*"))) == 4
