"""What a workspace is set to: its own words, its models, what it and its members may spend, reserved and settled."""

import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_UP, Decimal
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import F, ManyToOneRel, Q
from django.db.models.functions import Greatest, Least
from django.utils import timezone

from vectorless_web.engine.llm.capability import PRESETS, SelfTest
from vectorless_web.engine.questions.understand import MAX_ENTRIES, wordings
from vectorless_web.infra.addresses import is_private
from vectorless_web.infra.money import MOST_USD, money
from vectorless_web.infra.queues import jobs
from vectorless_web.infra.web.problems import Problem
from vectorless_web.infra.web.request_limits import HOUR, count_or_refuse
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.services import notify
from vectorless_web.workspaces.models import LAST_FAILURE, Budget, LexiconEntry, ModelHost, ModelProvider, Workspace
from vectorless_web.workspaces.selectors import (
    USED_UP,
    User,
    accountable_for,
    covering_budgets,
    name_notice,
    period_start,
    refuse_host,
)
from vectorless_web.workspaces.services.recording import delete_and_record, record
from vectorless_web.workspaces.storage import SecretUnreadable, encrypt

__all__ = ["MAX_ENTRIES", "add_entry", "change_entry", "remove_entry"]


@transaction.atomic
def add_entry(*, actor: User, entry: LexiconEntry) -> LexiconEntry:
    """Store a new entry. Problem (422) when one of its names is taken or there are too many entries."""
    rows = _lock_entries(entry.workspace)
    if len(rows) >= MAX_ENTRIES:
        raise Problem(
            f"There are {MAX_ENTRIES} entries, which is the most.", remedy="Remove one first.", code="too_many_entries"
        )
    _refuse_taken_names(entry, rows)
    entry.created_by_id = actor.pk
    entry.save()
    _record(actor, "lexicon.added", entry)
    return entry


@transaction.atomic
def change_entry(*, actor: User, entry: LexiconEntry) -> LexiconEntry:
    """Store a changed entry. Problem (422) when one of its names is another entry's."""
    _refuse_taken_names(entry, _lock_entries(entry.workspace))
    entry.save()
    _record(actor, "lexicon.changed", entry)
    return entry


@transaction.atomic
def remove_entry(*, actor: User, entry: LexiconEntry) -> None:
    """Delete an entry of the workspace's own lexicon."""
    details = {"phrases": entry.phrases, "statement": entry.statement}
    delete_and_record(entry, actor=actor, verb="lexicon.removed", details=details)


def _lock_entries(workspace: Workspace) -> list[LexiconEntry]:
    """The workspace's entries, which nobody else changes until the transaction ends."""
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    return list(workspace.lexicon_entries.all())


def _refuse_taken_names(entry: LexiconEntry, rows: list[LexiconEntry]) -> None:
    names = set(wordings(entry.concept))
    for other in rows:
        taken = sorted(names & set(wordings(other.concept))) if other.pk != entry.pk else []
        if taken:
            sentence = f"“{taken[0]}” is in the lexicon already."
            raise Problem(sentence, remedy="Add the wordings to that entry.", code="entry_exists")


def _record(actor: User, verb: str, entry: LexiconEntry) -> None:
    record(actor=actor, verb=verb, target=entry, details={"phrases": entry.phrases, "statement": entry.statement})


HOST = re.compile(r"[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?")
"""A name or address of a host, as `urlsplit` gives it."""
TEST_JOB = "vectorless_web.workspaces.jobs.test_provider"
LOOK_JOB = "vectorless_web.workspaces.jobs.look_for_models"
NEARBY, LOOK_QUEUE = "nearby-models-", "runs"
LOOK_SECONDS = 20
"""Seconds that the job of a look may take; all ports are asked at once, and each may take some seconds."""
KEPT_SECONDS = 300
MODEL_LETTERS = 120
"""The longest name of a model that a provider takes."""
TEST_SECONDS = 600
"""Seconds that the self-test of a model may take: several calls to a server that may be slow to load it."""
NO_MODEL_THERE = "No chat model answered at this address. Check the address, the name, the key and the server."
"""The one sentence for all that can go wrong on a private network: which of its addresses answer is not told."""
BROKE = "Trying the model broke off. Try it again; the log of the worker says more."


def check_address(value: str) -> str:
    """A model's address as it is stored. Problem (422) for what is no plain address, is private or not allowed."""
    address = check_public(
        value, allowed=settings.ALLOW_PRIVATE_MODEL_HOSTS, setting="VECTORLESS_ALLOW_PRIVATE_MODEL_HOSTS"
    )
    if refusal := refuse_host(address):
        raise refusal
    return address


def check_public(value: str, *, allowed: bool | tuple[str, ...], setting: str) -> str:
    """The address as it is stored. Problem (422) for what is no plain address, or is private and not `allowed`."""
    address = value.strip().rstrip("/")
    plain = address.isascii() and address.isprintable() and " " not in address
    parts = _parts(address) if plain else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise Problem(
            "This is no address that can be called.",
            remedy="Give an address that begins with https:// or http://, without blanks or a user name.",
            code="invalid_address",
        )
    if allowed is not True and is_private(parts.hostname, allowed or ()):
        raise Problem(
            "This address lies in a private network.",
            remedy=f"Your administrator may allow it ({setting}).",
            code="private_address",
        )
    return address


@transaction.atomic
def allow_host(*, actor: User, host: str) -> ModelHost:
    """Add a host at which models may be asked; from the first one on, none elsewhere are. Problem (422) for no host."""
    name = host.strip().casefold().rstrip(".")
    if not HOST.fullmatch(name):
        raise Problem("This is no host.", remedy="Give a host alone, such as api.openai.com.", code="invalid_host")
    row, created = ModelHost.objects.get_or_create(host=name)
    if created:
        record(actor=actor, verb="model_host.allowed", target=row)
    return row


@transaction.atomic
def forbid_host(*, actor: User, row: ModelHost) -> None:
    """Take a host from the list; without any, models may be asked at every host again."""
    record(actor=actor, verb="model_host.removed", target=row)
    row.delete()


@transaction.atomic
def save_provider(*, actor: User, provider: ModelProvider, api_key: str = "") -> ModelProvider:
    """Store a new or changed provider. The key is encrypted; "" keeps the stored one. Problem (422): `check_address`.

    A key never goes to another address: changing the address forgets the old key, no matter who changes it and where.
    """
    provider.base_url = check_address(provider.base_url)
    before = ModelProvider.objects.select_for_update().filter(pk=provider.pk).first()
    moved = before is not None and before.base_url != provider.base_url
    if api_key or moved:
        provider.encrypted_key = encrypt(api_key)
    elif before is not None:
        provider.encrypted_key = before.encrypted_key
    if before is not None and (moved or before.model != provider.model):
        provider.capabilities = {}
    provider.save()
    verb = "provider.changed" if before else "provider.added"
    details = {"base_url": provider.base_url, "model": provider.model, "new_key": bool(api_key)}
    if moved and before is not None:
        details |= {"from": before.base_url, "key_forgotten": before.has_key and not api_key}
    record(actor=actor, verb=verb, target=provider, details=details)
    return provider


REMOVED_KEPT = timedelta(hours=1)
"""How long the removal of a model can be undone; then it is forgotten with its key, within another hour."""


@transaction.atomic
def remove_provider(*, actor: User, provider: ModelProvider) -> None:
    """Take a provider out of use; it is forgotten with its key unless this is undone in time.

    Problem (409) while something that sends text to it has to be switched off first.
    """
    rests = describe_uses(provider)
    if rests:
        sentence = f"{', '.join(rests)}."
        raise Problem(
            sentence, remedy="Change this first; then the model can be removed.", code="model_in_use", status=409
        )
    ModelProvider.objects.filter(pk=provider.pk).update(removed_at=timezone.now())
    record(actor=actor, verb="provider.removed", target=provider)


@transaction.atomic
def restore_provider(*, actor: User, provider: ModelProvider) -> None:
    """Undo a removal. Problem (409) when another model has its name by now."""
    if ModelProvider.objects.filter(workspace=provider.workspace, name=provider.name).exists():
        sentence = f"Another model is called “{provider.name}” by now."
        raise Problem(sentence, remedy="Rename that one first.", code="name_taken", status=409)
    ModelProvider.with_removed.filter(pk=provider.pk).update(removed_at=None)
    record(actor=actor, verb="provider.restored", target=provider)


def describe_uses(provider: ModelProvider) -> list[str]:
    """What rests on a provider and would end with it: of each kind of row that refers to it, what it says of itself."""
    rows: list[str] = []
    for relation in ModelProvider._meta.get_fields(include_hidden=True):
        if isinstance(relation, ManyToOneRel):
            model: Any = relation.related_model
            found = model.objects.filter(**{relation.field.name: provider.pk})
            rows += [row.say_use() for row in found.select_related("workspace")]
    return rows


def purge_providers() -> int:
    """Forget the removed models whose removal can no longer be undone, with their keys; how many."""
    overdue = ModelProvider.with_removed.filter(removed_at__lt=timezone.now() - REMOVED_KEPT)
    return overdue.delete()[1].get(ModelProvider._meta.label, 0)


def note_check(provider: ModelProvider, check: str) -> None:
    """Say which check of its self-test a model is at, for the page that waits for it."""
    rows = ModelProvider.objects.filter(pk=provider.pk, capabilities__testing=True)
    rows.update(capabilities={**provider.capabilities, "check": check})


@transaction.atomic
def note_last_call(*, provider: ModelProvider, at: datetime, code: str, message: str) -> None:
    """Keep of a model's last call in a run that it failed, and why, or with `code` "" that it did not.

    Nothing is written for one success after the other, nor while the model is tried, which tells more.
    """
    row = ModelProvider.objects.select_for_update().get(pk=provider.pk)
    others = {name: value for name, value in row.capabilities.items() if name != LAST_FAILURE}
    failure = {LAST_FAILURE: {"at": at.isoformat(), "code": code, "message": message}} if code else {}
    if not row.capabilities.get("testing") and row.capabilities != others | failure:
        ModelProvider.objects.filter(pk=row.pk).update(capabilities=others | failure)


@transaction.atomic
def start_test(*, actor: User, provider: ModelProvider) -> None:
    """Have a worker ask the model a few questions; what it finds is written to `capabilities`.

    Problem (429) for somebody who has had models tried too often: an address can be probed by it.
    """
    _count_try(actor)
    provider.capabilities = {"testing": True, "since": timezone.now().isoformat()}
    provider.save(update_fields=["capabilities"])
    record(actor=actor, verb="provider.tested", target=provider)
    job_id = f"provider-{provider.pk}-{time.time_ns()}"
    jobs.enqueue(TEST_JOB, provider.pk, queue="runs", job_id=job_id, seconds=TEST_SECONDS)


def _count_try(actor: User) -> None:
    cause, most = f"Models can be tried {settings.MODEL_TRIES_PER_HOUR} times an hour.", settings.MODEL_TRIES_PER_HOUR
    count_or_refuse(f"model-tries-{actor.pk}", cause, limit=most, seconds=HOUR, code="too_many_tries")


@dataclass(frozen=True, slots=True)
class NearbyModel:
    """A model that a server on this machine named; `server` is the kind of server that has its port as a rule."""

    server: str
    base_url: str
    model: str


@dataclass(frozen=True, slots=True)
class Nearby:
    """What a look for models on this machine found: `models` is None before one, `refusal` says why none is allowed."""

    refusal: Problem | None = None
    is_looking: bool = False
    models: tuple[NearbyModel, ...] | None = None


def nearby_addresses() -> list[str]:
    """The addresses on this machine at which a model is looked for: of the ports in the settings, and no others."""
    return [f"http://127.0.0.1:{port}/v1" for port in settings.MODEL_PORTS]


def describe_nearby(workspace: Workspace) -> Nearby:
    """What the last look found that is no provider of the workspace yet; it is kept for some minutes."""
    addresses = nearby_addresses()
    try:
        for address in addresses[:1]:
            check_address(address)
    except Problem as problem:
        return Nearby(refusal=problem)
    found = cache.get(f"{NEARBY}{workspace.pk}")
    if isinstance(found, str):  # The name of the job that looks: it may wait behind long questions.
        if jobs.exists(found, queue=LOOK_QUEUE):
            return Nearby(is_looking=True)
        found = cache.get(f"{NEARBY}{workspace.pk}")  # It may have ended between the two.
    if found is None or isinstance(found, str):
        return Nearby()
    known = set(workspace.model_providers.values_list("base_url", "model"))
    fresh = [(url, model) for url, model in found if (url, model) not in known and url in addresses]
    return Nearby(models=tuple(NearbyModel(_name_server(url), url, model) for url, model in fresh))


def start_look(*, actor: User, workspace: Workspace, unasked: bool = False) -> None:
    """Have a worker look for models on this machine. Problem (429): it counts as a try; (422): none allowed.

    `unasked`: a page wants to know, and nobody pressed a button; what the last look found does as long as it is kept.
    """
    nearby = describe_nearby(workspace)
    if nearby.refusal:
        raise nearby.refusal
    if unasked and (nearby.is_looking or nearby.models is not None):
        return
    if not unasked:
        _count_try(actor)
    job_id = f"look-{workspace.pk}-{time.time_ns()}"
    cache.set(f"{NEARBY}{workspace.pk}", job_id, KEPT_SECONDS)
    jobs.enqueue(LOOK_JOB, workspace.pk, queue=LOOK_QUEUE, job_id=job_id, seconds=LOOK_SECONDS, at_front=True)


def keep_nearby(workspace_id: int, found: list[tuple[str, str]]) -> None:
    """Keep what a look found for the page that waits for it."""
    cache.set(f"{NEARBY}{workspace_id}", found, KEPT_SECONDS)


def use_nearby(*, actor: User, workspace: Workspace, base_url: str, model: str) -> ModelProvider:
    """Make a found model a provider and have it tried. Problem (422) for one that no look found lately."""
    found = describe_nearby(workspace).models or ()
    chosen = next((row for row in found if (row.base_url, row.model) == (base_url, model)), None)
    if chosen is None:
        sentence = "This model was not found lately, or is connected already."
        raise Problem(sentence, remedy="Look for models again.", code="model_not_found")
    name = f"{chosen.server}: {model}"[:80]
    if len(model) > MODEL_LETTERS or workspace.model_providers.filter(name=name).exists():
        raise Problem(f"“{name}” cannot be added by itself.", remedy="Connect it below.", code="name_taken")
    row = ModelProvider(workspace=workspace, name=name, base_url=base_url, model=model)
    save_provider(actor=actor, provider=row)
    start_test(actor=actor, provider=row)
    return row


def _name_server(address: str) -> str:
    port = urlsplit(address).port
    return next((kind.label for kind in PRESETS if urlsplit(kind.base_url).port == port), f"Port {port}")


def test_provider(*, provider: ModelProvider, examine: Callable[[ModelProvider], SelfTest]) -> None:
    """Have the model examined and keep what was found: runs ask it in the way that works."""
    found = _describe_test(provider, examine)
    # Another address or model has not been tested by this.
    same = ModelProvider.objects.filter(pk=provider.pk, base_url=provider.base_url, model=provider.model)
    same.update(capabilities={**found, "tested_at": timezone.now().isoformat()})


def break_test(*, provider: ModelProvider) -> None:
    """Say that trying the model broke off, so that its row does not wait for ever."""
    found = {"works": False, "code": "internal_error", "message": BROKE, "tested_at": timezone.now().isoformat()}
    ModelProvider.objects.filter(pk=provider.pk).update(capabilities=found)


def _describe_test(provider: ModelProvider, examine: Callable[[ModelProvider], SelfTest]) -> dict[str, Any]:
    try:
        check_address(provider.base_url)
        result = examine(provider)
    except SecretUnreadable as error:
        return {"works": False, "code": "secret_unreadable", "message": f"{error} Type the key again."}
    except Problem as problem:
        return {"works": False, "code": problem.code, "message": problem.message}
    if result.usable:
        return {"works": True, **result.as_json()}
    if _is_probe(provider, result):
        return {"works": False, "code": "no_model_there", "message": NO_MODEL_THERE}
    if result.error_code:
        return {"works": False, "code": result.error_code, "message": result.error}
    return {"works": False, **result.as_json()}


def _is_probe(provider: ModelProvider, result: SelfTest) -> bool:
    """Whether the result would tell what answers on this machine or a private network although it is no chat model."""
    parts = _parts(provider.base_url)
    return bool(result.error_code) and parts is not None and is_private(parts.hostname or "")


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        return None
    return parts


@transaction.atomic
def set_budget(*, actor: User, budget: Budget) -> Budget:
    """Store a limit for the workspace or one member, or for the site or one person, in place of the one there is.

    Owners' limits and those of administrators (`by_staff`) stand beside each other. Without a share to warn at, that
    of the limit before stays.
    """
    terms: dict[str, Any] = {"period": budget.period, "limit_usd": budget.limit_usd}
    if budget.warn_percent is not None:
        terms["warn_percent"] = budget.warn_percent
    row, _created = Budget.objects.update_or_create(
        workspace=budget.workspace,
        user=budget.user,
        by_staff=budget.by_staff,
        defaults=terms,
        create_defaults={**terms, "period_start": period_start(budget.period)},
    )
    details = {**terms, "limit_usd": str(row.limit_usd), "warn_percent": row.warn_percent, "user": str(row.user or "")}
    record(actor=actor, verb="budget.set", target=row, details=details)
    return row


@transaction.atomic
def remove_budget(*, actor: User, budget: Budget) -> None:
    """Delete a budget, so that its limit no longer holds."""
    delete_and_record(budget, actor=actor, verb="budget.removed")


def reserve(*, workspace: Workspace, user: User | None, usd: Decimal) -> bool:
    """Put `usd` aside in every budget that covers the user; false, and nothing put aside, when one lacks it.

    Two calls at the same time cannot both take the last of a budget: each is one conditional UPDATE.
    """
    with transaction.atomic():
        _begin_periods(workspace, user)
        rows = covering_budgets(workspace, user)
        wanted = rows.count()
        room = Q(limit_usd__gte=F("spent_usd") + F("reserved_usd") + usd)
        if rows.filter(room).update(reserved_usd=F("reserved_usd") + usd) == wanted:
            return True
        transaction.set_rollback(True)
    # What others have put aside may come back: only what is spent leaves no room for good.
    spent = covering_budgets(workspace, user).filter(limit_usd__lt=F("spent_usd") + usd)
    _tell_of_budgets(spent.select_related("workspace"), share=USED_UP)
    return False


def settle(*, workspace: Workspace, user: User | None, reserved_usd: Decimal, spent_usd: Decimal) -> None:
    """Give back what was put aside and book what was really spent, as far as a row holds it."""
    rows = covering_budgets(workspace, user)
    settled = rows.update(
        reserved_usd=Greatest(F("reserved_usd") - reserved_usd, Decimal(0)),
        spent_usd=Least(F("spent_usd") + spent_usd, MOST_USD),
    )
    if settled and spent_usd:
        limited = rows.filter(limit_usd__gt=0).select_related("workspace")
        for budget in limited:
            if budget.spent_usd * 100 >= budget.limit_usd * budget.warn_percent:
                _tell_of_budgets([budget], share=budget.warn_percent)
        _tell_of_budgets(limited.filter(spent_usd__gte=F("limit_usd")), share=USED_UP)


def _tell_of_budgets(rows: Iterable[Budget], *, share: int) -> None:
    """Tell those who answer for each budget, and whom it limits, that it has come so far, once in its period."""
    for budget in rows:
        name = name_notice(budget, share)
        if Notice.objects.filter(once=name).exists():
            continue
        notify(
            people={*accountable_for(budget), budget.user_id},
            kind=Kind.BUDGET,
            workspace_id=budget.workspace_id,
            about=budget.pk,
            more={"details": {"share": share}, "once": name},
        )


def release_all(*, workspace: Workspace | None, unless: Callable[[], bool]) -> None:
    """Give back all that is put aside in the workspace's budgets (None: the site's), unless somebody may settle it.

    A worker that dies in mid-call settles nothing. `unless` is asked while the budgets are
    locked, so that nobody can put something aside in between.
    """
    reserved = Budget.objects.filter(workspace=workspace, reserved_usd__gt=0)
    if not reserved.exists():  # As nearly always: nothing is locked for a look.
        return
    with transaction.atomic():
        rows = reserved.select_for_update()
        left = [row.pk for row in rows]
        if left and not unless():
            Budget.objects.filter(pk__in=left).update(reserved_usd=0)


def _begin_periods(workspace: Workspace, user: User | None) -> None:
    """Start a new period where the old one is over; what is put aside stays put aside."""
    for period in Budget.Period:
        start = period_start(period)
        over = covering_budgets(workspace, user).filter(period=period, period_start__lt=start)
        over.update(spent_usd=0, period_start=start)


class WorkspaceCostBudget:
    """Pays from every budget that covers the user (None: the workspace's alone), briefly at a time, from any thread."""

    def __init__(self, workspace: Workspace, user: User | None = None) -> None:
        self._workspace, self._user = workspace, user

    def reserve(self, usd: float) -> bool:
        """Put the money aside in every budget; false when one lacks it."""
        try:
            return reserve(workspace=self._workspace, user=self._user, usd=money(usd, rounding=ROUND_UP))
        finally:
            close_thread_connection()

    def settle(self, reserved_usd: float, spent_usd: float) -> None:
        """Give back what was put aside and book what was spent."""
        reserved, spent = (money(usd, rounding=ROUND_UP) for usd in (reserved_usd, spent_usd))
        try:
            settle(workspace=self._workspace, user=self._user, reserved_usd=reserved, spent_usd=spent)
        finally:
            close_thread_connection()


def close_thread_connection() -> None:
    """A walk's thread may end after any call, and its connection with it."""
    if threading.current_thread() is not threading.main_thread():
        connection.close()
