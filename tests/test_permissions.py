"""Who may do what: one row for each address and socket of the product. An address without a row fails.

Roles, from least to most: a visitor who is not signed in, a stranger with an account, viewer, member,
editor, owner. A visitor is sent to the sign-in, a stranger finds nothing (404), somebody below the
needed role is told no (403). Pages outside workspaces need nobody (ANYONE) or an account (ACCOUNT).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
from channels.db import database_sync_to_async
from channels.layers import channel_layers
from channels.testing import WebsocketCommunicator
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from vectorless_web.asgi import RefusedConsumer, application, websocket_urlpatterns
from vectorless_web.documents.compile_process import Finished
from vectorless_web.documents.models import Document, DocumentVersion, EmbeddingChoice
from vectorless_web.engine.compiler.compile import compile_file
from vectorless_web.runs.models import Citation, Claim, Run, Step, Thread
from vectorless_web.sharing.models import ShareLink
from vectorless_web.workspaces.models import (
    Budget,
    Invitation,
    LexiconEntry,
    Membership,
    ModelProvider,
    Role,
    Workspace,
)
from vectorless_web.workspaces.storage import hash_token

ANYONE, ACCOUNT = "anyone", "account"
VIEWER, MEMBER, EDITOR, OWNER = (str(role) for role in Role)
VISITOR, STRANGER = "visitor", "stranger"
PEOPLE = (VISITOR, STRANGER, VIEWER, MEMBER, EDITOR, OWNER)
TOKEN = "a-token-for-the-test"
BY_TOKEN = ("invitation", "share")
"""What is reached by a token alone, whatever the workspace."""


@dataclass(frozen=True)
class Row:
    """One address: the least that is needed, and how it is asked for. `on` names the object in the world."""

    name: str
    needs: str
    method: str = "get"
    on: str = ""
    more: dict = field(default_factory=dict)
    data: dict = field(default_factory=dict)
    not_for: tuple[str, ...] = ()
    """Roles that would be let in but for a rule of the object itself."""


def get(name: str, needs: str, on: str = "", /, **more) -> Row:
    return Row(name, needs, "get", on, more)


def post(name: str, needs: str, on: str = "", /, **data) -> Row:
    return Row(name, needs, "post", on, data=data)


MATRIX = [
    get("health-live", ANYONE),
    get("health-ready", ANYONE),
    get("favicon", ANYONE),
    get("help", ANYONE),
    # Workspaces
    get("workspaces:create", ACCOUNT),
    post("workspaces:make", ACCOUNT, name=""),
    get("workspaces:invitation", ACCOUNT, "invitation"),
    post("workspaces:accept", ACCOUNT, "invitation"),
    get("workspaces:settings", OWNER, "workspace"),
    post("workspaces:save_settings", OWNER, "workspace"),
    get("workspaces:danger", OWNER, "workspace"),
    post("workspaces:delete", OWNER, "workspace", name=""),
    get("workspaces:members", OWNER, "workspace"),
    post("workspaces:member_role", OWNER, "membership", role="viewer"),
    post("workspaces:remove_member", OWNER, "membership"),
    post("workspaces:invite", OWNER, "workspace", role="viewer", days=7),
    post("workspaces:revoke_invitation", OWNER, "invited"),
    get("workspaces:lexicon", VIEWER, "workspace"),
    get("workspaces:preview_lexicon", VIEWER, "workspace"),
    post("workspaces:add_entry", EDITOR, "workspace", concept="shed", phrases="depot"),
    get("workspaces:entry", EDITOR, "entry"),
    post("workspaces:change_entry", EDITOR, "entry", concept="shed", phrases="depot"),
    post("workspaces:remove_entry", EDITOR, "entry"),
    get("workspaces:providers", OWNER, "workspace"),
    post("workspaces:save_provider", OWNER, "workspace"),
    get("workspaces:provider", OWNER, "provider"),
    post("workspaces:change_provider", OWNER, "provider"),
    post("workspaces:test_provider", OWNER, "provider"),
    get("workspaces:provider_row", OWNER, "provider"),
    post("workspaces:remove_provider", OWNER, "provider"),
    get("workspaces:budgets", OWNER, "workspace"),
    post("workspaces:save_budget", OWNER, "workspace"),
    post("workspaces:remove_budget", OWNER, "budget"),
    # Documents
    get("documents:list", VIEWER, "workspace"),
    get("documents:card", VIEWER, "workspace"),
    get("documents:detail", VIEWER, "document"),
    get("documents:page", VIEWER, "document", page=1),
    get("documents:page_image", VIEWER, "document", number=1, page=1),
    get("documents:original", VIEWER, "document"),
    get("documents:outline", EDITOR, "document"),
    post("documents:correct", EDITOR, "document"),
    post("documents:apply_corrections", EDITOR, "document"),
    post("documents:discard_corrections", EDITOR, "document"),
    post("documents:upload", EDITOR, "workspace"),
    post("documents:new_version", EDITOR, "document"),
    post("documents:new_folder", EDITOR, "workspace", name="Reports"),
    post("documents:move_many", EDITOR, "workspace"),
    post("documents:tag_many", EDITOR, "workspace"),
    post("documents:delete_many", EDITOR, "workspace"),
    post("documents:rename", EDITOR, "document", title="New"),
    post("documents:retry", EDITOR, "failed"),
    post("documents:cancel", EDITOR, "failed"),
    post("documents:delete", EDITOR, "document"),
    post("documents:restore", EDITOR, "deleted"),
    # Search by meaning
    get("documents:embedding", OWNER, "workspace"),
    get("documents:embedding_status", OWNER, "workspace"),
    post("documents:choose_embedding", OWNER, "workspace"),
    post("documents:switch_embedding_on", OWNER, "workspace"),
    post("documents:switch_embedding_off", OWNER, "workspace"),
    post("documents:retry_embedding", OWNER, "workspace"),
    post("documents:test_embedding", OWNER, "workspace"),
    post("documents:remove_embedding", OWNER, "workspace"),
    # Runs
    get("runs:home", ACCOUNT),
    get("runs:workspace", VIEWER, "workspace"),
    post("runs:ask", MEMBER, "workspace", question="What is the leave?", scope="all"),
    get("runs:list", VIEWER, "workspace"),
    get("runs:detail", VIEWER, "run"),
    get("runs:thread", VIEWER, "thread"),
    # Who began it, or an editor.
    post("runs:rename_thread", MEMBER, "thread", title="Leave"),
    get("runs:compare_ticked", VIEWER, "workspace"),
    get("runs:compare_with", VIEWER, "run"),
    get("runs:compare", VIEWER, "run", other="again"),
    get("runs:edit", MEMBER, "run"),
    post("runs:stop", MEMBER, "run"),
    post("runs:again", MEMBER, "run"),
    post("runs:feedback", MEMBER, "run", good="yes"),
    post("runs:replay", MEMBER, "run"),
    get("runs:replay_state", VIEWER, "run"),
    # Who asked, or an owner.
    replace(post("runs:delete", MEMBER, "run"), not_for=(EDITOR,)),
    get("runs:sheet", VIEWER, "run", version="document", page=1),
    get("runs:news", VIEWER, "run"),
    get("runs:raw_step", VIEWER, "run", sequence=1),
    get("runs:choices", MEMBER, "workspace"),
    get("runs:used_pages", VIEWER, "document"),
    get("runs:export", VIEWER, "run", form="markdown"),
    # Sharing: a member their own runs, an editor any; the links of a workspace are its owner's.
    get("sharing:menu", MEMBER, "run"),
    post("sharing:make", MEMBER, "run", days=7),
    replace(post("sharing:revoke", MEMBER, "run"), more={"link": "link"}),
    get("sharing:links", OWNER, "workspace"),
    get("sharing:view", ANYONE, "share"),
    post("sharing:unlock", ANYONE, "share"),
    get("sharing:page_image", ANYONE, "share", version="document", page=1),
]

SOCKETS = {
    "ws/w/<slug:slug>/documents/": ("/ws/w/{slug}/documents/", VIEWER),
    "ws/w/<slug:slug>/runs/<int:pk>/": ("/ws/w/{slug}/runs/{run}/", VIEWER),
}
OTHERS = ("account_", "mfa_", "admin:")
"""Addresses of allauth and the admin site, which guard themselves; `test_admin.py` looks at the latter."""


@dataclass(frozen=True)
class World:
    """One of everything, in one workspace."""

    slug: str
    people: dict
    keys: dict

    def address(self, row: Row) -> str:
        kwargs = dict(row.more)
        if kwargs.get("version") == "document":
            kwargs["version"] = self.keys["version"]
        if kwargs.get("other") == "again":
            kwargs["other"] = self.keys["again"]
        if kwargs.get("link") == "link":
            kwargs["link"] = self.keys["link"]
        if row.on in BY_TOKEN:
            return reverse(row.name, kwargs={**kwargs, "token": TOKEN})
        if row.on:
            kwargs["slug"] = self.slug
        if row.on not in ("", "workspace"):
            kwargs["pk"] = self.keys[row.on]
        return reverse(row.name, kwargs=kwargs)


@pytest.fixture
def world(db, django_user_model, settings, tmp_path) -> World:
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    settings.RENDER_SOCKET = tmp_path / "none.sock"
    people = {name: django_user_model.objects.create(username=name, email=f"{name}@example.com") for name in PEOPLE[1:]}
    workspace = Workspace.objects.create(name="Acme", slug="acme", created_by=people[OWNER])
    for role in Role:
        Membership.objects.create(workspace=workspace, user=people[role], role=role)
    return World(workspace.slug, people, _keys(workspace, people))


def _keys(workspace: Workspace, people: dict) -> dict:
    from django.utils import timezone

    document = _read(workspace, people[OWNER])
    failed, deleted = _unread(workspace, "Failed"), _unread(workspace, "Deleted")
    Document.objects.filter(pk=deleted.pk).update(deleted_at=timezone.now())
    thread = Thread.objects.create(workspace=workspace, title="Leave?", created_by=people[MEMBER])
    run = Run.objects.create(thread=thread, workspace=workspace, question="Leave?", asked_by=people[MEMBER])
    run.documents.add(document)
    run.versions.add(document.current_version)
    Step.objects.create(run=run, sequence=1, walk=0, index=0, kind="route", say="Opened the only document")
    again = Run.objects.create(thread=thread, workspace=workspace, question="Leave?", asked_from=run, asked_how="again")
    claim = Claim.objects.create(run=run, sequence=2, order=0, text="30 days.")
    quote = {"quote": "30 days", "page_index": 0, "node_key": 2, "marker": 1, "check_result": "exact"}
    Citation.objects.create(claim=claim, run=run, version=document.current_version, **quote)
    later = timezone.now() + timedelta(days=1)
    shared = {"run": run, "created_by": people[OWNER]}
    link = ShareLink.objects.create(**shared, token_hash=hash_token(TOKEN), expires_at=later)
    Invitation.objects.create(workspace=workspace, token_hash=hash_token(TOKEN), expires_at=later)
    invited = Invitation.objects.create(workspace=workspace, token_hash="0" * 64, expires_at=later)
    provider = ModelProvider.objects.create(workspace=workspace, name="M", base_url="https://m.example", model="m")
    EmbeddingChoice.objects.create(workspace=workspace, provider=provider, model="e")
    entry = LexiconEntry.objects.create(workspace=workspace, concept="leave", phrases=["days off"])
    budget = Budget.objects.create(workspace=workspace, limit_usd=1, period_start=timezone.now().date())
    return {
        "document": document.pk,
        "version": document.current_version_id,
        "failed": failed.pk,
        "deleted": deleted.pk,
        "thread": thread.pk,
        "run": run.pk,
        "again": again.pk,
        "link": link.pk,
        "invited": invited.pk,
        "provider": provider.pk,
        "budget": budget.pk,
        "entry": entry.pk,
        "membership": Membership.objects.get(user=people[VIEWER]).pk,
    }


def _read(workspace: Workspace, user) -> Document:
    """A small document, compiled in this process."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from vectorless_web.documents.services import add_document
    from vectorless_web.documents.services.compiling import compile_version

    def compile_here(order):
        order.target.write_bytes(compile_file(order.path, name=order.name))
        yield Finished(seconds=0.1, peak_mb=1)

    upload = SimpleUploadedFile("handbook.md", b"# Handbook\n\nEverybody has 30 days of leave.\n")
    added = add_document(workspace=workspace, user=user, upload=upload)
    compile_version(added.version.pk, compile_with=compile_here)
    return Document.objects.select_related("current_version").get(pk=added.document.pk)


def _unread(workspace: Workspace, title: str) -> Document:
    document = Document.objects.create(workspace=workspace, title=title, name=f"{title}.pdf")
    DocumentVersion.objects.create(
        document=document, bytes=1, sha256=title.ljust(64, "0"), status="failed", retryable=True, file="uploads/x.pdf"
    )
    return document


def expected(person: str, needs: str, not_for: tuple[str, ...] = ()) -> str:
    """What happens to somebody at an address that needs something."""
    if needs == ANYONE:
        return "let in"
    if person == VISITOR:
        return "sign-in"
    if needs == ACCOUNT:
        return "let in"
    if person == STRANGER:
        return "not found"
    return "let in" if Role(person).covers(needs) and person not in not_for else "forbidden"


def outcome(response) -> str:
    """What happened. A refusal of the request's content (422, 409, 503) is still being let in."""
    if response.status_code == 302 and "/accounts/" in response["Location"]:
        return "sign-in"
    return {403: "forbidden", 404: "not found"}.get(response.status_code, "let in")


@pytest.mark.parametrize("row", MATRIX, ids=lambda row: row.name)
def test_each_address_lets_in_exactly_those_it_should(client, world, row):
    address = world.address(row)
    happened = {}
    for person in PEOPLE:
        client.logout()
        if person != VISITOR:
            client.force_login(world.people[person])
        with transaction.atomic():  # Nobody finds what the one before has changed.
            response = getattr(client, row.method)(address, row.data)
            transaction.set_rollback(True)
        assert response.status_code < 500 or response.status_code == 503, f"{person}: {response.status_code}"
        happened[person] = outcome(response)
    assert happened == {person: expected(person, row.needs, row.not_for) for person in PEOPLE}


@pytest.mark.parametrize(
    "row", [row for row in MATRIX if row.on not in ("", "workspace", *BY_TOKEN)], ids=lambda r: r.name
)
def test_nothing_is_reached_through_another_workspace(client, world, row):
    """The owner of another workspace asks for this one's things under their own address."""
    other = Workspace.objects.create(name="Other", slug="other", created_by=world.people[STRANGER])
    Membership.objects.create(workspace=other, user=world.people[STRANGER], role=Role.OWNER)
    client.force_login(world.people[STRANGER])
    address = world.address(row).replace(f"/w/{world.slug}/", "/w/other/")
    assert getattr(client, row.method)(address, row.data).status_code == 404


@pytest.mark.parametrize("row", [row for row in MATRIX if row.method == "post"], ids=lambda row: row.name)
def test_acts_are_posts_with_a_token(client, world, row):
    from django.test import Client

    client.force_login(world.people[OWNER])
    assert client.get(world.address(row)).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(world.people[OWNER])
    assert strict.post(world.address(row), row.data).status_code == 403


def names(patterns, prefix: str = "") -> Iterator[str]:
    """Every named address below some patterns."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            space = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from names(pattern.url_patterns, prefix + space)
        elif isinstance(pattern, URLPattern):
            yield prefix + (pattern.name or f"unnamed {pattern.pattern}")


def test_every_address_has_one_row():
    found = [name for name in names(get_resolver().url_patterns) if not name.startswith((*OTHERS, "unnamed"))]
    assert sorted(found) == sorted(row.name for row in MATRIX)


def test_every_socket_has_one_row():
    found = [str(p.pattern) for p in websocket_urlpatterns if p.callback.consumer_class is not RefusedConsumer]
    assert sorted(found) == sorted(SOCKETS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
@pytest.mark.parametrize("pattern", list(SOCKETS))
async def test_each_socket_lets_in_exactly_those_it_should(client, world, pattern):
    channel_layers.backends.clear()
    template, needs = SOCKETS[pattern]
    path = template.format(slug=world.slug, run=world.keys["run"])
    happened = {}
    for person in PEOPLE:
        socket = WebsocketCommunicator(application, path, headers=await _headers(client, world.people.get(person)))
        happened[person], _code = await socket.connect(timeout=10)
        await socket.disconnect(timeout=10)
    assert happened == {person: expected(person, needs) == "let in" for person in PEOPLE}


@database_sync_to_async
def _headers(client, user) -> list[tuple[bytes, bytes]]:
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost")]
    client.logout()
    if user is None:
        return headers
    client.force_login(user)
    return [*headers, (b"cookie", f"sessionid={client.cookies['sessionid'].value}".encode())]
