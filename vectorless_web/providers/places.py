"""Readers of places that documents come from: a folder of this machine, a bucket of S3, a WebDAV server.

The two of the network go over the connections that models and webhooks have, which resolve a name once and connect to
the address that was checked. Libraries for S3 and WebDAV open connections of their own, past that check.
"""

import hashlib
import hmac
import os
import stat
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote, urlencode, urlsplit

import httpx2
from lxml import etree

from vectorless_web.infra.places import Access, Found, Place, PlaceTrouble
from vectorless_web.providers.connections import make_transport

SECONDS = 30.0
"""How long a server may be silent."""
SETTLED_SECONDS = 10
"""A file of a folder that was written to this lately may not be whole; it comes with the next look."""
LISTING_BYTES = 2**25
"""Of one reply that lists files. A page of S3 has 1,000 files and under 1 MB."""
FOLDERS_MOST = 5_000
"""Folders of a WebDAV server that are looked into: each is a request."""
CHANGED = "It changed while it was read. It is read again with the next look."


def open_place(access: Access, *, roots: tuple[Path, ...], private_allowed: tuple[str, ...] | None, most: int) -> Place:
    """The reader of a place. `roots` are the folders below which a folder may lie; `private_allowed` are the private
    hosts that may be reached, None allows every address; `most` are the bytes of a file."""
    if access.kind == "folder":
        return LocalFolder(access.address, roots)
    web = _Web(access.address, private_allowed, most)
    return Bucket(access, web) if access.kind == "s3" else WebDAV(access, web)


class LocalFolder:
    """A folder of this machine. Links are not followed, wherever they lead."""

    def __init__(self, address: str, roots: tuple[Path, ...]) -> None:
        self._folder = Path(os.path.realpath(address))
        if not any(self._folder.is_relative_to(os.path.realpath(root)) for root in roots):
            raise PlaceTrouble(
                f"The folder {address} does not lie below those that your administrator allows "
                "(VECTORLESS_SOURCE_FOLDERS)."
            )

    def list_files(self) -> Iterator[Found]:
        """Every file that is not hidden and has come to rest."""
        if not self._folder.is_dir():
            raise PlaceTrouble(f"There is no folder {self._folder} on the server. Mount it, or correct the path.")
        lately = time.time() - SETTLED_SECONDS
        for folder, folders, names in os.walk(self._folder, onerror=_tell_unreadable):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = Path(folder, name)
                with suppress(OSError):
                    about = path.lstat()
                    if stat.S_ISREG(about.st_mode) and not name.startswith(".") and about.st_mtime < lately:
                        yield Found(str(path.relative_to(self._folder)), about.st_size, _mark(about))

    @contextmanager
    def open_file(self, path: str) -> Iterator[BinaryIO]:
        """The file, opened folder by folder, so that no link leads out of the place."""
        *folders, name = path.split("/")
        at = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in folders:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
        except OSError as error:
            raise PlaceTrouble(f"It cannot be opened: {error.strerror}.") from error
        finally:
            os.close(at)
        with os.fdopen(file, "rb") as opened:
            before = _mark(os.fstat(file))
            yield opened
            if _mark(os.fstat(file)) != before:
                raise PlaceTrouble(CHANGED)


def _tell_unreadable(error: OSError) -> None:
    raise PlaceTrouble(f"The folder {error.filename} cannot be read: {error.strerror}.") from error


def _mark(about: os.stat_result) -> str:
    return f"{about.st_size}-{about.st_mtime_ns}"


class _Web:
    """Requests to one address, over checked connections, without redirects and proxies."""

    def __init__(self, address: str, private_allowed: tuple[str, ...] | None, most: int) -> None:
        self._transport = make_transport(private_allowed)
        self._most = most
        parts = urlsplit(address)
        self.origin, self.host, self.path = f"{parts.scheme}://{parts.netloc}", parts.netloc, unquote(parts.path)

    def list_page(self, method: str, path: str, headers: Mapping[str, str], content: bytes = b"") -> etree._Element:
        """A listing in XML, its entities unread."""
        with self._ask(method, path, headers, content) as reply, _bounded(reply, LISTING_BYTES) as file:
            try:
                return etree.parse(file, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
            except etree.XMLSyntaxError as error:
                raise PlaceTrouble("The server's list of files cannot be read. Check the address.") from error

    @contextmanager
    def open_file(self, path: str, headers: Mapping[str, str]) -> Iterator[BinaryIO]:
        """A file, fetched whole."""
        with self._ask("GET", path, headers) as reply, _bounded(reply, self._most) as file:
            yield file

    @contextmanager
    def _ask(
        self, method: str, path: str, headers: Mapping[str, str], content: bytes = b""
    ) -> Iterator[httpx2.Response]:
        try:
            with (
                httpx2.Client(transport=self._transport, timeout=SECONDS, trust_env=False) as client,
                client.stream(method, self.origin + path, headers=dict(headers), content=content) as reply,
            ):
                if reply.status_code not in (200, 207):
                    raise PlaceTrouble(_tell_status(reply.status_code))
                yield reply
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise PlaceTrouble(
                f"{self.host} was not reached: the name is unknown, the address is private, nothing listens there, or "
                "it broke off. Check the address; a private one may be allowed by your administrator "
                "(VECTORLESS_ALLOW_PRIVATE_SOURCE_HOSTS)."
            ) from error


def _tell_status(status: int) -> str:
    match status:
        case 401 | 403:
            return "The server refuses these credentials. Check user and secret, and what they may read."
        case 404:
            return "There is nothing at this address any more. Check bucket and path."
        case _ if 300 <= status < 400:
            return f"The server answers {status}, pointing elsewhere. Give the address (or the region) it points to."
        case _:
            return f"The server answers {status}. It is asked again with the next look."


@contextmanager
def _bounded(reply: httpx2.Response, most: int) -> Iterator[BinaryIO]:
    """What a server sends, in a temporary file; PlaceTrouble beyond `most` bytes, whatever it announced."""
    with tempfile.SpooledTemporaryFile(max_size=2**22) as file:
        received = 0
        for part in reply.iter_bytes():
            received += len(part)
            if received > most:
                raise PlaceTrouble(f"The server sends more than {most / 2**20:,.0f} MB.")
            file.write(part)
        file.seek(0)
        yield file  # type: ignore[misc]  # a file but in name


class Bucket:
    """The objects of an S3 bucket whose keys begin alike; the address is that of the server, the bucket and the
    beginning: https://s3.eu-central-1.amazonaws.com/bucket/contracts/."""

    def __init__(self, access: Access, web: _Web) -> None:
        self._access, self._web = access, web
        self._bucket, _, self._prefix = web.path.strip("/").partition("/")
        if self._prefix:
            self._prefix += "/"

    def list_files(self) -> Iterator[Found]:
        """Every object with its ETag."""
        query = {"list-type": "2", "prefix": self._prefix}
        while True:
            page = self._web.list_page("GET", *self._sign(f"/{self._bucket}", query))
            for entry in page.iterfind("{*}Contents"):
                key = entry.findtext("{*}Key", "")
                if not key.endswith("/"):
                    mark = entry.findtext("{*}ETag", "").strip('"')
                    yield Found(key.removeprefix(self._prefix), int(entry.findtext("{*}Size", "0")), mark)
            token = page.findtext("{*}NextContinuationToken", "")
            if not token or token == query.get("continuation-token"):
                return
            query["continuation-token"] = token

    @contextmanager
    def open_file(self, path: str) -> Iterator[BinaryIO]:
        """An object's bytes."""
        with self._web.open_file(*self._sign(f"/{self._bucket}/{self._prefix}{path}", {})) as file:
            yield file

    def _sign(self, path: str, query: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        return sign_request(self._access, self._web.host, path, query, datetime.now(UTC))


EMPTY_BODY = hashlib.sha256(b"").hexdigest()


def sign_request(
    access: Access, host: str, path: str, query: Mapping[str, str], at: datetime
) -> tuple[str, dict[str, str]]:
    """Address and headers of a GET, signed after AWS Signature Version 4
    (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). obstore signs addresses of objects
    only, and a list is asked for too."""
    stamp, region = at.strftime("%Y%m%dT%H%M%SZ"), access.region or "us-east-1"
    named, scope = "host;x-amz-content-sha256;x-amz-date", f"{stamp[:8]}/{region}/s3/aws4_request"
    place, asked = quote(path, safe="/~"), urlencode(sorted(query.items()), quote_via=quote, safe="~")
    headers = {"host": host, "x-amz-content-sha256": EMPTY_BODY, "x-amz-date": stamp}
    lines = [f"{name}:{value}" for name, value in headers.items()]
    request = "\n".join(["GET", place, asked, *lines, "", named, EMPTY_BODY])
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = b"AWS4" + access.secret.encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    given = f"AWS4-HMAC-SHA256 Credential={access.user}/{scope},SignedHeaders={named},Signature={signature}"
    return f"{place}?{asked}" if asked else place, {**headers, "authorization": given}


PROPERTIES = (
    b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop>'
    b"<resourcetype/><getcontentlength/><getetag/><getlastmodified/></prop></propfind>"
)


class WebDAV:
    """The files below a folder of a WebDAV server (RFC 4918), such as Nextcloud's."""

    def __init__(self, access: Access, web: _Web) -> None:
        self._web, self._home = web, web.path.rstrip("/") + "/"
        named = b64encode(f"{access.user}:{access.secret}".encode()).decode()
        self._headers = {"authorization": f"Basic {named}"} if access.user else {}

    def list_files(self) -> Iterator[Found]:
        """Every file, folder after folder: few servers tell of all at once."""
        waiting, seen = [self._home], {self._home}
        headers = {**self._headers, "depth": "1", "content-type": "application/xml"}
        while waiting:
            page = self._web.list_page("PROPFIND", quote(waiting.pop()), headers, PROPERTIES)
            for entry in page.iterfind("{DAV:}response"):
                # A server's word for a path; whatever host it names, only this one is asked.
                path = unquote(urlsplit(entry.findtext("{DAV:}href", "").strip()).path)
                if entry.find(".//{DAV:}collection") is not None:
                    folder = path.rstrip("/") + "/"
                    if folder.startswith(self._home) and folder not in seen:
                        seen.add(folder)
                        waiting.append(folder)
                elif path.startswith(self._home):
                    yield self._found(path, entry)
            if len(seen) > FOLDERS_MOST:
                raise PlaceTrouble(f"There are more than {FOLDERS_MOST:,} folders. Give the address of a part of them.")

    def _found(self, path: str, entry: etree._Element) -> Found:
        size = entry.findtext(".//{DAV:}getcontentlength", "") or "0"
        mark = entry.findtext(".//{DAV:}getetag", "") or entry.findtext(".//{DAV:}getlastmodified", "")
        return Found(path.removeprefix(self._home), int(size) if size.isdecimal() else 0, f"{mark.strip()} {size}")

    @contextmanager
    def open_file(self, path: str) -> Iterator[BinaryIO]:
        """A file's bytes."""
        with self._web.open_file(quote(self._home + path), self._headers) as file:
            yield file
