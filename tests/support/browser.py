"""A person's browser over plain HTTP, for sites that run as processes of their own."""

import re
from dataclasses import dataclass
from datetime import timedelta

import requests

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
        self.session = requests.Session()

    def get(self, path: str) -> Page:
        """Open a page."""
        return self._ask("GET", path)

    def post(self, path: str, **data: str) -> Page:
        """Send a form."""
        return self._ask("POST", path, data=data)

    def upload(self, path: str, name: str, content: bytes) -> Page:
        """Send one file in the field `files`."""
        return self._ask("POST", path, files={"files": (name, content)})

    def sign_in(self, password: str, name: str = "demo") -> Page:
        """Go through the sign-in page."""
        self.get("/accounts/login/")
        return self.post("/accounts/login/", login=name, password=password)

    def _ask(self, method: str, path: str, **sent) -> Page:
        headers = {"X-CSRFToken": self.session.cookies.get("csrftoken", ""), "Referer": self.address}
        answer = self.session.request(method, f"{self.address}{path}", headers=headers, timeout=self.timeout, **sent)
        seconds = sum((each.elapsed for each in (*answer.history, answer)), timedelta()).total_seconds()
        return Page(answer.status_code, answer.text, seconds, dict(answer.headers), answer.url)
