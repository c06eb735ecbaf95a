"""Identity providers (OpenID Connect) as the site's settings name them, and whom they let join which workspace."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROLES = ("viewer", "member", "editor", "owner")
EXAMPLE = (
    '[{"id": "acme", "name": "Acme", "issuer": "https://id.acme.example", "client": "vectorless", "secret": "...", '
    '"join": [{"workspace": "finance", "role": "member", "domain": "acme.example"}]}]'
)


@dataclass(frozen=True)
class JoinRule:
    """Who becomes a member of a workspace at their first sign-in. Exactly one of `domain` and `group` is given."""

    workspace: str
    """Its short name, as in its address."""
    role: str
    domain: str = ""
    """What a verified address ends with, after the @."""
    group: str = ""
    """An entry of the provider's claim `groups`."""

    def covers(self, domains: set[str], groups: set[str]) -> bool:
        """Whether somebody with verified addresses at `domains` and in `groups` may join."""
        return self.domain.lower() in domains if self.domain else self.group in groups


@dataclass(frozen=True)
class IdentityProvider:
    """One provider: its own address, what this site is called there, and who may join by it."""

    id: str
    name: str
    issuer: str
    client: str
    secret: str
    joins: tuple[JoinRule, ...] = ()
    sign_in_origin: str = ""
    """Where its sign-in page is, when that is not the issuer's origin."""

    @property
    def origin(self) -> str:
        """Scheme, host and port to which a browser is sent to sign in."""
        parts = urlsplit(self.sign_in_origin or self.issuer)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def app(self) -> dict[str, Any]:
        """The provider as the library that talks to it is told of it."""
        return {
            "provider_id": self.id,
            "name": self.name,
            "client_id": self.client,
            "secret": self.secret,
            "settings": {"server_url": self.issuer},
        }


LOOPBACK = ("localhost", "127.0.0.1", "::1")


def check_issuer(address: str, *, loopback: bool = False) -> None:
    """ValueError unless the address is one over HTTPS; with `loopback` plain HTTP on this machine will do."""
    parts = urlsplit(address)
    if parts.scheme == "https" and parts.hostname:
        return
    if not (loopback and parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ValueError("Give an address that begins with https://.")


def read_sign_on(text: str) -> list[IdentityProvider]:
    """The providers of a JSON list, or of the file that `@path` names; [] for "". ValueError says what is wrong."""
    text = text.strip()
    if not text:
        return []
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text(encoding="utf-8")
        except OSError as error:
            raise ValueError(f"VECTORLESS_SIGN_ON names a file that cannot be read: {error}") from None
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise ValueError(f"VECTORLESS_SIGN_ON is no JSON ({error}). It looks like this: {EXAMPLE}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"VECTORLESS_SIGN_ON must be a list of providers, like this: {EXAMPLE}")
    found = [_read_provider(row) for row in rows]
    if len({each.id for each in found}) < len(found):
        raise ValueError("VECTORLESS_SIGN_ON has two providers with the same id.")
    return found


def _read_provider(row: dict[str, Any]) -> IdentityProvider:
    missing = [name for name in ("id", "issuer", "client") if not str(row.get(name, "")).strip()]
    if missing:
        raise ValueError(f"VECTORLESS_SIGN_ON: a provider has no {missing[0]}. It looks like this: {EXAMPLE}")
    issuer = str(row["issuer"]).rstrip("/")
    if urlsplit(issuer).scheme not in ("https", "http") or not urlsplit(issuer).netloc:
        raise ValueError(f"VECTORLESS_SIGN_ON: {issuer} is no address of an identity provider.")
    return IdentityProvider(
        id=str(row["id"]),
        name=str(row.get("name") or row["id"]),
        issuer=issuer,
        client=str(row["client"]),
        secret=str(row.get("secret", "")),
        joins=tuple(_read_rule(rule) for rule in row.get("join", [])),
        sign_in_origin=str(row.get("sign_in_origin", "")),
    )


def _read_rule(row: Any) -> JoinRule:
    rule = JoinRule(
        workspace=str(row.get("workspace", "")),
        role=str(row.get("role", "member")),
        domain=str(row.get("domain", "")).lower(),
        group=str(row.get("group", "")),
    )
    if not rule.workspace or bool(rule.domain) == bool(rule.group):
        raise ValueError("VECTORLESS_SIGN_ON: who joins needs a workspace, and either a domain or a group.")
    if rule.role not in ROLES:
        raise ValueError(f"VECTORLESS_SIGN_ON: there is no role {rule.role}; the roles are {', '.join(ROLES)}.")
    return rule
