"""Nothing of a restricted folder exists for who may not see it, whoever belongs to what.

A world is drawn: who belongs by which role or group, which documents lie in which folders, who is
named for them, who asked what. Then somebody looks at every page, and once more in the same world
in which the documents that are closed to them, and the runs that may have read those, were never
there. Both worlds must look the same, byte for byte: no title, text, file name or count tells.
"""

import os
import re
from dataclasses import dataclass, replace
from itertools import product

import pytest
from django.db import connection, transaction
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.compiled import compiled_document
from tests.test_permissions import MATRIX, STAFF
from vectorless_web.documents import services as documents
from vectorless_web.documents.live.consumers import ListViewer, changed_fragments
from vectorless_web.documents.models import Document, DocumentVersion, Folder
from vectorless_web.documents.storage import snapshots
from vectorless_web.engine.agent.events import CompleteEvent, StepEvent
from vectorless_web.engine.answers.claims import ClaimEvent
from vectorless_web.infra.web.problems import Problem
from vectorless_web.notices.models import Kind, Notice
from vectorless_web.notices.services import notify
from vectorless_web.runs.corpus import WorkspaceCorpus
from vectorless_web.runs.models import Run, Thread
from vectorless_web.runs.selectors import find_watched_run
from vectorless_web.runs.services import claim_run, inputs_of, limits_of, start_run
from vectorless_web.runs.services.recording import Recorder
from vectorless_web.sharing.services import LinkTerms, make_link
from vectorless_web.wiring import Calls, engine_for
from vectorless_web.workspaces.models import Membership, PeopleGroup, Role
from vectorless_web.workspaces.selectors import member_workspace
from vectorless_web.workspaces.services import add_group, create_workspace

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(900)]

WORLDS = int(os.environ.get("RESTRICTED_WORLDS", "2" if connection.vendor == "sqlite" else "1"))
"""Worlds that are drawn, each about ten seconds of pages; another database is shown that it answers alike by one."""

WORDS = ("gentian", "samphire", "teasel", "yarrow")
"""One word for each document: it stands in its title, its text, its file name and its tag, and nowhere else."""
FOLDERS, GROUPS = ("Board", "Staff"), ("Counsel", "Auditors")
PEOPLE = ("owen", "edna", "mona", "vito")
ROLES = dict(zip(PEOPLE, (Role.OWNER, Role.EDITOR, Role.MEMBER, Role.VIEWER), strict=True))
TEXT = "# {word} handbook\n\nThe {word} allowance is {n}0 days of leave. Leave is asked for in writing.\n"
QUESTION = "How many days of leave?"


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a world; numbers are places in the lists above."""

    folder_of: tuple[int | None, ...]
    restricted: tuple[bool, ...]
    named: tuple[frozenset[str], ...]
    """People and groups that are named for each folder."""
    groups: tuple[frozenset[str], ...]
    """The people of each group."""
    by_group: bool
    """Whether the viewer's own place in the workspace comes from the first group alone."""
    asked: tuple[tuple[str, int | None, bool, bool], ...]
    """Who asked, of one document or of all, whether without restricted folders, whether privately."""
    looks: str

    def sees(self, person: str, folder: int | None) -> bool:
        """Whether a folder's documents exist for somebody; "" is whoever holds a link."""
        if folder is None or not self.restricted[folder]:
            return True
        mine = {GROUPS[number] for number, people in enumerate(self.groups) if person in people}
        return person in self.named[folder] or bool(mine & self.named[folder])

    def sees_document(self, person: str, number: int) -> bool:
        """Whether one of the documents exists for somebody."""
        return self.sees(person, self.folder_of[number])

    def sees_run(self, person: str, number: int) -> bool:
        """Whether one of the runs exists for somebody."""
        asker, document, is_open, is_private = self.asked[number]
        if is_private and asker != person:
            return False
        read = range(len(FOLDERS)) if document is None else [self.folder_of[document]]
        return is_open or all(self.sees(person, folder) for folder in read if self.sees(asker, folder))


def some_of(names) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(names), max_size=2)


@st.composite
def draw_worlds(draw) -> Drawn:
    """Worlds in which at least one document is closed to who looks."""
    who = draw(st.sampled_from(PEOPLE))
    world = Drawn(
        folder_of=(None, 0, *(draw(st.sampled_from([None, 0, 1])) for _ in WORDS[2:])),
        restricted=(True, draw(st.booleans())),
        named=(draw(some_of([*PEOPLE, *GROUPS])) - {who}, draw(some_of([*PEOPLE, *GROUPS]))),
        groups=(draw(some_of(PEOPLE)), draw(some_of(PEOPLE))),
        by_group=draw(st.booleans()) and who != "owen",
        asked=(),
        looks=who,
    )
    if world.by_group:
        world = replace(world, groups=(world.groups[0] | {who}, world.groups[1]))
    if world.sees(who, 0):
        world = replace(world, named=(frozenset({name for name in PEOPLE if name != who}), world.named[1]))
    askers = [name for name in PEOPLE if name != "vito"]
    asked = []
    for asker in (draw(st.sampled_from(askers)), draw(st.sampled_from(askers))):
        seen = [number for number in range(len(WORDS)) if world.sees_document(asker, number)]
        document = draw(st.sampled_from([None, *seen]))
        asked.append((asker, document, document is None and draw(st.booleans()), draw(st.booleans())))
    return replace(world, asked=tuple(asked))


@dataclass
class World:
    """A drawn world in the database."""

    drawn: Drawn
    workspace: object
    people: dict
    documents: list[Document]
    runs: list[Run]
    token: str | None

    def viewer(self):
        return self.people[self.drawn.looks]


@pytest.fixture
def base(db, django_user_model, settings, tmp_path):
    """A workspace with its documents, compiled; all that is drawn is laid over it."""
    settings.MEDIA_ROOT, settings.CACHE_ROOT = tmp_path / "media", tmp_path / "cache"
    settings.RENDER_SOCKET = tmp_path / "none.sock"
    settings.ASKS_PER_HOUR = settings.SHARE_REQUESTS_PER_MINUTE = 10**9
    people = {name: django_user_model.objects.create(username=name, email=f"{name}@example.com") for name in PEOPLE}
    workspace = create_workspace(user=people["owen"], name="Works")
    made = []
    for number, word in enumerate(WORDS, start=1):
        text = TEXT.format(word=word, n=number)
        document = compiled_document(workspace, people["owen"], text.encode(), f"{word}-{number}.md")
        documents.tag_documents(actor=people["owen"], workspace=workspace, documents=[document], tag=f"{word}s")
        made.append(document)
    return workspace, people, made


def lay_out(base, drawn: Drawn) -> World:
    """The drawn world, in the transaction of the caller. Runs are really worked on."""
    workspace, people, made = base
    Membership.objects.filter(workspace=workspace).exclude(user=people["owen"]).delete()
    groups = {name: PeopleGroup.objects.create(name=name) for name in GROUPS}
    for name, members in zip(GROUPS, drawn.groups, strict=True):
        groups[name].people.set([people[person] for person in members])
    for name, role in ROLES.items():
        if name == drawn.looks and drawn.by_group:
            add_group(actor=people["owen"], workspace=workspace, group=groups[GROUPS[0]], role=role)
        elif name != "owen":
            Membership.objects.create(workspace=workspace, user=people[name], role=role)
    folders = [Folder.objects.create(workspace=workspace, name=name) for name in FOLDERS]
    for number, folder in enumerate(folders):
        if drawn.restricted[number]:
            named = drawn.named[number]
            documents.restrict_folder(
                actor=people["owen"],
                folder=folder,
                people=[people[name] for name in sorted(named) if name in people],
                groups=[groups[name] for name in sorted(named) if name in groups],
            )
    for document, number in zip(made, drawn.folder_of, strict=True):
        Document.objects.filter(pk=document.pk).update(folder=None if number is None else folders[number])
    runs = [ask(people[asker], workspace, made, document, is_open) for asker, document, is_open, _ in drawn.asked]
    for run, (*_, is_private) in zip(runs, drawn.asked, strict=True):
        Run.objects.filter(pk=run.pk).update(private=is_private)
    tell_of_everything(workspace, people[drawn.looks], made, runs)
    return World(drawn, workspace, people, made, runs, link_to(runs[0], people[drawn.asked[0][0]]))


def tell_of_everything(workspace, viewer, made, runs) -> None:
    """Notices to the viewer of every run, and of two documents that cannot be read again; one of these is closed."""
    for document in made[:2]:
        failed = {"status": "failed", "sha256": f"{document.pk:064d}", "bytes": 1, "mime": "text/markdown"}
        DocumentVersion.objects.create(document=document, number=2, file="uploads/none.md", **failed)
        notify(people=[viewer.pk], kind=Kind.DOCUMENT_FAILED, workspace_id=workspace.pk, about=document.pk)
    for run in runs:
        notify(people=[viewer.pk], kind=Kind.COMMENTED, workspace_id=workspace.pk, about=run.pk)
    assert Notice.objects.filter(user=viewer).count() >= len(made[:2]) + len(runs)


def ask(person, workspace, made, document: int | None, is_open: bool) -> Run:
    place = member_workspace(person, workspace.slug)
    chosen = None if document is None else [made[document].pk]
    run = start_run(user=person, workspace=place, question=QUESTION, documents=chosen, restricted=not is_open)
    work_on(run)
    run.refresh_from_db()
    assert run.status in Run.CONCLUDED, run.reason
    return run


def work_on(run: Run) -> None:
    """As the run's job does, but for the thread that watches its lease, which sees no open transaction."""
    lease = claim_run(run.pk)
    corpus = WorkspaceCorpus(Run.objects.select_related("workspace").get(pk=run.pk))
    inputs_of(run, lease)
    recorder = Recorder(lease, corpus)
    engine = engine_for(None, Calls(offline=True))
    for event in engine.reasoner.run(run.question, corpus, limits_of(run)):
        match event:
            case StepEvent():
                recorder.step(event)
            case ClaimEvent():
                recorder.claim(event)
            case CompleteEvent():
                recorder.complete(event)


def link_to(run: Run, person) -> str | None:
    """The token of a link to the run; None where one cannot be made."""
    try:
        found = Run.objects.select_related("workspace").get(pk=run.pk)
        return make_link(user=person, run=found, terms=LinkTerms(days=7))[1]
    except Problem as problem:
        assert problem.code == "restricted_folder"
        return None


def addresses(world: World, *, hidden: bool) -> list[str]:
    """Every page that can be got, of what is there for the viewer, or else of what is not."""
    drawn, slug = world.drawn, world.workspace.slug
    files = [d for n, d in enumerate(world.documents) if drawn.sees_document(drawn.looks, n) != hidden]
    runs = [run for n, run in enumerate(world.runs) if drawn.sees_run(drawn.looks, n) != hidden]
    places = {"document": files, "run": runs, "thread": [run.thread for run in runs]}
    found = []
    for row in MATRIX:
        if row.method != "get" or row.needs == STAFF or row.on not in (*places, *(() if hidden else ("workspace", ""))):
            continue
        if row.name in ("runs:compare_ticked", "view-on-site", "health-ready") or {"link", "pk"} & set(row.more):
            continue
        for thing in places.get(row.on, [None]):
            kwargs = dict(row.more) | ({"slug": slug} if row.on else {}) | ({"pk": thing.pk} if thing else {})
            if "version" in kwargs:
                kwargs["version"] = world.documents[0].current_version_id or versions(world)[0]
            if "asked" in kwargs:
                kwargs["asked"] = next((run.pk for run in runs), 0)
            if "other" in kwargs:
                kwargs["other"] = next(run.pk for run in world.runs if run != thing)
            forms = ("markdown", "json", "print", "bundle") if row.name == "runs:export" else (None,)
            found += [reverse(row.name, kwargs=kwargs | ({"form": form} if form else {})) for form in forms]
    return found


def versions(world: World) -> list[int]:
    return [Document.objects.get(pk=document.pk).current_version_id for document in world.documents]


def searches(world: World) -> list[str]:
    """Pages that are asked for something: words of every document, its number, its folder, its tag."""
    at = {name: reverse(name, args=[world.workspace.slug]) for name in ("runs:search", "documents:list", "runs:list")}
    choices, start = (reverse(name, args=[world.workspace.slug]) for name in ("runs:choices", "runs:workspace"))
    words = [f"{at['runs:search']}?q={word}+leave" for word in WORDS]
    lists = [f"{page}?q={word}" for page, word in product((at["documents:list"], choices), WORDS)]
    closed = [world.documents[1].pk, world.documents[2].pk]
    folders = Folder.objects.filter(workspace=world.workspace).values_list("pk", flat=True)
    named = [f"{at['runs:list']}?document={pk}" for pk in closed] + [f"{start}?documents={pk}" for pk in closed]
    named += [f"{choices}?documents={pk}" for pk in closed] + [f"{at['documents:list']}?folder={pk}" for pk in folders]
    return [*words, *lists, *named, f"{at['documents:list']}?status=deleted", f"{at['documents:list']}?tag=teasels"]


CHANGING = re.compile(
    r'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|csrf[a-z-]*&quot;: &quot;\w+|X-CSRFToken[^,}]*'
    r'|"index_version": "\d+"|&quot;index_version&quot;: &quot;\d+&quot;|\d+(\.\d+)? (milli)?seconds?|\d+ ms|0\.\d+ s'
    r"|just now|(today|yesterday), \d\d:\d\d|\d+ (minutes|hours)"
)
"""What differs between two answers to the same: tokens, times, and the number of the cards' last change."""


def look_at(client, address: str) -> tuple[int, str]:
    answer = client.get(address)
    content = b"".join(answer) if answer.streaming else answer.content
    if answer.headers.get("Content-Type") == "application/zip":
        return answer.status_code, read_zip(content)
    return answer.status_code, CHANGING.sub("", content.decode("utf-8", "replace"))


def read_zip(content: bytes) -> str:
    """The names and texts in a bundle, but for what changes; hashes of those change with them."""
    from io import BytesIO
    from zipfile import ZipFile

    with ZipFile(BytesIO(content)) as bundle:
        texts = [f"{name}\n{bundle.read(name).decode('utf-8', 'replace')}" for name in sorted(bundle.namelist())]
    return re.sub(r"\b[0-9a-f]{64}\b", "", CHANGING.sub("", "\n".join(texts)))


def forget(world: World) -> None:
    """Take away what is closed to the viewer, as if it had never been there."""
    drawn = world.drawn
    Notice.objects.update(read_at=None)  # Pages that were looked at have read theirs.
    for number, run in enumerate(world.runs):
        if not drawn.sees_run(drawn.looks, number):
            Thread.objects.filter(pk=run.thread_id).delete()
    for number, document in enumerate(world.documents):
        if not drawn.sees_document(drawn.looks, number):
            documents.purge_document(Document.objects.select_related("workspace").get(pk=document.pk))
    for number, name in enumerate(FOLDERS):
        if not drawn.sees(drawn.looks, number) and drawn.looks != "owen":
            Folder.objects.filter(workspace=world.workspace, name=name).delete()
    snapshots._kept.clear()


def live_fragments(world: World) -> str:
    """What the socket of the list sends when every document has news."""
    viewer = ListViewer(world.viewer(), world.workspace.slug)
    place = viewer.workspace()
    assert place is not None
    return changed_fragments(viewer, place) + changed_fragments(viewer, place, [d.pk for d in world.documents])


def answer_to_viewer(world: World) -> list:
    """What a question of the viewer's own comes to: which documents are opened, with what scores, and what is said."""
    if ROLES[world.drawn.looks] == Role.VIEWER:
        return []
    with transaction.atomic():
        run = ask(world.viewer(), world.workspace, world.documents, None, is_open=False)
        told = [*run.steps.order_by("sequence").values_list("kind", "say", "rejected", "confidence")]
        told += [*run.claims.order_by("order").values_list("text", "support"), run.reason]
        transaction.set_rollback(True)
    snapshots._kept.clear()
    return told


def assert_link_tells_nothing(client, world: World) -> None:
    """Whoever holds the link belongs to nobody: it tells nothing of any restricted folder, later ones included."""
    if world.token is None:
        return
    client.logout()
    address = reverse("sharing:view", args=[world.token])
    status, text = look_at(client, address)
    shut = [word for n, word in enumerate(WORDS) if not world.drawn.sees_document("", n)]
    assert status == 200 and not any(word in text.casefold() for word in shut)
    with transaction.atomic():
        for document in world.runs[0].named.all():
            folder = Folder.objects.create(workspace=world.workspace, name="Later")
            documents.restrict_folder(actor=world.people["owen"], folder=folder)
            Document.objects.filter(pk=document.pk).update(folder=folder)
            assert look_at(client, address)[0] == 404
            break
        transaction.set_rollback(True)


def console_pages(world: World) -> list[str]:
    """Every page of the console, the record searched for each word, and its export."""
    keys = {"workspace": world.workspace.pk, "person": world.viewer().pk}
    rows = [row for row in MATRIX if row.needs == STAFF and row.method == "get"]
    known = [row for row in rows if row.more.get("pk", "person") in keys]
    pages = [reverse(row.name, kwargs={k: keys.get(v, v) for k, v in row.more.items()}) for row in known]
    return [*pages, *(f"/console/audit/?q={word}" for word in WORDS), "/console/audit/export.jsonl"]


def assert_console_tells_nothing(client, world: World, secret: list[str]) -> None:
    """An administrator reads no name there that is hidden from them as a member, while every document needs a look."""
    viewer = world.viewer()
    with transaction.atomic():
        type(viewer).objects.filter(pk=viewer.pk).update(is_staff=True, is_superuser=True)
        DocumentVersion.objects.update(engine_version="old")
        for document in world.documents:
            reason = f"{document.title} is wrong."
            documents.quarantine_document(actor=world.people["owen"], document=document, reason=reason)
        DocumentVersion.objects.filter(document__in=world.documents[1:3]).update(status="failed", error_message="x")
        client.force_login(viewer)
        for address in console_pages(world):
            status, text = look_at(client, address)
            found = [word for word in secret if word in text.casefold() and word not in address]
            assert status == 200 and not found, (address, status, found)
        transaction.set_rollback(True)


def assert_nothing_tells(client, world: World) -> None:
    drawn = world.drawn
    secret = [word for n, word in enumerate(WORDS) if not drawn.sees_document(drawn.looks, n)]
    assert_link_tells_nothing(client, world)
    assert_console_tells_nothing(client, world, secret)
    client.force_login(world.viewer())
    for address in addresses(world, hidden=True):
        status, text = look_at(client, address)
        assert status in (403, 404), address  # 403: below the role that the page needs for any document.
        assert not any(word in text.casefold() for word in secret), address
    for number, run in enumerate(world.runs):
        watched = find_watched_run(world.viewer(), world.workspace.slug, run.pk)
        assert (watched is not None) == drawn.sees_run(drawn.looks, number)
    pages = [*addresses(world, hidden=False), *searches(world)]
    seen = {address: look_at(client, address) for address in pages}
    fragments, answered = CHANGING.sub("", live_fragments(world)), answer_to_viewer(world)
    forget(world)
    assert (CHANGING.sub("", live_fragments(world)), answer_to_viewer(world)) == (fragments, answered)
    for address, (status, text) in seen.items():
        typed = [word for word in secret if word in address]
        found = [word for word in secret if word in text.casefold() and word not in typed]
        assert not found, (address, found)
        assert look_at(client, address) == (status, text), address


@settings(
    max_examples=WORLDS,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),  # A smaller world takes minutes to find, and the address says enough.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(drawn=draw_worlds())
def test_what_is_closed_to_somebody_might_as_well_not_be_there(client, base, drawn):
    with transaction.atomic():
        snapshots._kept.clear()
        assert_nothing_tells(client, lay_out(base, drawn))
        transaction.set_rollback(True)
    snapshots._kept.clear()
