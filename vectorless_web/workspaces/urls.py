"""Addresses of workspaces: making one, settings, members, invitations, lexicon, models, budgets."""

from django.urls import path

from vectorless_web.workspaces.views import governing, members, spending

app_name = "workspaces"

SETTINGS = "w/<slug:slug>/settings/"

urlpatterns = [
    path("workspaces/new/", governing.new, name="create"),
    path("workspaces/create/", governing.create, name="make"),
    path("invitations/<str:token>/", members.invitation, name="invitation"),
    path("invitations/<str:token>/accept/", members.accept, name="accept"),
    path(SETTINGS, governing.settings, name="settings"),
    path(f"{SETTINGS}save/", governing.save_settings, name="save_settings"),
    path(f"{SETTINGS}danger/", governing.danger, name="danger"),
    path(f"{SETTINGS}delete/", governing.delete, name="delete"),
    path(f"{SETTINGS}members/", members.members, name="members"),
    path(f"{SETTINGS}members/<int:pk>/role/", members.member_role, name="member_role"),
    path(f"{SETTINGS}members/<int:pk>/remove/", members.remove_member, name="remove_member"),
    path(f"{SETTINGS}invitations/new/", members.invite, name="invite"),
    path(f"{SETTINGS}invitations/<int:pk>/revoke/", members.revoke_invitation, name="revoke_invitation"),
    path(f"{SETTINGS}lexicon/", governing.entries, name="lexicon"),
    path(f"{SETTINGS}lexicon/preview/", governing.preview, name="preview_lexicon"),
    path(f"{SETTINGS}lexicon/add/", governing.add_entry, name="add_entry"),
    path(f"{SETTINGS}lexicon/<int:pk>/", governing.entry, name="entry"),
    path(f"{SETTINGS}lexicon/<int:pk>/change/", governing.change_entry, name="change_entry"),
    path(f"{SETTINGS}lexicon/<int:pk>/remove/", governing.remove_entry, name="remove_entry"),
    path(f"{SETTINGS}models/", spending.providers, name="providers"),
    path(f"{SETTINGS}models/add/", spending.save_provider, name="save_provider"),
    path(f"{SETTINGS}models/<int:pk>/", spending.provider, name="provider"),
    path(f"{SETTINGS}models/<int:pk>/change/", spending.change_provider, name="change_provider"),
    path(f"{SETTINGS}models/<int:pk>/test/", spending.test_provider, name="test_provider"),
    path(f"{SETTINGS}models/<int:pk>/row/", spending.provider_row, name="provider_row"),
    path(f"{SETTINGS}models/<int:pk>/remove/", spending.remove_provider, name="remove_provider"),
    path(f"{SETTINGS}budgets/", spending.budgets, name="budgets"),
    path(f"{SETTINGS}budgets/save/", spending.save_budget, name="save_budget"),
    path(f"{SETTINGS}budgets/<int:pk>/remove/", spending.remove_budget, name="remove_budget"),
]
