"""The workspace's own words: who may write them, what is refused, and what a question expands to with them."""

import pytest

from vectorless_web.engine.questions.lexicon import default_lexicon
from vectorless_web.engine.questions.understand import understand
from vectorless_web.workspaces.models import AuditEvent, LexiconEntry, Membership, Role
from vectorless_web.workspaces.selectors import lexicon_of
from vectorless_web.workspaces.services import MAX_ENTRIES

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]

SHED = {"concept": "the Shed, NDC", "phrases": "Northfield distribution centre\nNorthfield warehouse", "note": "Sites"}


@pytest.fixture
def add(act, alice):
    def add(user=alice, **values):
        return act(user, "lexicon/add/", **{**SHED, **values})

    return add


def make_editor(workspace, user):
    Membership.objects.filter(workspace=workspace, user=user).update(role=Role.EDITOR)


def test_an_entry_is_added_and_recorded(add, alice, workspace):
    assert add().status_code == 302
    row = LexiconEntry.objects.get()
    assert (row.concept, row.note, row.created_by, row.workspace) == ("the Shed, NDC", "Sites", alice, workspace)
    assert row.phrases == ["Northfield distribution centre", "Northfield warehouse"]
    event = AuditEvent.objects.get(verb="lexicon.added")
    assert (event.actor, event.object_name, event.details["phrases"]) == (alice, row.concept, row.phrases)


def test_an_editor_writes_and_a_member_only_reads(add, see, workspace, alice, bob):
    add()
    assert add(bob, concept="other").status_code == 403
    shown = see(bob, "lexicon/").content.decode()
    assert "Northfield warehouse" in shown
    assert "Save the entry" not in shown
    assert "Budgets" not in shown, "a member is not led to pages that are closed to them"
    make_editor(workspace, bob)
    assert add(bob, concept="other").status_code == 302
    assert "Save the entry" in see(bob, "lexicon/").content.decode()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"concept": ""}, "required"),
        ({"concept": " , "}, "at least one term"),
        ({"concept": "of the"}, "no word that could be searched for"),
        ({"phrases": ""}, "required"),
        ({"phrases": "x" * 121}, "longer than 120"),
        ({"phrases": "\n".join(f"wording {n}" for n in range(21))}, "20 are the most"),
        ({"phrases": "Northfield\nof the"}, "no word that could be searched for"),
        ({"statement": "invented"}, "not one of the available choices"),
    ],
)
def test_what_cannot_be_used_is_refused_in_place(add, values, words):
    response = add(**values)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert not LexiconEntry.objects.exists()


def test_a_name_stands_in_one_entry_and_what_was_typed_is_kept(add):
    add()
    response = add(concept="sites, ndc", phrases="Southfield depot")
    assert response.status_code == 422
    shown = response.content.decode()
    assert "“ndc” is in the lexicon already" in shown and "Southfield depot" in shown
    assert add(concept="sites").status_code == 302


def test_there_is_a_limit(add, workspace):
    rows = [LexiconEntry(workspace=workspace, concept=f"term {n}", phrases=["x"]) for n in range(MAX_ENTRIES)]
    LexiconEntry.objects.bulk_create(rows)
    response = add()
    assert response.status_code == 422
    assert "which is the most" in response.content.decode()


def test_an_entry_is_changed_and_removed(add, act, see, alice):
    add()
    row = LexiconEntry.objects.get()
    assert "Northfield distribution centre\nNorthfield warehouse" in see(alice, f"lexicon/{row.pk}/").content.decode()
    act(alice, f"lexicon/{row.pk}/change/", **{**SHED, "phrases": "Southfield depot"})
    row.refresh_from_db()
    assert row.phrases == ["Southfield depot"]
    assert AuditEvent.objects.filter(verb="lexicon.changed").exists()
    act(alice, f"lexicon/{row.pk}/remove/")
    assert not LexiconEntry.objects.exists()
    assert AuditEvent.objects.get(verb="lexicon.removed").object_name == "the Shed, NDC"


def test_every_name_of_an_entry_leads_to_its_wordings(add, workspace):
    add()
    for question in ("What does the shed cost?", "What does the NDC cost?"):
        terms = {term.term: term for term in understand(question, lexicon=lexicon_of(workspace)).terms}
        assert terms["northfield"].source == "lexicon:the shed"
        assert terms["northfield"].weight < 1, "the question's own words count most"


def test_a_statement_makes_it_a_figure(add, workspace):
    add(concept="turnover of sites", phrases="site takings", statement="income")
    plan = understand("What was the turnover of sites in 2024?", lexicon=lexicon_of(workspace))
    assert [(need.concept, need.statement) for need in plan.figures] == [("turnover of sites", "income")]


def test_the_lexicon_is_kept_until_an_entry_changes(add, act, alice, workspace, django_assert_num_queries):
    add()
    first = lexicon_of(workspace)
    with django_assert_num_queries(1):
        assert lexicon_of(workspace) is first
    act(alice, f"lexicon/{LexiconEntry.objects.get().pk}/change/", **{**SHED, "phrases": "Southfield depot"})
    assert lexicon_of(workspace).concept("the shed").phrases[0] == "southfield depot"
    act(alice, f"lexicon/{LexiconEntry.objects.get().pk}/remove/")
    assert lexicon_of(workspace) is default_lexicon()


class TestPreview:
    def test_it_says_where_each_term_comes_from(self, add, see, bob):
        add()
        response = see(bob, "lexicon/preview/?question=What was the capex of the shed in 2024?")
        shown = response.content.decode()
        preview = response.context["preview"]
        added = {row.concept: row.pack for row in preview.added}
        assert (added["the shed"], added["capital expenditures"]) == ("workspace", "financial")
        assert ("2024", "a period") in [(term.term, term.source) for term in preview.own]
        assert preview.periods == ["2024"]
        assert preview.statements[0] == "consolidated statements of cash flows"
        assert "this workspace" in shown
        assert "financial pack" in shown
        assert "<html" not in shown, "htmx gets a fragment"

    def test_an_empty_or_endless_question_is_refused_in_place(self, see, bob):
        assert see(bob, "lexicon/preview/?question=").status_code == 422
        assert see(bob, "lexicon/preview/?question=" + "x" * 4001).status_code == 422
        assert see(bob, "lexicon/?question=").status_code == 422

    def test_what_is_typed_is_shown_as_text(self, add, see, bob):
        add(concept="<b>kiln</b>", phrases="<script>alert(1)</script>")
        shown = see(bob, "lexicon/?question=<script>alert(2)</script> kiln").content.decode()
        assert "<script>alert" not in shown
        assert "<b>kiln" not in shown
