"""A person's browser over plain HTTP, for sites that run as processes of their own."""

import http.cookiejar
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass

BOUNDARY = "a-line-that-stands-in-no-file"
UNFOLD = "document.querySelectorAll('.of > details').forEach((group) => { group.open = true; })"
"""Opens the steps of each document of a trace, in a browser page."""
ENDED = re.compile("Answered|Closest passages")
"""How a run that found something is said to have ended."""


@dataclass(frozen=True)
class Page:
    """What came back, and how many seconds it took."""

    status: int
    text: str
    seconds: float
    headers: dict[str, str]
    url: str


class Browser:
    """Keeps cookies, follows redirects, and tells pages of errors from exceptions."""

    def __init__(self, address: str, *, timeout: float = 70) -> None:
        self.address, self.timeout = address, timeout
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def get(self, path: str) -> Page:
        """Open a page."""
        return self._open(urllib.request.Request(f"{self.address}{path}"))

    def post(self, path: str, **data: str) -> Page:
        """Send a form."""
        return self._send(path, urllib.parse.urlencode(data).encode(), "application/x-www-form-urlencoded")

    def upload(self, path: str, name: str, content: bytes) -> Page:
        """Send one file in the field `files`."""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode()
        body = head + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        return self._send(path, body, f"multipart/form-data; boundary={BOUNDARY}")

    def sign_in(self, password: str, name: str = "demo") -> Page:
        """Go through the sign-in page."""
        self.get("/accounts/login/")
        return self.post("/accounts/login/", login=name, password=password)

    def _send(self, path: str, body: bytes, kind: str) -> Page:
        token = next((cookie.value for cookie in self.jar if cookie.name == "csrftoken"), "")
        headers = {"Content-Type": kind, "X-CSRFToken": token or "", "Referer": self.address}
        return self._open(urllib.request.Request(f"{self.address}{path}", body, headers))

    def _open(self, request: urllib.request.Request) -> Page:
        started = time.monotonic()
        try:
            response = self.opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read().decode(errors="replace")
            status, headers, url = response.status, dict(response.headers), response.url
        return Page(status, text, time.monotonic() - started, headers, url)
