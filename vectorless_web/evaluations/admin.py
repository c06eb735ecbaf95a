"""Sets and evaluations in the admin site: looked at by administrators who may read them as members, and not changed."""

from vectorless_web.evaluations.models import Evaluation, GoldenQuestion, GoldenSet, Result
from vectorless_web.infra.admin import list_rows
from vectorless_web.workspaces.admin import WorkspaceRowsAdmin

list_rows(WorkspaceRowsAdmin, (GoldenSet, "name workspace schedule created_by created_at", "", ""))
list_rows(
    WorkspaceRowsAdmin,
    (GoldenQuestion, "question golden_set is_absent created_by created_at", "", ""),
    (Evaluation, "golden_set label state trigger asked_by created_at ended_at", "state trigger", ""),
    path="golden_set__workspace",
)
list_rows(
    WorkspaceRowsAdmin,
    (Result, "golden evaluation state right verdict tokens cost_usd seconds", "state right verdict", ""),
    path="evaluation__golden_set__workspace",
    list_select_related=["evaluation__golden_set"],
)
