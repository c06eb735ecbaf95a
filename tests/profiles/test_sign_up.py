"""Making an account by an invitation: what the page says, and what closed links say."""

from datetime import timedelta

import pytest
from django.utils import timezone

from vectorless_web.workspaces.models import Invitation
from vectorless_web.workspaces.services import invite, revoke_invitation

pytestmark = pytest.mark.django_db


@pytest.fixture
def link(workspace, alice):
    """A link for one address, and its row."""
    invitation, token = invite(actor=alice, workspace=workspace, role="editor", days=7, email="dora@example.org")
    return f"/invitations/{token}/", invitation


def test_it_names_workspace_inviter_and_role_and_fills_the_address_in(client, link):
    page = client.get(link[0], follow=True).content.decode()
    assert "Join Acme diligence" in page
    assert "alice invites you as editor" in page
    assert 'value="dora@example.org"' in page


@pytest.mark.parametrize(
    ("close", "said"),
    [
        (lambda row, by: revoke_invitation(actor=by, invitation=row), "was revoked"),
        (lambda row, by: Invitation.objects.filter(pk=row.pk).update(accepted_at=timezone.now()), "was used already"),
        (
            lambda row, by: Invitation.objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(1)),
            "has expired",
        ),
        (lambda row, by: row.delete(), "There is no such invitation"),
    ],
    ids=["revoked", "used", "expired", "unknown"],
)
def test_a_closed_link_says_why_and_lets_nobody_in(client, link, alice, charlie, close, said):
    address, row = link
    close(row, alice)
    answer = client.get(address)
    assert answer.status_code == 404
    assert said in answer.content.decode()
    client.force_login(charlie)
    assert client.post(f"{address}accept/").status_code == 404
    assert not charlie.memberships.exists()
