"""Who may do what: one row for each address and socket of the product. An address without a row fails.

Roles, from least to most: a visitor who is not signed in, an owner whose account was closed while signed
in, a stranger with an account, viewer, member, editor, owner. The first two are sent to the sign-in, a
stranger finds nothing (404), somebody below the needed role is told no (403). Pages outside workspaces
need nobody (ANYONE), an account (ACCOUNT), or staff (STAFF), which none of these is. Every
row is asked as a browser asks and as htmx does, and with the numbers of another workspace's things in address, query
and form.
"""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib import import_module

import pytest
from channels.db import database_sync_to_async
from channels.layers import channel_layers
from channels.testing import WebsocketCommunicator
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.engine.parsing.test_figures import painted
from tests.support.compiled import compiled_document
from vectorless_web.api.models import ApiToken, Delivery, Webhook
from vectorless_web.asgi import RefusedConsumer, application, websocket_urlpatterns
from vectorless_web.backups.models import WorkspaceExport
from vectorless_web.documents.models import Document, DocumentVersion, EmbeddingChoice, Folder, PartialUpload
from vectorless_web.evaluations.models import GoldenSet
from vectorless_web.grids.models import Cell, Grid, GridLink
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.profiles.models import SignOnProvider
from vectorless_web.runs.models import Citation, Claim, Comment, Run, Step, Thread
from vectorless_web.sharing.models import ShareLink
from vectorless_web.sources.models import Source
from vectorless_web.workspaces.models import (
    Budget,
    GroupMembership,
    Invitation,
    LexiconEntry,
    Membership,
    ModelHost,
    ModelProvider,
    PeopleGroup,
    Role,
    Workspace,
)
from vectorless_web.workspaces.services import add_service_account
from vectorless_web.workspaces.storage import hash_token

pytestmark = pytest.mark.timeout(400)

ANYONE, ACCOUNT, NOBODY, STAFF = "anyone", "account", "nobody", "staff"
VIEWER, MEMBER, EDITOR, OWNER = (str(role) for role in Role)
VISITOR, CLOSED, STRANGER = "visitor", "closed", "stranger"
PEOPLE = (VISITOR, CLOSED, STRANGER, VIEWER, MEMBER, EDITOR, OWNER)
TOKEN = "a-token-for-the-test"
SECRET = "Zebrafish"
"""A word of every name and text in the first workspace, and of nothing elsewhere."""
BY_TOKEN = ("invitation", "share")
"""What is reached by a token alone, whatever the workspace."""
INNER = ("version", "other", "link", "comment", "delivery", "column", "row", "cell", "token", "asked", "grid_link")
"""Numbers that an address holds beside that of its object."""


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

    def at(self, **more) -> "Row":
        """The same with what else its address holds."""
        return replace(self, more=more)


def get(name: str, needs: str, on: str = "", /, **more) -> Row:
    return Row(name, needs, "get", on, more)


def post(name: str, needs: str, on: str = "", /, **data) -> Row:
    return Row(name, needs, "post", on, data=data)


MATRIX = [
    get("health-live", ANYONE),
    get("health-ready", ANYONE),
    # For a token of its own, and off without one (tests/console/test_metrics.py).
    get("console:metrics", NOBODY),
    get("favicon", ANYONE),
    get("help", ANYONE),
    get("view-on-site", NOBODY).at(row="1/1/"),
    # One's own account
    get("account_signup", ANYONE),
    get("profiles:profile", ACCOUNT),
    post("profiles:save", ACCOUNT, name="Ann"),
    post("profiles:save_picture", ACCOUNT),
    post("profiles:remove_picture", ACCOUNT),
    # For whoever shares no workspace with them, a clear point.
    get("profiles:picture", ACCOUNT).at(pk="person", digest="0"),
    get("profiles:sessions", ACCOUNT),
    get("sessions", ACCOUNT),
    post("profiles:end_session", ACCOUNT, session=0),
    post("profiles:end_other_sessions", ACCOUNT),
    get("profiles:data", ACCOUNT),
    get("profiles:export", ACCOUNT),
    post("profiles:delete", ACCOUNT, user_name=""),
    # One's own tokens; what programs may do with one is in tests/api/test_rights.py.
    get("api:tokens", ACCOUNT),
    post("api:make", ACCOUNT, name=""),
    # One that is somebody else's leads to the list, and stays open.
    post("api:revoke", ACCOUNT).at(pk="api_token"),
    # Service accounts, and their tokens
    get("api:service_accounts", OWNER, "workspace"),
    post("api:add_service_account", OWNER, "workspace"),
    get("api:service_account", OWNER, "service"),
    post("api:remove_service_account", OWNER, "service"),
    post("api:make_service_token", OWNER, "service"),
    get("api:live_tokens", STAFF),
    post("api:close_token", STAFF).at(pk="api_token"),
    post("api:revoke_service_token", OWNER, "service").at(token="token"),
    # Webhooks, and the log of what was sent
    get("api:webhooks", OWNER, "workspace"),
    post("api:add_webhook", OWNER, "workspace"),
    get("api:webhook", OWNER, "webhook"),
    post("api:rotate_webhook", OWNER, "webhook"),
    post("api:switch_webhook", OWNER, "webhook", on="yes"),
    post("api:remove_webhook", OWNER, "webhook"),
    post("api:redeliver", OWNER, "webhook").at(delivery="delivery"),
    # Sources, and what became of their files
    get("sources:sources", OWNER, "workspace"),
    post("sources:add", OWNER, "workspace"),
    get("sources:source", OWNER, "source"),
    get("sources:state", OWNER, "source"),
    post("sources:look", OWNER, "source"),
    post("sources:switch", OWNER, "source", on="no"),
    post("sources:secret", OWNER, "source"),
    post("sources:remove", OWNER, "source"),
    # One's own notices; one that is somebody else's, or is there no more, leads to the list.
    get("notices:list", ACCOUNT),
    get("notices:panel", ACCOUNT),
    post("notices:read_all", ACCOUNT),
    get("notices:follow", ACCOUNT).at(pk="notice"),
    post("notices:read", ACCOUNT).at(pk="notice"),
    get("notices:choices", ACCOUNT),
    post("notices:save_choices", ACCOUNT),
    # Workspaces
    get("workspaces:create", ACCOUNT),
    post("workspaces:make", ACCOUNT, name=""),
    get("workspaces:invitation", ACCOUNT, "invitation"),
    post("workspaces:accept", ACCOUNT, "invitation"),
    get("workspaces:settings", OWNER, "workspace"),
    post("workspaces:save_settings", OWNER, "workspace"),
    get("workspaces:danger", OWNER, "workspace"),
    post("workspaces:delete", OWNER, "workspace", name=""),
    get("backups:export", OWNER, "workspace"),
    post("backups:begin", OWNER, "workspace"),
    get("backups:download", OWNER, "workspace"),
    get("workspaces:members", OWNER, "workspace"),
    post("workspaces:member_role", OWNER, "membership", role="viewer"),
    post("workspaces:remove_member", OWNER, "membership"),
    post("workspaces:restore_member", OWNER, "workspace"),
    post("workspaces:hand_over", OWNER, "membership"),
    get("workspaces:leave", VIEWER, "workspace"),
    post("workspaces:leave_now", VIEWER, "workspace"),
    post("workspaces:add_group", OWNER, "workspace"),
    post("workspaces:group_role", OWNER, "group", role="viewer"),
    post("workspaces:remove_group", OWNER, "group"),
    post("workspaces:renew_invitation", OWNER, "invited"),
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
    post("workspaces:look_for_models", OWNER, "workspace"),
    get("workspaces:nearby_models", OWNER, "workspace"),
    post("workspaces:use_nearby_model", OWNER, "workspace"),
    get("workspaces:provider", OWNER, "provider"),
    post("workspaces:change_provider", OWNER, "provider"),
    post("workspaces:test_provider", OWNER, "provider"),
    get("workspaces:provider_row", OWNER, "provider"),
    post("workspaces:remove_provider", OWNER, "provider"),
    post("workspaces:restore_provider", OWNER, "removed_provider"),
    get("workspaces:budgets", OWNER, "workspace"),
    post("workspaces:save_budget", OWNER, "workspace"),
    post("workspaces:remove_budget", OWNER, "budget"),
    # Documents
    get("documents:list", VIEWER, "workspace"),
    get("documents:detail", VIEWER, "document"),
    get("documents:page", VIEWER, "document", page=1),
    get("documents:page_image", VIEWER, "document", number=1, page=1),
    get("documents:page_words", VIEWER, "document", number=1, page=1),
    get("documents:figure", VIEWER, "document", number=1, key=3),
    get("documents:table", VIEWER, "document", key=4),
    get("documents:table_csv", VIEWER, "document", key=4),
    get("documents:changes", VIEWER, "document"),
    get("documents:original", VIEWER, "document"),
    get("documents:markdown", VIEWER, "document"),
    get("documents:outline", EDITOR, "document"),
    post("documents:correct", EDITOR, "document"),
    post("documents:apply_corrections", EDITOR, "document"),
    post("documents:discard_corrections", EDITOR, "document"),
    post("documents:upload", EDITOR, "workspace"),
    post("documents:settle_same_name", EDITOR, "workspace"),
    post("documents:begin_upload", EDITOR, "workspace", name="large.pdf", size=1),
    # Whoever began an upload in pieces, as long as they may upload: here an owner.
    replace(post("documents:add_to_upload", EDITOR, "partial"), not_for=(EDITOR,)),
    replace(post("documents:cancel_upload", EDITOR, "partial"), not_for=(EDITOR,)),
    post("documents:new_version", EDITOR, "document"),
    post("documents:new_folder", EDITOR, "workspace", name="Reports"),
    post("documents:rename_folder", EDITOR, "folder", name="Letters"),
    post("documents:delete_folder", EDITOR, "folder"),
    post("documents:move_many", EDITOR, "workspace"),
    post("documents:tag_many", EDITOR, "workspace"),
    post("documents:delete_many", EDITOR, "workspace"),
    post("documents:restore_many", EDITOR, "workspace"),
    post("documents:rename", EDITOR, "document", title="New"),
    post("documents:retry", EDITOR, "failed"),
    post("documents:cancel", EDITOR, "failed"),
    post("documents:delete", EDITOR, "document"),
    post("documents:restore", EDITOR, "deleted"),
    # Folder access
    get("documents:folder_access", OWNER, "workspace"),
    get("documents:folder_access_one", OWNER, "folder"),
    post("documents:restrict_folder", OWNER, "folder"),
    post("documents:open_folder", OWNER, "folder"),
    # Search by meaning
    get("documents:embedding", OWNER, "workspace"),
    get("documents:embedding_status", OWNER, "workspace"),
    post("documents:choose_embedding", OWNER, "workspace"),
    post("documents:switch_embedding_on", OWNER, "workspace"),
    post("documents:switch_embedding_off", OWNER, "workspace"),
    post("documents:retry_embedding", OWNER, "workspace"),
    post("documents:test_embedding", OWNER, "workspace"),
    post("documents:remove_embedding", OWNER, "workspace"),
    # Section summaries
    get("documents:summaries", OWNER, "workspace"),
    get("documents:summaries_status", OWNER, "workspace"),
    post("documents:switch_summaries_on", OWNER, "workspace"),
    post("documents:switch_summaries_off", OWNER, "workspace"),
    post("documents:retry_summaries", OWNER, "workspace"),
    # Runs
    get("runs:home", ACCOUNT),
    get("runs:workspace", VIEWER, "workspace"),
    post("runs:ask", MEMBER, "workspace", question="What is the leave?", scope="all"),
    get("runs:list", VIEWER, "workspace"),
    get("runs:search", VIEWER, "workspace"),
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
    get("runs:people", VIEWER, "run"),
    # Who asked, and nobody else.
    replace(post("runs:share", MEMBER, "run"), not_for=(EDITOR, OWNER)),
    replace(post("runs:keep_private", MEMBER, "run"), not_for=(EDITOR, OWNER)),
    replace(post("runs:share_named", MEMBER, "run"), not_for=(EDITOR, OWNER)),
    post("runs:favour", VIEWER, "run"),
    post("runs:unfavour", VIEWER, "run"),
    post("runs:verify", MEMBER, "run"),
    post("runs:withdraw", MEMBER, "run"),
    post("runs:comment", MEMBER, "run", text="Look here."),
    # Who wrote it, or an owner.
    replace(post("runs:remove_comment", MEMBER, "run"), more={"comment": "comment"}, not_for=(EDITOR,)),
    # Who asked, or an owner.
    replace(post("runs:delete", MEMBER, "run"), not_for=(EDITOR,)),
    replace(post("runs:restore", MEMBER, "removed_run"), not_for=(EDITOR,)),
    get("runs:sheet", VIEWER, "run", version="document", page=1),
    get("runs:news", VIEWER, "run"),
    get("runs:raw_step", VIEWER, "run", sequence=1),
    get("runs:choices", MEMBER, "workspace"),
    get("runs:used_pages", VIEWER, "document"),
    get("runs:export", VIEWER, "run", form="markdown"),
    # Sharing: a member their own runs, an editor any; the links of a workspace are its owner's.
    # Grids
    # Evaluations
    get("evaluations:sets", VIEWER, "workspace"),
    post("evaluations:make", EDITOR, "workspace", name="Figures"),
    get("evaluations:set", VIEWER, "golden_set"),
    post("evaluations:add", EDITOR, "golden_set", question="What is the leave?", value="30 days"),
    post("evaluations:import", EDITOR, "golden_set"),
    get("evaluations:export_set", VIEWER, "golden_set"),
    post("evaluations:schedule", EDITOR, "golden_set", schedule=""),
    post("evaluations:delete", EDITOR, "golden_set", name=""),
    post("evaluations:start", EDITOR, "golden_set", answerer="offline"),
    get("evaluations:from_run", EDITOR, "workspace").at(asked="asked"),
    post("evaluations:keep_run", EDITOR, "golden_set").at(asked="asked"),
    get("evaluations:question", VIEWER, "golden"),
    post("evaluations:change", EDITOR, "golden", question="What is the leave?", value="30 days"),
    post("evaluations:delete_question", EDITOR, "golden"),
    get("evaluations:evaluation", VIEWER, "evaluation"),
    get("evaluations:progress", VIEWER, "evaluation"),
    post("evaluations:stop", EDITOR, "evaluation"),
    post("evaluations:resume", EDITOR, "evaluation"),
    get("evaluations:export", VIEWER, "evaluation", form="json"),
    get("evaluations:compare", VIEWER, "evaluation"),
    get("grids:list", VIEWER, "workspace"),
    get("grids:new", MEMBER, "workspace"),
    post("grids:make", MEMBER, "workspace", name="Leaves"),
    get("grids:show", VIEWER, "grid"),
    post("grids:fill", MEMBER, "grid"),
    post("grids:stop", MEMBER, "grid"),
    post("grids:retry", MEMBER, "grid"),
    post("grids:delete", EDITOR, "grid"),
    # A member shares the grids they made; one that somebody else made needs an editor.
    get("grids:share", MEMBER, "grid"),
    post("grids:make_link", MEMBER, "grid", days=7),
    post("grids:revoke_link", MEMBER, "grid").at(link="grid_link"),
    get("grids:shared", ANYONE, "share"),
    get("grids:export", VIEWER, "grid", form="json"),
    get("grids:column_form", MEMBER, "grid"),
    post("grids:add_column", MEMBER, "grid", question="How long is the leave?", kind="text", scale=1),
    get("grids:column", MEMBER, "grid", column="column"),
    get("grids:chart", VIEWER, "grid", column="column"),
    post("grids:change_column", MEMBER, "grid").at(column="column"),
    post("grids:remove_column", MEMBER, "grid").at(column="column"),
    get("grids:rows", MEMBER, "grid"),
    post("grids:add_rows", MEMBER, "grid"),
    post("grids:remove_row", MEMBER, "grid").at(row="row"),
    get("grids:cell", VIEWER, "grid", cell="cell"),
    post("grids:accept", MEMBER, "grid").at(cell="cell"),
    post("grids:correct", MEMBER, "grid").at(cell="cell"),
    post("grids:again", MEMBER, "grid").at(cell="cell"),
    get("sharing:menu", MEMBER, "run"),
    post("sharing:make", MEMBER, "run", days=7),
    post("sharing:revoke", MEMBER, "run").at(link="link"),
    get("sharing:links", OWNER, "workspace"),
    get("sharing:link_views", OWNER, "workspace").at(link="link"),
    get("sharing:view", ANYONE, "share"),
    post("sharing:unlock", ANYONE, "share"),
    get("sharing:page_image", ANYONE, "share", version="document", page=1),
    get("sharing:page_words", ANYONE, "share", version="document", page=1),
    get("sharing:figure", ANYONE, "share", version="document", key=3),
    # The console; tests/console/test_rights.py asks as staff with and without each right.
    get("console:overview", STAFF),
    get("console:audit", STAFF),
    post("console:save_search", STAFF, name="Removed people", verb="member.removed"),
    post("console:remove_search", STAFF).at(pk=1),
    get("console:export_audit", STAFF, form="csv"),
    get("console:retention", STAFF),
    post("console:set_period", STAFF, days=0).at(kind="runs"),
    post("console:clear_period", STAFF).at(kind="runs"),
    get("console:maintenance", STAFF),
    post("console:plan_read_only", STAFF, until="x"),
    post("console:end_read_only", STAFF),
    post("console:announce", STAFF, text=""),
    post("console:back_up", STAFF),
    post("console:verify_backup", STAFF),
    get("console:queues", STAFF),
    post("console:pause_queue", STAFF).at(queue="runs"),
    post("console:resume_queue", STAFF).at(queue="runs"),
    post("console:drain_worker", STAFF, worker="w").at(queue="runs"),
    post("console:stop_job", STAFF, job="none"),
    post("console:retry_job", STAFF, job="none"),
    post("console:forget_job", STAFF, job="none"),
    get("console:work", STAFF),
    post("console:recompile", STAFF),
    post("console:stop_run", STAFF).at(pk="run"),
    post("console:read_again", STAFF).at(pk="version"),
    get("console:links", STAFF),
    post("console:revoke_link", STAFF).at(pk="link"),
    post("console:replay_run", STAFF).at(pk="run"),
    post("console:quarantine", STAFF),
    post("console:release", STAFF).at(pk="document"),
    get("console:workspaces", STAFF),
    get("console:workspace", STAFF).at(pk="workspace"),
    post("console:visit", STAFF, reason="To look.").at(pk="workspace"),
    post("console:end_visit", STAFF).at(pk="workspace"),
    post("console:limit_workspace", STAFF, max_documents=9).at(pk="workspace"),
    post("console:archive_workspace", STAFF).at(pk="workspace"),
    post("console:reopen_workspace", STAFF).at(pk="workspace"),
    post("console:delete_workspace", STAFF, name="").at(pk="workspace"),
    post("console:restore_workspace", STAFF).at(pk="workspace"),
    get("console:models", STAFF),
    post("console:add_model", STAFF),
    post("console:allow_host", STAFF, host="m.example"),
    get("console:model", STAFF).at(pk="site_model"),
    post("console:change_model", STAFF).at(pk="site_model"),
    post("console:test_model", STAFF).at(pk="site_model"),
    post("console:remove_model", STAFF).at(pk="site_model"),
    post("console:restore_model", STAFF).at(pk="removed_site_model"),
    post("console:forbid_host", STAFF).at(pk="host"),
    get("console:budgets", STAFF),
    post("console:save_budget", STAFF, limit_usd="5", period="month", warn_percent=80),
    post("console:lift_budget", STAFF).at(pk="budget"),
    get("console:groups", STAFF),
    post("console:add_group", STAFF, name="Auditors"),
    get("console:group", STAFF).at(pk="people_group"),
    post("console:change_group", STAFF, name="Auditors").at(pk="people_group"),
    post("console:delete_group", STAFF).at(pk="people_group"),
    post("console:add_to_group", STAFF, name="member").at(pk="people_group"),
    post("console:require_of_group", STAFF).at(pk="people_group"),
    post("console:waive_for_group", STAFF).at(pk="people_group"),
    post("console:take_from_group", STAFF).at(pk="people_group", person="person"),
    get("console:sign_on", STAFF),
    post("console:require_of_all", STAFF),
    post("console:waive_for_all", STAFF),
    post("console:add_sign_on", STAFF),
    get("console:sign_on_provider", STAFF).at(pk="sign_on"),
    post("console:change_sign_on", STAFF).at(pk="sign_on"),
    post("console:remove_sign_on", STAFF).at(pk="sign_on"),
    # What owners see of their workspace.
    get("console:workspace_usage", OWNER, "workspace"),
    get("console:export_workspace_usage", OWNER, "workspace"),
    get("console:record", OWNER, "workspace"),
    get("console:workspace_retention", OWNER, "workspace"),
    post("console:set_workspace_period", OWNER, "workspace", days="3000").at(kind="runs"),
    get("console:health", OWNER, "workspace"),
    post("console:recompile_workspace", OWNER, "workspace"),
    post("console:recompile_document", OWNER, "document"),
    post("console:quarantine_document", OWNER, "document", reason="wrong"),
    post("console:release_document", OWNER, "document"),
    get("console:site", STAFF),
    post("console:test_mail", STAFF),
    get("console:usage", STAFF),
    get("console:export_usage", STAFF),
    post("console:recount", STAFF),
    get("console:people", STAFF),
    post("console:invite", STAFF),
    get("console:person", STAFF).at(pk="person"),
    post("console:switch_off", STAFF).at(pk="person"),
    post("console:switch_on", STAFF).at(pk="person"),
    post("console:reset_link", STAFF).at(pk="person"),
    post("console:end_sessions", STAFF).at(pk="person"),
    post("console:remove_two_step", STAFF).at(pk="person"),
    post("console:require_two_step", STAFF).at(pk="person"),
    post("console:waive_two_step", STAFF).at(pk="person"),
    post("console:hand_over", STAFF).at(pk="person"),
]

SOCKETS = {
    "ws/notices/": ("/ws/notices/", ACCOUNT),
    "ws/w/<slug:slug>/documents/": ("/ws/w/{slug}/documents/", VIEWER),
    "ws/w/<slug:slug>/runs/<int:pk>/": ("/ws/w/{slug}/runs/{run}/", VIEWER),
    "ws/w/<slug:slug>/grids/<int:pk>/": ("/ws/w/{slug}/grids/{grid}/", VIEWER),
}
VISITORS_ACCOUNT_PAGES = {
    "account_login",
    "account_logout",
    "account_signup",
    "account_inactive",
    "account_confirm_email",
    "account_confirm_login_code",
    "account_email_verification_sent",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "mfa_authenticate",
    "mfa_login_webauthn",
    "socialaccount_login_cancelled",
    "socialaccount_login_error",
    "socialaccount_signup",
    "openid_connect_login",
    "openid_connect_callback",
}
"""Those of allauth's pages that a visitor may open, or is sent on from to another of them."""


@dataclass(frozen=True)
class World:
    """One of everything, in one workspace."""

    slug: str
    people: dict
    keys: dict
    token: str = TOKEN

    def address(self, row: Row) -> str:
        kwargs = dict(row.more)
        for name in {*INNER, "pk", "person"} & set(kwargs):
            if kwargs[name] in self.keys:
                kwargs[name] = self.keys["version" if name == "version" else kwargs[name]]
        if row.on in BY_TOKEN:
            return reverse(row.name, kwargs={**kwargs, "token": self.token})
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
    workspace = Workspace.objects.create(name=f"{SECRET} works", slug="acme", created_by=people[OWNER])
    for role in Role:
        Membership.objects.create(workspace=workspace, user=people[role], role=role)
    Membership.objects.create(workspace=workspace, user=people[CLOSED], role=Role.OWNER)
    return World(workspace.slug, people, _keys(workspace, people, SECRET))


@pytest.fixture
def other(world) -> World:
    """Another workspace with one of everything, made later, that the stranger owns."""
    stranger = world.people[STRANGER]
    workspace = Workspace.objects.create(name="Other", slug="other", created_by=stranger)
    Membership.objects.create(workspace=workspace, user=stranger, role=Role.OWNER)
    people = dict.fromkeys(PEOPLE[1:], stranger)
    return World(workspace.slug, people, _keys(workspace, people, "Salmon", token="another-token"), "another-token")


def _keys(workspace: Workspace, people: dict, word: str, token: str = TOKEN) -> dict:
    from django.utils import timezone

    document = _read(workspace, people[OWNER], word)
    failed, deleted = _unread(workspace, f"{word} failed"), _unread(workspace, f"{word} deleted")
    Document.objects.filter(pk=deleted.pk).update(deleted_at=timezone.now())
    folder = Folder.objects.create(workspace=workspace, name=f"{word} folder")
    thread = Thread.objects.create(workspace=workspace, title=f"{word}?", created_by=people[MEMBER])
    run = Run.objects.create(thread=thread, workspace=workspace, question=f"{word}?", asked_by=people[MEMBER])
    run.documents.add(document)
    run.versions.add(document.current_version)
    Step.objects.create(run=run, sequence=1, walk=0, index=0, kind="route", say=f"Opened the {word} document")
    again = Run.objects.create(
        thread=thread, workspace=workspace, question=f"{word}?", asked_from=run, asked_how="again"
    )
    removed_run = Run.objects.create(
        thread=thread,
        workspace=workspace,
        question=f"{word}?",
        asked_by=people[MEMBER],
        removed_at=timezone.now(),
    )
    claim = Claim.objects.create(run=run, sequence=2, order=0, text=f"30 days of {word}.")
    quote = {"quote": "30 days", "page_index": 0, "node_key": 2, "marker": 1, "check_result": "exact"}
    Citation.objects.create(claim=claim, run=run, version=document.current_version, **quote)
    comment = Comment.objects.create(run=run, author=people[MEMBER], text=f"{word}, surely.")
    later = timezone.now() + timedelta(days=1)
    link = ShareLink.objects.create(run=run, created_by=people[OWNER], token_hash=hash_token(token), expires_at=later)
    Invitation.objects.create(workspace=workspace, token_hash=hash_token(token), expires_at=later)
    invited = Invitation.objects.create(workspace=workspace, token_hash=hash_token(f"{token} 2"), expires_at=later)
    provider = ModelProvider.objects.create(
        workspace=workspace, name=f"{word} model", base_url="https://m.example", model=word
    )
    EmbeddingChoice.objects.create(workspace=workspace, provider=provider, model=word)
    removed = ModelProvider.objects.create(
        workspace=workspace, name=f"{word} before", base_url="https://m.example", model=word, removed_at=timezone.now()
    )
    entry = LexiconEntry.objects.create(workspace=workspace, concept=f"{word} leave", phrases=[word])
    group = PeopleGroup.objects.create(name=f"People of {token}")  # Groups are the whole site's.
    let_in = GroupMembership.objects.create(workspace=workspace, group=group, role=Role.VIEWER)
    budget = Budget.objects.create(workspace=workspace, limit_usd=1, period_start=timezone.now().date())
    site_model = ModelProvider.objects.create(name=f"site {token}", base_url="https://m.example", model="m")
    removed_site_model = ModelProvider.objects.create(
        name=f"site {token} before", base_url="https://m.example", model="m", removed_at=timezone.now()
    )
    notice = Notice.objects.create(user=people[MEMBER], workspace=workspace, kind=Kind.RUN_ENDED, about=run.pk)
    partial = PartialUpload.objects.create(
        workspace=workspace, user=people[OWNER], name=f"{word}.pdf", bytes=9, ends_sha256="", expires_at=later
    )
    service = add_service_account(actor=people[OWNER], workspace=workspace, name="importer", role=Role.VIEWER)
    webhook = Webhook.objects.create(workspace=workspace, address=f"https://{word}.example", encrypted_secret="")
    source = Source.objects.create(workspace=workspace, kind="webdav", address=f"https://dav.example/{word}")
    source.rows.create(path=f"{word}.md", state="came", document=document)
    grid = Grid.objects.create(workspace=workspace, name=f"{word} grid", created_by=people[MEMBER])
    column = grid.columns.create(position=0, label=word, question=f"{word}?")
    row = grid.rows.create(document=document, version=document.current_version, position=0)
    cell = Cell.objects.create(row=row, column=column, state="answered", text=f"30 days of {word}.")
    golden_set = GoldenSet.objects.create(workspace=workspace, name=f"{word} set", created_by=people[OWNER])
    golden = golden_set.questions.create(question=f"{word}?", text=f"30 days of {word}.")
    evaluation = golden_set.evaluations.create(label="Offline reasoner", state="stopped", asked_by=people[OWNER])
    evaluation.results.create(golden=golden, run=again)
    stored = default_storage.save(f"exports/{word}.zip", ContentFile(word.encode()))
    export = WorkspaceExport.objects.create(
        workspace=workspace, user=people[OWNER], status="done", file=stored, bytes=len(word.encode())
    )
    shown = GridLink.objects.create(grid=grid, created_by=people[OWNER], token_hash=hash_token(token), expires_at=later)
    return {
        "golden_set": golden_set.pk,
        "golden": golden.pk,
        "evaluation": evaluation.pk,
        "grid": grid.pk,
        "grid_link": shown.pk,
        "column": column.pk,
        "row": row.pk,
        "cell": cell.pk,
        "document": document.pk,
        "partial": partial.pk,
        "version": document.current_version_id,
        "failed": failed.pk,
        "deleted": deleted.pk,
        "folder": folder.pk,
        "group": let_in.pk,
        "thread": thread.pk,
        "run": run.pk,
        "again": again.pk,
        "removed_run": removed_run.pk,
        "asked": run.pk,
        "link": link.pk,
        "comment": comment.pk,
        "invited": invited.pk,
        "provider": provider.pk,
        "removed_provider": removed.pk,
        "budget": budget.pk,
        "site_model": site_model.pk,
        "removed_site_model": removed_site_model.pk,
        "people_group": group.pk,
        "host": ModelHost.objects.get_or_create(host="m.example")[0].pk,
        "sign_on": SignOnProvider.objects.create(key=f"id-{word.lower()}", name="Id", issuer="https://id.example").pk,
        "notice": notice.pk,
        "service": service.pk,
        "token": ApiToken.objects.create(user=service.user, name=word, token_hash=hash_token(f"s{word}")).pk,
        "source": source.pk,
        "export": export.pk,
        "webhook": webhook.pk,
        "delivery": Delivery.objects.create(webhook=webhook, message=f"msg_{word}", kind="run.finished", payload={}).pk,
        "api_token": ApiToken.objects.create(user=people[OWNER], name=word, token_hash=hash_token(word)).pk,
        "entry": entry.pk,
        "person": people[MEMBER].pk,
        "workspace": workspace.pk,
        "membership": Membership.objects.get(workspace=workspace, user=people[VIEWER]).pk,
    }


def _read(workspace: Workspace, user, word: str) -> Document:
    """A small document, compiled in this process."""
    picture = f"![A map](data:image/png;base64,{base64.b64encode(painted()).decode()})"
    table = f"| {word} | Days |\n|---|---|\n| Leave | 30 |\n"
    text = f"# {word} handbook\n\nEverybody has 30 days of {word} leave.\n\n{picture}\n\n{table}"
    document = compiled_document(workspace, user, text.encode(), f"{word}.md")
    # Only pages of PDF files have pictures, and everybody who may shall get past that.
    DocumentVersion.objects.filter(document=document).update(mime="application/pdf")
    return document


def _unread(workspace: Workspace, title: str) -> Document:
    document = Document.objects.create(workspace=workspace, title=title, name=f"{title}.pdf")
    DocumentVersion.objects.create(
        document=document, bytes=1, sha256=title.ljust(64, "0"), status="failed", retryable=True, file="uploads/x.pdf"
    )
    return document


def expected(person: str, needs: str, not_for: tuple[str, ...] = ()) -> str:
    """What happens to somebody at an address that needs something."""
    if needs == NOBODY:
        return "not found"
    if needs == ANYONE:
        return "let in"
    if person in (VISITOR, CLOSED):
        return "sign-in"
    if needs == ACCOUNT:
        return "let in"
    if needs == STAFF:
        return "not found"
    if person == STRANGER:
        return "not found"
    return "let in" if Role(person).covers(needs) and person not in not_for else "forbidden"


def outcome(response) -> str:
    """What happened. A refusal of the request's content (422, 409, 503) is still being let in."""
    if response.status_code == 302 and "/accounts/" in response["Location"]:
        return "sign-in"
    return {401: "sign-in", 403: "forbidden", 404: "not found"}.get(response.status_code, "let in")


def enter(client, person) -> None:
    """Sign in as somebody; the account of CLOSED is closed after that."""
    client.logout()
    if person is None:
        return
    client.force_login(person)
    if person.username == CLOSED:
        type(person).objects.filter(pk=person.pk).update(is_active=False)


ASKED_BY = [(person, person == CLOSED) for person in PEOPLE] + [(person, True) for person in (STRANGER, VIEWER, EDITOR)]
"""Who asks, and whether htmx asks for them: what answers with a fragment may check in another place."""
if connection.vendor != "sqlite":
    # Who may do what is asked once; another database is shown that it answers every page.
    ASKED_BY = [(STRANGER, False), (EDITOR, True), (OWNER, False)]


def by_area(rows: list[Row]) -> list:
    """Rows of each part of the product as parameters: making a world takes longer than asking one of its addresses."""
    areas: dict[str, list[Row]] = {}
    for row in rows:
        areas.setdefault(row.name.partition(":")[0] if ":" in row.name else "site", []).append(row)
    return [pytest.param(found, id=area) for area, found in areas.items()]


@contextmanager
def undone() -> Iterator[None]:
    """Nobody finds what the one before has changed, or is held back for what the one before has asked."""
    cache.clear()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("rows", by_area(MATRIX))
def test_each_address_lets_in_exactly_those_it_should(client, world, rows):
    wrong = {}
    for person, is_htmx in ASKED_BY:
        enter(client, world.people.get(person))
        signed_in, headers = copy(client.cookies), {"HX-Request": "true"} if is_htmx else {}
        for row in rows:
            client.cookies = copy(signed_in)
            with undone():
                response = getattr(client, row.method)(world.address(row), row.data, headers=headers)
            found = str(response.status_code) if response.status_code in (429, 500) else outcome(response)
            if found != expected(person, row.needs, row.not_for):
                wrong[row.name, person, is_htmx] = found
    assert not wrong


def test_nothing_is_reached_through_another_workspace(client, world, other):
    """The owner of another workspace asks for this one's things under their own address, whole or in part."""
    client.force_login(world.people[STRANGER])
    mixed = replace(other, keys={**other.keys, **{name: world.keys[name] for name in ("version", "again", *INNER[2:])}})
    asked = [(row, replace(world, slug=other.slug)) for row in MATRIX if row.on not in ("", "workspace", *BY_TOKEN)]
    asked += [(row, mixed) for row in MATRIX if set(row.more) & set(INNER) and row.on not in BY_TOKEN]
    found = {}
    for row, place in asked:
        with undone():
            status = getattr(client, row.method)(place.address(row), row.data).status_code
        if status != 404:
            found[row.name, place.slug] = status
    assert not found


def test_a_step_is_looked_for_in_its_own_run(client, world, other):
    Step.objects.create(run_id=world.keys["run"], sequence=7, walk=0, index=3, kind="think", say=SECRET)
    client.force_login(world.people[STRANGER])
    row = get("runs:raw_step", VIEWER, "run", sequence=1)
    assert SECRET not in client.get(other.address(row)).content.decode()
    assert client.get(other.address(replace(row, more={"sequence": 7}))).status_code == 404


def foreign_fields(mine: dict, theirs: dict) -> list[dict]:
    """Every number and scope that a form or a query can hold, naming things of somebody else.

    In sets, for a form that refuses one of them does not look at the others.
    """
    budget = {"limit_usd": "5", "warn_percent": "80", "days": "30"}
    model = {"model": "m", "price": "0", "max_tokens": "512"}
    return [
        {
            "documents": [mine["document"], theirs["document"]],
            "folder": mine["folder"],
            "tag": "Stray",
            "scope": "documents",
            "run": [mine["run"], theirs["run"]],
        },
        {"folder": theirs["folder"], "documents": [mine["document"]], "scope": f"folder:{theirs['folder']}"},
        {"thread": theirs["thread"], "user": theirs["person"], **budget, "provider": theirs["provider"], **model},
        {"again": theirs["run"], "answerer": f"provider:{theirs['provider']}", "document": theirs["document"]},
    ]


def strays() -> dict[str, int]:
    """How many rows of each kind hang on a row of another workspace."""
    return {
        "document in folder": Document.objects.exclude(folder=None).exclude(workspace=F("folder__workspace")).count(),
        "run in thread": Run.objects.exclude(workspace=F("thread__workspace")).count(),
        "run asked from run": Run.objects.exclude(asked_from=None)
        .exclude(workspace=F("asked_from__workspace"))
        .count(),
        "run over document": Run.documents.through.objects.exclude(run__workspace=F("document__workspace")).count(),
        "embedding by provider": EmbeddingChoice.objects.exclude(workspace=F("provider__workspace")).count(),
        "budget of a person": Budget.objects.exclude(user=None)
        .exclude(user__memberships__workspace=F("workspace"))
        .count(),
    }


def state_of(slug: str) -> list:
    """Every row of a workspace that a request could change."""
    of = {"workspace__slug": slug}
    kinds = (
        Document,
        Folder,
        Thread,
        Run,
        ModelProvider,
        EmbeddingChoice,
        Budget,
        LexiconEntry,
        Membership,
        Invitation,
    )
    rows = [list(kind.objects.filter(**of).order_by("pk").values()) for kind in kinds]
    return [*rows, list(ShareLink.objects.filter(run__workspace__slug=slug).values())]


NUMBERED = [row for row in MATRIX if row.on == "workspace" or (row.method == "post" and row.on not in ("", *BY_TOKEN))]
"""Addresses that may read numbers from a form or a query."""


def test_no_form_or_query_reaches_into_another_workspace(client, world, other):
    """The owner of a workspace names things of another one wherever a number can be named."""
    client.force_login(world.people[STRANGER])
    before = state_of(world.slug)
    for row in NUMBERED:
        led_to: dict[str, None] = {}
        with undone():
            for foreign in foreign_fields(other.keys, world.keys):
                response = getattr(client, row.method)(other.address(row), {**row.data, **foreign})
                # A download is no page, and has parts in place of a content.
                assert SECRET not in b"".join(response).decode(errors="replace"), row.name
                led_to |= {response["Location"]: None} if response.has_header("Location") else {}
            for address in led_to:  # Each page once, when all has been sent that it might tell of.
                told = client.get(address, follow=True)
                assert SECRET not in b"".join(told).decode(errors="replace"), (row.name, address)
            if row.method == "post":
                assert set(strays().values()) == {0}, (row.name, strays())
                assert state_of(world.slug) == before, row.name


def test_acts_are_posts_with_a_token(client, world):
    client.force_login(world.people[OWNER])
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(world.people[OWNER])
    posts = [row for row in MATRIX if row.method == "post"]
    answers = {}
    for row in posts:
        with undone():
            got, posted = client.get(world.address(row)), strict.post(world.address(row), row.data)
        answers[row.name] = (got.status_code, posted.status_code)
    assert answers == {row.name: (405, 403) for row in posts}


def names(patterns, prefix: str = "") -> Iterator[str]:
    """Every address below some patterns, by its name or, without one, by its pattern."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            space = f"{pattern.namespace}:" if pattern.namespace else ""
            yield from names(pattern.url_patterns, prefix + space)
        elif isinstance(pattern, URLPattern):
            yield prefix + (pattern.name or f"unnamed {pattern.pattern}")


def is_allauths(pattern) -> bool:
    return isinstance(pattern, URLResolver) and pattern.urlconf_name is import_module("allauth.urls")


def is_for_programs(pattern) -> bool:
    return isinstance(pattern, URLResolver) and pattern.namespace == "api-1"


def is_the_admins(pattern) -> bool:
    return isinstance(pattern, URLResolver) and pattern.app_name == "admin"


def test_every_address_has_one_row():
    """Whatever its name: only what allauth and the admin site bring along, and the API, have tests of their own."""
    apart = (is_allauths, is_the_admins, is_for_programs)
    ours = [each for each in get_resolver().url_patterns if not any(is_apart(each) for is_apart in apart)]
    assert sorted(names(ours)) == sorted(row.name for row in MATRIX)


def paths(patterns, prefix: str = "/") -> Iterator[tuple[str, str]]:
    """Name and address of everything below some patterns, with 1 in every open place."""
    for pattern in patterns:
        route = re.sub(r"<(\w+:)?\w+>|\(\?P<.*?\)(?=[/$-]|$)", "1", str(pattern.pattern)).strip("^$")
        if isinstance(pattern, URLResolver):
            yield from paths(pattern.url_patterns, prefix + route)
        else:
            yield pattern.name or "", prefix + route


def test_allauths_pages_need_an_account_but_for_those_that_cannot(client, db):
    (allauth,) = filter(is_allauths, get_resolver().url_patterns)
    found = dict(paths([allauth]))
    assert set(found) > VISITORS_ACCOUNT_PAGES
    for name, path in found.items():
        if name not in VISITORS_ACCOUNT_PAGES:
            answer = client.get(path)
            assert (answer.status_code, answer.get("Location", "")[:16]) == (302, "/accounts/login/"), name


def test_no_page_of_the_admin_opens_for_those_who_are_no_staff(client, world):
    (site,) = filter(is_the_admins, get_resolver().url_patterns)
    found = list(paths([site]))
    assert len(found) > 50
    for person in (VISITOR, CLOSED, OWNER):
        enter(client, world.people.get(person))
        for name, path in found:
            if name not in ("login", "logout"):
                answer = client.get(path)
                assert answer.status_code in (302, 403, 404), path
                assert answer.status_code != 302 or "login" in answer["Location"] or name == "", path


def test_every_socket_has_one_row():
    found = [str(p.pattern) for p in websocket_urlpatterns if p.callback.consumer_class is not RefusedConsumer]
    assert sorted(found) == sorted(SOCKETS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_each_socket_lets_in_exactly_those_it_should(client, world):
    channel_layers.backends.clear()
    for person in PEOPLE:
        headers = await _headers(client, world.people.get(person))
        for template, needs in SOCKETS.values():
            path = template.format(slug=world.slug, run=world.keys["run"], grid=world.keys["grid"])
            socket = WebsocketCommunicator(application, path, headers=headers)
            connected, _code = await socket.connect(timeout=10)
            await socket.disconnect(timeout=10)
            assert connected == (expected(person, needs) == "let in"), (person, path)


@database_sync_to_async
def _headers(client, user) -> list[tuple[bytes, bytes]]:
    headers = [(b"origin", b"http://localhost"), (b"host", b"localhost")]
    client.logout()
    if user is None:
        return headers
    enter(client, user)
    return [*headers, (b"cookie", f"sessionid={client.cookies['sessionid'].value}".encode())]
