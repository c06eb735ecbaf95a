"""What the site keeps on disk is whole, closed to other users, and not prepared by one of them."""

import os
import stat

import pytest

from vectorless_web.infra.site.private_files import (
    Unusable,
    close_folder,
    local_secret,
    refuse_weak_secret,
    socket_folder,
    write_whole,
)


def mode(path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_file_that_cannot_be_written_is_left_as_it_was(tmp_path):
    path = tmp_path / "secret"
    write_whole(path, "before")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "half \udcff")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    assert mode(path) == 0o600


@pytest.mark.parametrize(
    "secret", ["changeme", "x" * 64, "short-but-random-9f2c", "django-insecure-8d9w7r2k4m6n1p3q5t", "secret_key" * 5]
)
def test_a_secret_that_can_be_guessed_is_refused(secret):
    with pytest.raises(Unusable, match="openssl rand -hex 32"):
        refuse_weak_secret(secret)


def test_a_secret_is_made_once_and_an_empty_one_is_replaced_only_while_nothing_depends_on_it(tmp_path):
    refuse_weak_secret(os.urandom(16).hex())

    path = tmp_path / "secret_key"
    made = local_secret(path, depended_on=False)
    assert len(made) == 96
    assert local_secret(path, depended_on=True) == made
    assert mode(path) == 0o600

    path.write_text("")
    with pytest.raises(Unusable, match="is empty, but data that were stored with it exist"):
        local_secret(path, depended_on=True)
    assert path.read_text() == ""
    assert local_secret(path, depended_on=False) == path.read_text()


def test_sockets_lie_in_the_data_folder_or_for_a_long_path_in_the_temporary_one(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    var = tmp_path / "var"
    var.mkdir()
    if len(str(var)) < 70:
        assert socket_folder(var, "") == var / "sockets"
    deep = tmp_path / ("d" * 90)
    deep.mkdir()
    found = socket_folder(deep, "")
    assert found.parent == tmp_path
    assert mode(found) == 0o700
    assert socket_folder(deep, "") == found


def test_a_socket_folder_that_somebody_could_have_prepared_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    deep = tmp_path / ("d" * 90)
    deep.mkdir()
    found = socket_folder(deep, "")
    found.chmod(0o777)
    with pytest.raises(Unusable, match="can be written by others"):
        socket_folder(deep, "")
    found.rmdir()
    found.symlink_to(deep)
    with pytest.raises(Unusable, match="is a link"):
        socket_folder(deep, "")
    found.unlink()
    found.touch()
    with pytest.raises(Unusable, match="is not a folder"):
        socket_folder(deep, "")
    assert socket_folder(deep, str(tmp_path / "own")) == tmp_path / "own"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_socket_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    deep = tmp_path / ("d" * 90)
    deep.mkdir()
    os.chown(socket_folder(deep, ""), 4711, 4711)
    with pytest.raises(Unusable, match="belongs to somebody else"):
        socket_folder(deep, "")


def test_an_open_folder_is_closed_with_all_that_it_holds_and_links_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.touch()
    outside.chmod(0o644)
    var = tmp_path / "var"
    (var / "media").mkdir(parents=True)
    (var / "media" / "report.pdf").touch()
    (var / "link").symlink_to(outside)
    for path in (var, var / "media"):
        path.chmod(0o755)
    (var / "media" / "report.pdf").chmod(0o664)
    assert close_folder(var, 0o027) == 3
    assert (mode(var), mode(var / "media"), mode(var / "media" / "report.pdf")) == (0o750, 0o750, 0o640)
    assert close_folder(var, 0o027) == 0
    assert close_folder(var, 0o077) == 3
    assert mode(outside) == 0o644
