"""What may be done to workspaces, their members, models and budgets."""

from vectorless_web.workspaces.services.budgets import release_all, remove_budget, reserve, set_budget, settle
from vectorless_web.workspaces.services.cost_budget import WorkspaceCostBudget
from vectorless_web.workspaces.services.lexicon import MAX_ENTRIES, add_entry, change_entry, remove_entry
from vectorless_web.workspaces.services.members import (
    accept_invitation,
    add_member,
    address_problem,
    change_role,
    create_workspace,
    delete_workspace,
    describe_orphaned_workspaces,
    invitation_closed,
    invite,
    make_reset_link,
    needs_owner,
    remove_member,
    remove_two_step,
    revoke_invitation,
    update_workspace,
)
from vectorless_web.workspaces.services.providers import (
    break_test,
    check_address,
    remove_provider,
    save_provider,
    start_test,
    test_provider,
)
from vectorless_web.workspaces.services.recording import record

__all__ = [
    "MAX_ENTRIES",
    "WorkspaceCostBudget",
    "accept_invitation",
    "add_entry",
    "add_member",
    "address_problem",
    "break_test",
    "change_entry",
    "change_role",
    "check_address",
    "create_workspace",
    "delete_workspace",
    "describe_orphaned_workspaces",
    "invitation_closed",
    "invite",
    "make_reset_link",
    "needs_owner",
    "record",
    "release_all",
    "remove_budget",
    "remove_entry",
    "remove_member",
    "remove_provider",
    "remove_two_step",
    "reserve",
    "revoke_invitation",
    "save_provider",
    "set_budget",
    "settle",
    "start_test",
    "test_provider",
    "update_workspace",
]
