"""The admin site is entered by the same limited door as everything else."""

import pytest

from tests.conftest import PASSWORD, make_user

pytestmark = pytest.mark.django_db


def test_the_admin_s_own_sign_in_leads_to_the_site_s_and_takes_no_password(client, django_user_model):
    answer = client.get("/admin/login/?next=/admin/")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")

    user = make_user(django_user_model, "root")
    django_user_model.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    client.post("/admin/login/", {"username": "root", "password": PASSWORD})
    assert "_auth_user_id" not in client.session
