"""A provider's key is seen by the provider alone, even when its server sends it back in every error."""

import logging

import pytest
from django.core import serializers

from tests.support.model_server import KEY, refused
from vectorless_web.runs import jobs
from vectorless_web.runs.models import ModelCall, Run, Step
from vectorless_web.workspaces.models import AuditEvent, Membership, ModelProvider, Role
from vectorless_web.workspaces.services import save_provider

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", [400, 401, 500])
def test_no_error_log_row_page_or_export_holds_the_key(
    status, httpserver, workspace, alice, make_run, read_report, admin_client, admin_user, client, caplog, settings
):
    settings.MODEL_RETRIES = 0
    httpserver.expect_request("/v1/chat/completions").respond_with_response(
        refused(status, f"Incorrect API key provided: {KEY}")
    )
    provider = ModelProvider(workspace=workspace, name="P", base_url=httpserver.url_for("/v1"), model="m")
    save_provider(actor=alice, provider=provider, api_key=KEY)
    run = make_run(question="What was revenue in 2024?")

    with caplog.at_level(logging.DEBUG, logger="vectorless_web"):
        jobs.execute_run(run.pk)

    sent = [request.headers["Authorization"] for request, _ in httpserver.log]
    assert sent
    assert set(sent) == {f"Bearer {KEY}"}
    run.refresh_from_db()
    assert run.status == "passages"
    for rows in (Run, Step, ModelCall, AuditEvent, ModelProvider):
        assert KEY not in serializers.serialize("json", rows.objects.all())
    assert KEY not in caplog.text
    client.force_login(alice)
    place = f"/w/{workspace.slug}"
    for path in (f"{place}/runs/{run.pk}/", f"{place}/runs/{run.pk}/export/json/", f"{place}/settings/models/"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert KEY not in answer.content.decode()
    Membership.objects.create(workspace=workspace, user=admin_user, role=Role.VIEWER)
    for path in (f"runs/run/{run.pk}/change/", f"workspaces/modelprovider/{provider.pk}/change/"):
        answer = admin_client.get(f"/admin/{path}")
        assert answer.status_code == 200, path
        assert KEY not in answer.content.decode()
