"""Who works in the console, and questions that were asked."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from tests.conftest import PASSWORD
from vectorless_web.runs.models import Run, Thread


def text(response) -> str:
    """What a page says, with its marks."""
    return response.content.decode()


def ask(workspace, person=None, *, days_ago: float = 0, **values) -> Run:
    """A question that somebody asked so many days ago, in a thread of its own; answered then, unless told otherwise."""
    moment = timezone.now() - timedelta(days=days_ago)
    thread = Thread.objects.create(workspace=workspace, title="t", created_by=person)
    values = {"question": "q", "status": "answered", "finished_at": moment, **values}
    run = Run.objects.create(thread=thread, workspace=workspace, asked_by=person, **values)
    Run.objects.filter(pk=run.pk).update(created_at=moment)
    return run


def browser(name: str) -> Client:
    """A browser in which somebody has signed in with PASSWORD, if they may."""
    made = Client()
    made.post("/accounts/login/", {"login": name, "password": PASSWORD})
    return made


@pytest.fixture
def grace(db, django_user_model):
    """A superuser."""
    return django_user_model.objects.create(username="grace", is_staff=True, is_superuser=True, email="g@example.com")


@pytest.fixture
def staff(client, grace):
    """A browser in which the superuser is signed in."""
    client.force_login(grace)
    return client


@pytest.fixture
def give(db):
    """Make somebody staff with these rights and no others."""

    def give_rights(person, *rights: str):
        person.is_staff = True
        person.save()
        for right in rights:
            app, _, name = right.partition(".")
            person.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=name))
        return person

    return give_rights
