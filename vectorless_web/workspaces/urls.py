"""Addresses of workspaces: making one, settings, members, invitations, lexicon, models, budgets."""

from django.urls import path

from vectorless_web.workspaces.views import members, settings

app_name = "workspaces"

SETTINGS = "w/<slug:slug>/settings/"

urlpatterns = [
    path("workspaces/new/", settings.new, name="create"),
    path("workspaces/create/", settings.create, name="make"),
    path("invitations/<str:token>/", members.invitation, name="invitation"),
    path("invitations/<str:token>/accept/", members.accept, name="accept"),
    path(SETTINGS, settings.settings, name="settings"),
    path(f"{SETTINGS}save/", settings.save_settings, name="save_settings"),
    path(f"{SETTINGS}danger/", settings.danger, name="danger"),
    path(f"{SETTINGS}delete/", settings.delete, name="delete"),
    path(f"{SETTINGS}members/", members.members, name="members"),
    path(f"{SETTINGS}members/<int:pk>/role/", members.member_role, name="member_role"),
    path(f"{SETTINGS}members/<int:pk>/remove/", members.remove_member, name="remove_member"),
    path(f"{SETTINGS}members/restore/", members.restore_member, name="restore_member"),
    path(f"{SETTINGS}members/<int:pk>/hand-over/", members.hand_over, name="hand_over"),
    path(f"{SETTINGS}leave/", members.leave, name="leave"),
    path(f"{SETTINGS}leave/now/", members.leave_now, name="leave_now"),
    path(f"{SETTINGS}groups/add/", members.add_group, name="add_group"),
    path(f"{SETTINGS}groups/<int:pk>/role/", members.group_role, name="group_role"),
    path(f"{SETTINGS}groups/<int:pk>/remove/", members.remove_group, name="remove_group"),
    path(f"{SETTINGS}invitations/<int:pk>/renew/", members.renew_invitation, name="renew_invitation"),
    path(f"{SETTINGS}invitations/new/", members.invite, name="invite"),
    path(f"{SETTINGS}invitations/<int:pk>/revoke/", members.revoke_invitation, name="revoke_invitation"),
    path(f"{SETTINGS}lexicon/", settings.entries, name="lexicon"),
    path(f"{SETTINGS}lexicon/preview/", settings.preview, name="preview_lexicon"),
    path(f"{SETTINGS}lexicon/add/", settings.add_entry, name="add_entry"),
    path(f"{SETTINGS}lexicon/<int:pk>/", settings.entry, name="entry"),
    path(f"{SETTINGS}lexicon/<int:pk>/change/", settings.change_entry, name="change_entry"),
    path(f"{SETTINGS}lexicon/<int:pk>/remove/", settings.remove_entry, name="remove_entry"),
    path(f"{SETTINGS}models/", settings.providers, name="providers"),
    path(f"{SETTINGS}models/add/", settings.save_provider, name="save_provider"),
    path(f"{SETTINGS}models/look/", settings.look_for_models, name="look_for_models"),
    path(f"{SETTINGS}models/nearby/", settings.nearby_models, name="nearby_models"),
    path(f"{SETTINGS}models/use/", settings.use_nearby_model, name="use_nearby_model"),
    path(f"{SETTINGS}models/<int:pk>/", settings.provider, name="provider"),
    path(f"{SETTINGS}models/<int:pk>/change/", settings.change_provider, name="change_provider"),
    path(f"{SETTINGS}models/<int:pk>/test/", settings.test_provider, name="test_provider"),
    path(f"{SETTINGS}models/<int:pk>/row/", settings.provider_row, name="provider_row"),
    path(f"{SETTINGS}models/<int:pk>/remove/", settings.remove_provider, name="remove_provider"),
    path(f"{SETTINGS}models/<int:pk>/restore/", settings.restore_provider, name="restore_provider"),
    path(f"{SETTINGS}budgets/", settings.budgets, name="budgets"),
    path(f"{SETTINGS}budgets/save/", settings.save_budget, name="save_budget"),
    path(f"{SETTINGS}budgets/<int:pk>/remove/", settings.remove_budget, name="remove_budget"),
]
