"""What an operator reads when the site is up."""

from io import StringIO

import pytest
from django.core.management import call_command

from vectorless_web.documents.models import Document
from vectorless_web.runs.demo import DOCUMENT
from vectorless_web.workspaces.services import create_workspace

pytestmark = pytest.mark.django_db

DEMO = "open the Demo workspace"


def welcome(**options: str) -> str:
    told = StringIO()
    call_command("welcome", stdout=told, **options)
    return told.getvalue()


def test_the_demo_is_pointed_at_while_its_report_is_there(alice):
    demo = create_workspace(user=alice, name="Demo")
    document = Document.objects.create(workspace=demo, title="Report", name=DOCUMENT)
    assert DEMO in welcome()

    document.deleted_at = document.created_at
    document.save()
    assert DEMO not in welcome()
    assert "Add a document" in welcome()


def test_ctrl_c_is_named_only_by_what_it_stops():
    assert "Ctrl-C" in welcome(listens="http://127.0.0.1:8000/")
    assert "Ctrl-C" not in welcome()
