"""How the site is set up: each setting with where it comes from, unsafe combinations, and a mail to test with."""

import os
import smtplib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.mail import send_mail

from vectorless_web.console.subjects.stream import read_target
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.selectors import User
from vectorless_web.workspaces.services import record

SHOWN = {
    "VECTORLESS_HOSTS": "ALLOWED_HOSTS",
    "VECTORLESS_HTTPS": "HTTPS",
    "VECTORLESS_PROXIES": "PROXIES",
    "VECTORLESS_SIGN_UP": "SIGNUP_OPEN",
    "VECTORLESS_LOCAL_PASSWORDS": "LOCAL_PASSWORDS",
    "VECTORLESS_EMAIL_VERIFICATION": "ACCOUNT_EMAIL_VERIFICATION",
    "VECTORLESS_MODEL": "MODEL",
    "VECTORLESS_ALLOW_PRIVATE_MODEL_HOSTS": "ALLOW_PRIVATE_MODEL_HOSTS",
    "VECTORLESS_UPLOAD_MAX_BYTES": "UPLOAD_MAX_BYTES",
    "VECTORLESS_WORKSPACE_MAX_BYTES": "WORKSPACE_MAX_BYTES",
    "VECTORLESS_ASKS_PER_HOUR": "ASKS_PER_HOUR",
    "VECTORLESS_UPLOADS_PER_HOUR": "UPLOADS_PER_HOUR",
    "VECTORLESS_STOP_SECONDS": "STOP_SECONDS",
    "VECTORLESS_STORAGE": "STORAGE_URL",
    "VECTORLESS_BACKUPS": "BACKUPS",
    "VECTORLESS_BACKUP_HOURS": "BACKUP_HOURS",
    "VECTORLESS_BACKUP_KEEP": "BACKUP_KEEP",
    "VECTORLESS_AUDIT_STREAM": "AUDIT_STREAM",
    "DEBUG": "DEBUG",
}
"""Variables of the environment whose values may be shown, and the names of their settings."""
SECRET = ("SECRET_KEY", "VECTORLESS_ENCRYPTION_KEY", "OPENAI_API_KEY", "EMAIL_URL", "DATABASE_URL", "REDIS_URL")
"""Those that hold a secret or may: only whether they are set is shown."""


@dataclass(frozen=True)
class SettingRow:
    """One setting: its variable, its value in words, and whether the environment gave it."""

    name: str
    value: str
    given: bool


def list_settings() -> list[SettingRow]:
    """The settings that an administrator may see; of secrets only whether they are set."""
    rows = [SettingRow(name, _describe(getattr(settings, at)), name in os.environ) for name, at in SHOWN.items()]
    secrets = [
        SettingRow(name, "set, not shown" if os.environ.get(name) else "", name in os.environ) for name in SECRET
    ]
    return rows + secrets


def _describe(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple | set | frozenset) else str(value)


def list_unsafe() -> list[str]:
    """A sentence for each combination of settings that puts the site at risk, with its remedy."""
    try:
        read_target(settings.AUDIT_STREAM)
        stream = ""
    except ValueError as error:
        stream = str(error)
    outside = [host for host in settings.ALLOWED_HOSTS if host not in ("localhost", "127.0.0.1", "[::1]")]
    checks = [
        (settings.DEBUG, "DEBUG is on: pages of errors show settings and code. Switch it off."),
        ("*" in settings.ALLOWED_HOSTS, "VECTORLESS_HOSTS takes any host name. Name those of the site."),
        (
            bool(outside) and not settings.HTTPS,
            "The site has a name of its own and VECTORLESS_HTTPS is off: passwords go over the network as they are.",
        ),
        (
            settings.HTTPS and settings.PROXIES == 0,
            "VECTORLESS_HTTPS is on and VECTORLESS_PROXIES is 0: everybody seems to come from the proxy's address.",
        ),
        (
            settings.SIGNUP_OPEN and settings.ACCOUNT_EMAIL_VERIFICATION != "mandatory",
            "Anyone may sign up with any address. Set VECTORLESS_EMAIL_VERIFICATION to mandatory.",
        ),
        (
            Path(settings.BACKUPS).is_relative_to(settings.VAR),
            "VECTORLESS_BACKUPS lies in the data folder: one broken disk takes both. Name a folder on another disk.",
        ),
        (
            bool(settings.KEEP_DAYS["audit"]) and not settings.AUDIT_STREAM,
            "Old events of the record are removed and VECTORLESS_AUDIT_STREAM is not set: nothing keeps them.",
        ),
        (
            settings.SIGNUP_OPEN and settings.ALLOW_PRIVATE_MODEL_HOSTS is True,
            "Anyone may sign up and have the site call any address of its network. Set "
            "VECTORLESS_ALLOW_PRIVATE_MODEL_HOSTS to the hosts that models run on.",
        ),
        (
            settings.HTTPS and not settings.CSRF_TRUSTED_ORIGINS and bool(settings.PROXIES),
            "The site is behind a proxy and VECTORLESS_ORIGINS names none: forms sent through it may be refused.",
        ),
        (
            settings.ENCRYPTION_KEY == settings.SECRET_KEY,
            "Keys at rest are encrypted with SECRET_KEY: changing it loses them. Set VECTORLESS_ENCRYPTION_KEY.",
        ),
    ]
    return [sentence for holds, sentence in (*checks, (bool(stream), stream)) if holds]


def send_test_mail(*, actor: User, to: str) -> None:
    """Send a mail to the administrator; Problem (502) with what the mail server said."""
    if not to:
        raise Problem(
            "Your account has no address to send it to.", remedy="Add one first.", code="no_address", status=409
        )
    try:
        send_mail("A test from Vectorless", "Mails of this site arrive.", settings.DEFAULT_FROM_EMAIL, [to])
    except (OSError, smtplib.SMTPException) as error:
        raise Problem(
            f"The mail server refused: {error}",
            remedy="Check the settings of the mail server, then try again.",
            code="mail_refused",
            status=409,
        ) from error
    record(actor=actor, verb="mail.tested", name=to)
