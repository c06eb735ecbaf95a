"""Buckets and WebDAV servers: listed page by page and folder by folder, read, and not believed."""

import re
from datetime import UTC, datetime

import pytest
from werkzeug import Response

from vectorless_web.infra.places import Access, PlaceTrouble
from vectorless_web.providers.places import open_place, sign_request

KEYS = {"in/a b.md": b"# A", "in/deep/b.md": b"# B", "in/c.md": b"# C"}


def reader(kind: str, address: str, *, allowed=("loopback",), most: int = 1000, user: str = "anna"):
    access = Access(kind, address, user, "hidden")
    return open_place(access, roots=(), private_allowed=allowed, most=most)


def read(place, path: str) -> bytes:
    with place.open_file(path) as file:
        return file.read()


@pytest.fixture
def bucket(httpserver):
    """A server that lists one key a page."""

    def take(request) -> Response:
        signed = request.headers["authorization"]
        if "Credential=anna/" not in signed or "hidden" in signed:
            return Response(status=403)
        if request.path != "/docs":
            return Response(KEYS[request.path.removeprefix("/docs/")])
        keys, at = sorted(KEYS), int(request.args.get("continuation-token", "0"))
        entry = f'<Contents><Key>{keys[at]}</Key><ETag>"e{at}"</ETag><Size>3</Size></Contents>'
        more = f"<NextContinuationToken>{at + 1}</NextContinuationToken>" if at < 2 else ""
        return Response(f'<R xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{entry}{more}</R>')

    httpserver.expect_request(re.compile("/docs.*")).respond_with_handler(take)
    return httpserver.url_for("/docs/in")


def test_a_bucket_is_listed_to_its_end_and_read(bucket):
    place = reader("s3", bucket)
    assert [(file.path, file.mark) for file in place.list_files()] == [
        ("a b.md", "e0"),
        ("c.md", "e1"),
        ("deep/b.md", "e2"),
    ]
    assert read(place, "a b.md") == b"# A"


def test_a_request_is_signed_as_amazon_shows():
    """The example "GET Bucket (List Objects)" of the documentation of Signature Version 4."""
    access = Access("s3", "", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    at = datetime(2013, 5, 24, tzinfo=UTC)
    query = {"max-keys": "2", "prefix": "J"}
    path, headers = sign_request(access, "examplebucket.s3.amazonaws.com", "/", query, at)
    assert path == "/?max-keys=2&prefix=J"
    assert headers["authorization"].endswith("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")


def listing(*entries: str) -> Response:
    return Response(f'<d:multistatus xmlns:d="DAV:">{"".join(entries)}</d:multistatus>', status=207)


def entry(href: str, *, folder: bool = False) -> str:
    kind = (
        "<d:resourcetype><d:collection/></d:resourcetype>" if folder else "<d:getcontentlength>3</d:getcontentlength>"
    )
    about = f"<d:prop>{kind}<d:getetag>e</d:getetag></d:prop>"
    return f"<d:response><d:href>{href}</d:href><d:propstat>{about}</d:propstat></d:response>"


def test_a_webdav_server_is_walked_and_leads_nowhere_else(httpserver):
    home = "/dav/Contracts/"
    httpserver.expect_request(home, method="PROPFIND").respond_with_response(
        listing(
            entry(home, folder=True),
            entry(f"{home}a%20b.md"),
            entry(f"http://10.0.0.1{home}deep/", folder=True),
            entry("/dav/Private/", folder=True),
            entry("/dav/Private/x.md"),
        )
    )
    httpserver.expect_request(f"{home}deep/", method="PROPFIND").respond_with_response(
        listing(entry(f"{home}deep/c.md"))
    )
    httpserver.expect_request(f"{home}a b.md", headers={"authorization": "Basic YW5uYTpoaWRkZW4="}).respond_with_data(
        "# A"
    )
    place = reader("webdav", httpserver.url_for("/dav/Contracts"))
    assert [file.path for file in place.list_files()] == ["a b.md", "deep/c.md"]
    assert read(place, "a b.md") == b"# A"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Response(status=401), "refuses these credentials"),
        (Response(status=302, headers={"Location": "http://127.0.0.1:1/"}), "pointing elsewhere"),
        (Response("<not xml", status=207), "cannot be read"),
    ],
)
def test_what_a_server_answers_is_told_with_a_remedy(httpserver, answer, says):
    httpserver.expect_request("/", method="PROPFIND").respond_with_response(answer)
    with pytest.raises(PlaceTrouble, match=says):
        list(reader("webdav", httpserver.url_for("/")).list_files())


def test_a_file_that_is_larger_than_announced_is_cut_off(httpserver):
    httpserver.expect_request("/big.md").respond_with_data(b"x" * 5000)
    with pytest.raises(PlaceTrouble, match="sends more than"):
        read(reader("webdav", httpserver.url_for("/")), "big.md")


@pytest.mark.parametrize("kind", ["s3", "webdav"])
def test_a_private_address_is_not_connected_to(httpserver, kind):
    with pytest.raises(PlaceTrouble, match="the address is private"):
        list(reader(kind, httpserver.url_for("/docs"), allowed=()).list_files())
    assert httpserver.log == []
