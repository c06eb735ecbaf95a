"""Models of the whole site, and the hosts at which any may be asked."""

import pytest

from tests.console.conftest import text
from vectorless_web.workspaces.models import AuditEvent, ModelHost, ModelProvider
from vectorless_web.workspaces.selectors import model_settings

pytestmark = pytest.mark.django_db
MODEL = {
    "name": "House model",
    "base_url": "https://models.example/v1",
    "model": "large",
    "price_in": "1",
    "price_out": "2",
    "context_size": 8000,
    "enabled": "on",
}


@pytest.fixture
def added(staff):
    """A model of the whole site."""
    assert staff.post("/console/models/add/", {**MODEL, "api_key": "sk-secret"}).status_code == 302
    return ModelProvider.objects.get()


def test_a_model_of_the_site_serves_every_workspace_and_hides_its_key(staff, added, workspace):
    chosen = model_settings(workspace)
    assert (chosen.model, chosen.api_key) == ("large", "sk-secret")
    for page in (staff.get("/console/models/"), staff.get(f"/console/models/{added.pk}/")):
        assert "House model" in text(page)
        assert "sk-secret" not in text(page)
    staff.post(f"/console/models/{added.pk}/change/", {**MODEL, "enabled": ""})
    assert model_settings(workspace) is None
    staff.post(f"/console/models/{added.pk}/remove/")
    assert not ModelProvider.objects.exists()
    assert AuditEvent.objects.filter(verb="provider.removed").exists()


def test_a_model_of_a_workspace_is_tried_here_and_changed_there(staff, workspace):
    row = ModelProvider.objects.create(workspace=workspace, name="Own", base_url="https://m.example", model="m")
    assert staff.get(f"/console/models/{row.pk}/").status_code == 404
    assert staff.post(f"/console/models/{row.pk}/remove/").status_code == 404
    assert staff.post(f"/console/models/{row.pk}/test/").status_code == 302
    row.refresh_from_db()
    assert row.is_being_tried


def test_hosts_that_are_named_are_the_only_ones(staff, added, workspace):
    staff.post("/console/models/hosts/add/", {"host": "Other.example"})
    assert model_settings(workspace) is None, "what was stored before is not asked either"
    assert "not among those allowed" in text(staff.get("/console/models/"))
    assert staff.post("/console/models/add/", {**MODEL, "name": "Second"}).status_code == 422
    staff.post("/console/models/hosts/add/", {"host": "models.example"})
    assert model_settings(workspace) is not None
    for row in ModelHost.objects.all():
        staff.post(f"/console/models/hosts/{row.pk}/remove/")
    assert model_settings(workspace) is not None
    assert staff.post("/console/models/hosts/add/", {"host": "https://a.example/v1"}).status_code == 422
