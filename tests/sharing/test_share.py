"""Sharing a run: a link for whoever holds it, for as long as it is open, and nothing beyond the run."""

import re
from datetime import timedelta
from functools import partial
from types import SimpleNamespace

import pytest
from django.test import Client
from django.utils import timezone

from tests.engine.parsing.test_figures import web_page
from tests.runs.conftest import _unwatched, make_ready, make_run, report, work  # noqa: F401
from tests.support.compiled import compiled_document
from tests.support.engines import long_story
from tests.support.together import at_once
from vectorless_web.documents.models import Document
from vectorless_web.documents.rendering.page import WordLine, WordRun
from vectorless_web.engine.documents.card import PageInfo
from vectorless_web.runs.models import Citation, Run, Step
from vectorless_web.sharing.models import ShareLink, ShareView
from vectorless_web.sharing.services import LinkTerms, make_link, password_fits, take_view
from vectorless_web.workspaces.models import AuditEvent

pytestmark = pytest.mark.django_db
commits = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shared_run(make_run, monkeypatch) -> Run:  # noqa: F811
    monkeypatch.setenv("STORY_STEPS", "4")
    return work(make_run(), long_story)


def share(client, run: Run, **values) -> str:
    """Make a link as a person would; its address, without the host."""
    response = client.post(f"/w/{run.workspace.slug}/runs/{run.pk}/share/make/", {"days": 7, **values})
    assert response.status_code == 200, response.content.decode()[-500:]
    return re.search(r"/s/[\w-]+/", response.content.decode())[0]


@pytest.fixture
def owner(client, alice, shared_run):
    client.force_login(alice)
    return client


@pytest.fixture
def outsider() -> Client:
    """A browser that was never signed in."""
    return Client()


@pytest.fixture
def page_picture(monkeypatch, tmp_path) -> list[str]:
    """Pictures of pages without a render child; the labels that were asked for."""
    path = tmp_path / "page.jpg"
    path.write_bytes(b"JPEG")
    labels: list[str] = []

    def draw(*_values, label: str = ""):
        labels.append(label)
        return path

    monkeypatch.setattr("vectorless_web.sharing.views.page_image", draw)
    return labels


def test_a_refused_password_leaves_what_else_was_chosen(owner, shared_run):
    terms = {"days": 7, "password": "sea", "label": "Harbour Mutual", "views_max": 3, "redact": 1}
    address = f"/w/{shared_run.workspace.slug}/runs/{shared_run.pk}/share/make/"
    response = owner.post(address, terms, headers={"HX-Request": "true"})
    page = response.content.decode()
    assert response.status_code == 422
    assert re.findall(r'<option value="(\d+)" selected', page) == ["7"]
    assert re.findall(r'value="(sea|Harbour Mutual|3)"', page) == ["sea", "Harbour Mutual", "3"]
    assert re.findall(r'name="(\w+)" value="1" checked', page) == ["redact"]


def test_whoever_holds_the_link_reads_the_run_without_an_account_and_goes_nowhere(owner, outsider, shared_run):
    response = outsider.get(share(owner, shared_run))

    page = response.content.decode()
    assert response.status_code == 200
    assert "Revenue was 412 million" in page and "Read note 3" in page and shared_run.question in page
    assert f"/w/{shared_run.workspace.slug}/" not in page and "ws-connect" not in page
    # No search engine, cache or other site learns of it.
    assert "noindex" in response["X-Robots-Tag"]
    assert 'content="noindex' in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    assert response["Referrer-Policy"] == "same-origin"


def test_unknown_expired_and_revoked_links_look_alike(owner, outsider, shared_run):
    expired, revoked = share(owner, shared_run), share(owner, shared_run)
    newest, oldest = ShareLink.objects.all()
    ShareLink.objects.filter(pk=oldest.pk).update(expires_at=timezone.now() - timedelta(days=1))
    ShareLink.objects.filter(pk=newest.pk).update(revoked_at=timezone.now())

    answers = [outsider.get(address) for address in (expired, revoked, "/s/never-existed/")]

    assert {answer.status_code for answer in answers} == {404}
    assert len({re.sub(r'value="[^"]*"|"X-CSRFToken": "[^"]*"', "", a.content.decode()) for a in answers}) == 1


class TestPassword:
    def test_the_run_is_shown_after_the_right_password_only(self, owner, outsider, shared_run):
        address = share(owner, shared_run, password="open sesame")

        assert "sesame" not in str(ShareLink.objects.values().get()), "it is hashed"
        assert "412 million" not in outsider.get(address).content.decode()
        assert not ShareView.objects.exists(), "an opening counts when the password was given"
        wrong = outsider.post(f"{address}unlock/", {"password": "open barley"})
        assert wrong.status_code == 422
        assert "412 million" not in outsider.get(address).content.decode()
        right = outsider.post(f"{address}unlock/", {"password": "open sesame"}, follow=True)
        assert "412 million" in right.content.decode()

    @commits
    def test_tries_at_the_same_moment_are_each_counted(self, shared_run, alice):
        link, _token = make_link(user=alice, run=shared_run, terms=LinkTerms(days=7, password="open sesame"))

        guesses = [partial(password_fits, link=link, password=f"guess {n}", address="192.0.2.7") for n in range(30)]
        assert at_once(*guesses).count(False) == 10

    def test_guesses_count_for_each_browser_s_network_behind_a_proxy(self, owner, outsider, shared_run, settings):
        settings.PROXIES = 1
        address = share(owner, shared_run, password="open sesame")
        for number in range(10):
            outsider.post(f"{address}unlock/", {"password": f"guess {number}"}, headers={"X-Forwarded-For": "1.2.3.4"})
        right = {"password": "open sesame"}
        codes = [
            outsider.post(f"{address}unlock/", right, headers={"X-Forwarded-For": seen}).status_code
            for seen in ("1.2.3.4", "1.2.9.4")
        ]
        assert codes == [429, 302]

    def test_one_link_s_password_opens_no_other(self, owner, outsider, shared_run):
        first = share(owner, shared_run, password="open sesame")
        second = share(owner, shared_run, password="open sesame")
        outsider.post(f"{first}unlock/", {"password": "open sesame"})

        assert "412 million" not in outsider.get(second).content.decode()


class TestPages:
    def test_a_page_that_is_quoted_is_shown_and_no_other(self, owner, outsider, shared_run, page_picture, alice):
        version, other = Citation.objects.first().version_id, make_ready(shared_run.workspace, alice, "Secret plans")
        address, locked = share(owner, shared_run), share(owner, shared_run, password="open sesame")

        response = outsider.get(f"{address}pages/{version}/1.jpg")

        assert (response.status_code, response.content) == (200, b"JPEG")
        others = [f"{address}pages/{version}/{page}.jpg" for page in (0, 2, 3, 99)]
        others += [f"{address}pages/{other.current_version_id}/1.jpg", f"{locked}pages/{version}/1.jpg"]
        assert {outsider.get(each).status_code for each in others} == {404}

    def test_its_words_can_be_selected_and_those_of_other_pages_cannot(self, owner, outsider, shared_run, monkeypatch):
        line = WordLine(20.0, 10.0, (WordRun(5.0, 60.0, "Revenue was 412 million"),))
        compiled = SimpleNamespace(pages=[PageInfo(595, 842, 23)])
        monkeypatch.setattr("vectorless_web.documents.views.reader.open_version", lambda _: compiled)
        monkeypatch.setattr("vectorless_web.documents.views.reader.page_words", lambda *_: [line])
        version = Citation.objects.first().version_id
        address = share(owner, shared_run)

        assert "Revenue was 412 million" in outsider.get(f"{address}pages/{version}/1/words/").content.decode()
        assert outsider.get(f"{address}pages/{version}/2/words/").status_code == 404

    def test_nor_a_page_of_a_document_that_was_deleted_since(self, owner, outsider, shared_run, page_picture, caplog):
        citation, address = Citation.objects.first(), share(owner, shared_run)
        picture_of = f"{address}pages/{citation.version_id}/1.jpg"
        assert outsider.get(picture_of).status_code == 200
        Document.objects.filter(pk=citation.version.document_id).update(deleted_at=timezone.now())

        page = outsider.get(address).content.decode()

        assert outsider.get(picture_of).status_code == 404
        assert "vectorless_web.runs.page.sheets" not in {row.name for row in caplog.records}, (
            "its file is not even opened"
        )
        assert "Revenue was 412 million" in page, "the quote is kept with the run"


def test_figures_of_a_quoted_page_are_shown_by_the_link_alone_and_no_others(
    owner, outsider, shared_run, alice, settings, tmp_path
):
    settings.CACHE_ROOT, settings.RENDER_SOCKET = tmp_path / "cache", tmp_path / "render.sock"
    harbour = compiled_document(shared_run.workspace, alice, web_page(), "harbour.html")
    Citation.objects.update(version=harbour.current_version, page_index=0, spans=[], boxes=[])
    address = share(owner, shared_run)
    page = outsider.get(address).content.decode()
    picture = re.search(r'src="(/s/[^"]+/figures/[^"]+)"', page)[1]

    def status_of(**values) -> int:
        return outsider.get(re.sub(r"/s/[^/]+/", share(owner, shared_run, **values), picture)).status_code

    response = outsider.get(picture)
    assert (response.status_code, response["Content-Type"]) == (200, "image/jpeg")
    assert f"/documents/{harbour.pk}/" not in page, "no way into the workspace"
    assert ShareView.objects.get().pages == [[harbour.current_version_id, 1]]
    assert status_of(password="open sesame") == 404
    assert status_of(label="For Ada") == 503, "no render child runs here to write the label"
    other = make_ready(shared_run.workspace, alice, "Secret plans").current_version_id
    for version, key in ((other, 1), (harbour.current_version_id, 9999)):
        assert outsider.get(f"{address}figures/{version}/{key}.jpg").status_code == 404
    Citation.objects.update(page_index=1)
    assert outsider.get(picture).status_code == 404, "nothing of its page is quoted"
    Citation.objects.update(page_index=0)
    Document.objects.filter(pk=harbour.pk).update(deleted_at=timezone.now())
    assert outsider.get(picture).status_code == 404


class TestLimitedOpenings:
    def test_it_closes_after_the_last_one(self, owner, outsider, shared_run):
        address = share(owner, shared_run, views_max=2)
        assert [outsider.get(address).status_code for _opening in range(3)] == [200, 200, 404]

    def test_pictures_of_the_last_opening_are_still_shown(self, owner, outsider, shared_run, page_picture):
        version = Citation.objects.first().version_id
        address = share(owner, shared_run, views_max=1)
        picture = f"{address}pages/{version}/1.jpg"
        assert outsider.get(picture).status_code == 404, "it was not opened yet"
        outsider.get(address)
        assert outsider.get(picture).status_code == 200
        assert outsider.get(picture, REMOTE_ADDR="9.9.9.9").status_code == 404, "nor from this network"

    @commits
    def test_two_at_the_same_moment_do_not_both_take_the_last(self, owner, shared_run):
        share(owner, shared_run, views_max=3)
        link = ShareLink.objects.get()

        opening = partial(take_view, link=link, address="1.2.3.4", agent="")
        assert sum(at_once(*[opening] * 6)) == 3


def test_the_owner_s_list_says_when_from_where_and_which_pages(owner, outsider, shared_run, page_picture):
    version = Citation.objects.first().version_id
    address = share(owner, shared_run, label="  Northwind   only ")
    views = f"/w/{shared_run.workspace.slug}/settings/links/{ShareLink.objects.get().pk}/"
    assert "Nobody has opened it yet" in owner.get(views).content.decode()
    outsider.get(address, headers={"User-Agent": "Firefox/140"}, REMOTE_ADDR="203.0.113.77")
    outsider.get(f"{address}pages/{version}/1.jpg", REMOTE_ADDR="203.0.113.77")
    assert page_picture == ["Northwind only"], "the label is asked of the picture"
    page = owner.get(views).content.decode()
    assert "203.0.113.0/24" in page and "203.0.113.77" not in page
    assert "Firefox/140" in page
    assert ShareView.objects.get().pages == [[version, 1]]


def test_how_it_was_found_is_in_no_byte_when_left_out(owner, outsider, shared_run):
    steps = list(Step.objects.filter(run=shared_run))
    with_trace = outsider.get(share(owner, shared_run)).content.decode()
    without = outsider.get(share(owner, shared_run, hide_trace="1")).content.decode()
    told = [step.say for step in steps if step.say and step.say in with_trace]
    assert told
    assert [said for said in told if said in without] == []
    assert "How it was found" not in without
    assert "in step" not in without
    assert "Revenue was 412 million" in without


def test_names_are_left_out_when_asked(owner, outsider, shared_run):
    page = outsider.get(share(owner, shared_run, redact="on")).content.decode()

    assert shared_run.workspace.name not in page
    # As words: a token of random letters may hold a name.
    assert not re.search(r"\b(alice|bob)\b", page)


class TestWithoutNames:
    """Of the documents, only those quoted are told; a run over several is shared without the names of the others."""

    @pytest.fixture
    def run_over_two(self, shared_run, alice) -> Run:
        other = make_ready(shared_run.workspace, alice, "Project Falcon")
        cited = Citation.objects.filter(version__isnull=False).first().version.document
        names = [{"document": str(other.pk), "title": "Project Falcon", "reason": "names Falcon"}]
        shown = [{"document": str(cited.pk), "title": cited.title, "reason": "names revenue"}]
        last = shared_run.steps.order_by("-sequence").first().sequence
        routed = {"shortlist": shown, "missed": names, "note": "Project Falcon was near"}
        ref = {"document": str(other.pk), "title": "Falcon's price", "key": 2, "page_start": 0, "page_end": 0}
        found = {"passages": [{"key": 2, "quote": "Falcon costs 7", "page": 1}]}
        far = [{"label": "Project Falcon", "reason": "too far"}]
        steps = [
            {"walk": 0, "kind": "route", "say": "Opened Project Falcon", "observation": routed, "rejected": far},
            {"walk": 9, "kind": "retrieve", "say": "Read Falcon's price", "refs": [ref], "observation": found},
            {"walk": 9, "kind": "synthesize", "say": "Falcon costs seven", "thought": "Falcon it is"},
            {"walk": 0, "kind": "finalize", "say": "project  falcon told nothing"},
        ]
        for number, values in enumerate(steps, start=50):
            Step.objects.create(run=shared_run, sequence=last + number, index=number, **values)
        checked = [{"document": str(other.pk), "title": "Falcon's margin", "reason": "no figure", "page_start": 0}]
        Run.objects.filter(pk=shared_run.pk).update(checked=checked, reason="Project Falcon says nothing.")
        return Run.objects.get(pk=shared_run.pk)

    def test_no_other_document_is_named(self, owner, outsider, run_over_two):
        open_page = outsider.get(share(owner, run_over_two)).content.decode()
        page = outsider.get(share(owner, run_over_two, redact="1")).content.decode()

        assert "Project Falcon" in open_page, "it is there to be left out"
        assert "falcon" not in page.lower()
        assert "Worked in a document that the answer does not quote" in page
        assert "Revenue was 412 million" in page
        cited = Citation.objects.exclude(version=None).first().document_title
        assert cited in page

    def test_nor_what_was_checked_there_in_vain(self, owner, outsider, run_over_two):
        Run.objects.filter(pk=run_over_two.pk).update(status="not_found")
        page = outsider.get(share(owner, run_over_two, redact="1")).content.decode()
        assert "falcon" not in page.lower()
        assert "1 place" in page


def test_the_link_ends_with_the_membership_and_while_the_account_is_switched_off(
    client, html, outsider, bob, alice, shared_run
):
    client.force_login(bob)
    address, inside = share(client, shared_run), f"/w/{shared_run.workspace.slug}"
    menu = client.get(f"{inside}/runs/{shared_run.pk}/share/").content.decode()
    assert "when you leave the workspace" in menu
    seen = []
    for is_active in (True, False, True):
        type(bob).objects.filter(pk=bob.pk).update(is_active=is_active)
        seen.append(outsider.get(address).status_code)
    shared_run.workspace.memberships.filter(user=bob).delete()

    assert [*seen, outsider.get(address).status_code] == [200, 404, 200, 404]
    assert outsider.post(f"{address}unlock/", {"password": ""}).status_code == 404
    assert "the person who made it has left" in html(alice, f"{inside}/settings/links/")


def test_one_address_is_slowed_down_alike_for_links_that_exist_and_not(owner, outsider, shared_run, settings):
    settings.SHARE_REQUESTS_PER_MINUTE = 3
    address = share(owner, shared_run)
    early = [outsider.get("/s/guess/").status_code for _ in range(3)]
    late = [outsider.get(path) for path in (address, "/s/guess/")]
    other = outsider.get(address, REMOTE_ADDR="198.51.100.9")

    assert early == [404] * 3
    assert [answer.status_code for answer in late] == [429, 429]
    assert all(int(answer["Retry-After"]) > 0 for answer in late)
    assert other.status_code == 200


def test_a_run_under_way_cannot_be_shared(client, alice, make_run):  # noqa: F811
    client.force_login(alice)
    run = make_run()

    response = client.post(f"/w/{run.workspace.slug}/runs/{run.pk}/share/make/", {"days": 7})

    assert response.status_code == 409
    assert not ShareLink.objects.exists()


def test_terms_that_make_no_sense_are_refused(owner, shared_run):
    address = f"/w/{shared_run.workspace.slug}/runs/{shared_run.pk}/share/make/"

    for wrong in (
        *({"days": days} for days in ("0", "-1", "366", "soon", "")),
        *({"views_max": views} for views in ("0", "-1", "many", "100000")),
        {"password": "abc"},
    ):
        assert owner.post(address, {"days": 7, **wrong}).status_code == 422, wrong
    assert not ShareLink.objects.exists()


def test_a_member_shares_their_own_run_but_not_somebody_else_s(client, bob, shared_run, alice):
    client.force_login(bob)
    assert share(client, shared_run)
    Run.objects.filter(pk=shared_run.pk).update(asked_by=alice)

    assert (
        client.post(f"/w/{shared_run.workspace.slug}/runs/{shared_run.pk}/share/make/", {"days": 7}).status_code == 403
    )


def test_the_owner_sees_and_closes_all_links(owner, outsider, shared_run):
    address = share(owner, shared_run)

    page = owner.get(f"/w/{shared_run.workspace.slug}/settings/links/").content.decode()
    assert shared_run.question in page
    link = ShareLink.objects.get()
    revoke = f"/w/{shared_run.workspace.slug}/runs/{shared_run.pk}/share/{link.pk}/revoke/"
    assert owner.post(revoke, {"back": "links"})["Location"].endswith("/settings/links/")
    assert outsider.get(address).status_code == 404
    assert AuditEvent.objects.filter(verb="run.unshared").count() == 1


def test_sharing_is_recorded_and_the_token_is_kept_as_a_hash_only(owner, shared_run, alice):
    token = share(owner, shared_run, password="open sesame").split("/")[2]

    assert token not in str(ShareLink.objects.values().get())
    assert len(token) >= 22, "128 bits or more"
    event = AuditEvent.objects.get(verb="run.shared")
    assert (event.actor, event.details) == (alice, {"days": 7, "password": True, "without_names": False, "views": None})
