"""A visitor of a whole site, for tests: pages, forms and a websocket over plain sockets."""

import http.client
import os
import socket
import struct
from contextlib import suppress
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode


class Visitor:
    """Keeps cookies, and speaks as a proxy in front of the site would when `headers` say so."""

    def __init__(self, port: int, **headers: str) -> None:
        self.port = port
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.cookies = SimpleCookie()

    def ask(self, method: str, path: str, form: dict[str, str] | None = None, seconds: float = 30):
        """The response, read; its body in `body`. A form carries the token of the cookie."""
        headers = {**self.headers, "Cookie": self.cookie}
        body = None
        if form is not None:
            token = self.cookies["csrftoken"].value
            body = urlencode({**form, "csrfmiddlewaretoken": token})
            scheme = self.headers.get("X-Forwarded-Proto", "http")
            host = self.headers.get("Host", f"127.0.0.1:{self.port}")
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Referer": f"{scheme}://{host}/"}
        return self._exchange(method, path, body, headers, seconds)

    def post(self, path: str, body: bytes, headers: dict[str, str], seconds: float = 30):
        """The response to a body of any kind."""
        return self._exchange("POST", path, body, {**self.headers, "Cookie": self.cookie, **headers}, seconds)

    def _exchange(self, method: str, path: str, body: str | bytes | None, headers: dict[str, str], seconds: float):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            response.body = response.read()
        finally:
            connection.close()
        for line in response.headers.get_all("Set-Cookie") or ():
            self.cookies.load(line)
        return response

    @property
    def cookie(self) -> str:
        """The cookies as a header."""
        return "; ".join(f"{name}={morsel.value}" for name, morsel in self.cookies.items())

    def sign_in(self, password: str):
        """Sign in as the first account; the response."""
        self.ask("GET", "/accounts/login/")
        return self.ask("POST", "/accounts/login/", {"login": "demo", "password": password})

    def open_socket(self, path: str) -> socket.socket:
        """A websocket after its handshake; AssertionError when it is refused."""
        opened = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        host = self.headers.get("Host", f"127.0.0.1:{self.port}")
        opened.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {self.cookie}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            head += opened.recv(1)
        assert head.startswith(b"HTTP/1.1 101"), head
        return opened


def close_code(opened: socket.socket) -> int:
    """Read frames until the server closes; its code."""
    while True:
        first, length = _exactly(opened, 2)
        if length == 126:
            (length,) = struct.unpack("!H", _exactly(opened, 2))
        elif length == 127:
            (length,) = struct.unpack("!Q", _exactly(opened, 8))
        body = _exactly(opened, length)
        if first & 0x0F == 8:
            return struct.unpack("!H", body[:2])[0]


def _exactly(opened: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = opened.recv(count - len(data))
        assert piece, "the connection was cut without a close frame"
        data += piece
    return data


def processes_of(var: Path) -> dict[int, str]:
    """Number and title of every process that was started for this data folder and lives."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            held = any(_points_into(link, var) for link in (folder / "fd").iterdir())
            if words and (held or str(var) in words):
                found[int(folder.name)] = words
    return {pid: words for pid, words in found.items() if pid != os.getpid()}


def _points_into(link: Path, var: Path) -> bool:
    with suppress(OSError):
        return os.readlink(link).startswith(str(var))
    return False
