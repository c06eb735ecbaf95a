"""Files and folders that only the site's own user may read; files are written whole or not at all.

Imported by the settings, so it knows nothing of Django.
"""

import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST_SOCKET_FOLDER = 80
"""Characters; the path of a unix socket may have 107 bytes, and the sockets' names are added."""
SECRET_BYTES = 48
"""Random bytes of a secret that is made here: 384 bits, far beyond guessing."""
SHORTEST_SECRET = 32
"""Characters, the length of `openssl rand -hex 16`: 128 random bits."""
FEWEST_CHARACTERS = 5
"""Different ones in a secret, as Django's own check asks."""
EXAMPLE_SECRETS = ("changeme", "change-me", "change_me", "django-insecure", "secret-key", "secret_key", "your-secret")


class Unusable(Exception):
    """Raised when a file or folder cannot be trusted or used as it is; the message names the remedy."""


def write_whole(path: Path, text: str) -> None:
    """Write a file so that readers and later starts see the old text or the new one, never a part; mode 0600."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}-", delete=False) as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def local_secret(path: Path, *, depended_on: bool) -> str:
    """The random secret kept at `path`, made on first use.

    An empty file, which a full disk leaves, is replaced unless data that it may have signed or
    encrypted exist (`depended_on`): then Unusable.
    """
    with _lock_folder(path.parent):
        kept = path.read_text().strip() if path.exists() else ""
        if kept:
            return kept
        if path.exists() and depended_on:
            raise Unusable(
                f"{path} is empty, but data that were stored with it exist. Put the file back from a backup. Without "
                "one, delete it: a new secret is made, everybody signs in again, and the keys of model providers "
                "must be entered again."
            )
        made = os.urandom(SECRET_BYTES).hex()
        write_whole(path, made)
        return made


def refuse_weak_secret(secret: str) -> None:
    """Unusable for a secret that somebody could guess: too short, too uniform, or out of an example."""
    example = next((word for word in EXAMPLE_SECRETS if word in secret.lower()), "")
    if example:
        cause = f'contains "{example}", as published examples do'
    elif len(secret) < SHORTEST_SECRET or len(set(secret)) < FEWEST_CHARACTERS:
        cause = f"is shorter than {SHORTEST_SECRET} characters or repeats a few of them"
    else:
        return
    raise Unusable(
        f"SECRET_KEY {cause}: who guesses it signs in as anybody. Unset it to use a random one kept in the data "
        "folder, or make one with `openssl rand -hex 32`. Where keys of model providers are stored already, keep the "
        "old value in VECTORLESS_ENCRYPTION_KEY so that they stay readable."
    )


def socket_folder(var: Path, given: str) -> Path:
    """A folder for sockets that only our user can enter; Unusable when somebody else could have prepared it.

    It is the folder `given`, or lies in `var`, or, where that path is too long for a socket, in the
    temporary directory, in which anybody may make a folder of any name.
    """
    folder = Path(given) if given else var / "sockets"
    if not given and len(str(folder)) > LONGEST_SOCKET_FOLDER:
        digest = hashlib.sha256(str(var).encode()).hexdigest()[:16]
        folder = Path(tempfile.gettempdir()) / f"vectorless-{os.getuid()}-{digest}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise _make_distrust_error(folder, "is not a folder") from error
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise _make_distrust_error(folder, "is a link")
    if found.st_uid not in (os.getuid(), var.stat().st_uid):
        raise _make_distrust_error(folder, "belongs to somebody else")
    if found.st_mode & 0o022:
        raise _make_distrust_error(folder, f"can be written by others (its mode is {stat.S_IMODE(found.st_mode):04o})")
    if found.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def close_folder(folder: Path, umask: int) -> int:
    """Take from everything in a folder the permissions that `umask` denies; how many files and folders were changed.

    The folder itself is closed last: as long as it is open the work is not done, and once it is
    closed nothing in it needs to be looked at again. What belongs to others is left as it is.
    """
    if not stat.S_IMODE(folder.lstat().st_mode) & umask:
        return 0
    changed = 0
    for root, folders, files in os.walk(folder, topdown=False):
        changed += sum(_close(Path(root, name), umask) for name in (*folders, *files))
    return changed + _close(folder, umask)


def _close(path: Path, umask: int) -> bool:
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode) or not stat.S_IMODE(mode) & umask:
            return False
        path.chmod(stat.S_IMODE(mode) & ~umask)
    except (FileNotFoundError, PermissionError):
        return False
    return True


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, so that two starts at once make one secret."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _make_distrust_error(folder: Path, why: str) -> Unusable:
    return Unusable(
        f"The folder for sockets, {folder}, {why}: whoever prepared it could run commands as this user. Remove it, or "
        "name a private folder with a short path in VECTORLESS_SOCKETS."
    )
