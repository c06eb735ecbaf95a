"""The job that has one answer of an evaluation judged: an id in, wiring, one service."""

from vectorless_web import wiring
from vectorless_web.engine.llm.budget import CostBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.evaluations import judging
from vectorless_web.runs.selectors import answerers_of
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import model_chosen
from vectorless_web.workspaces.storage import SecretUnreadable


def judge_result(result_id: int) -> None:
    """Have the answer of a result judged; a second delivery exits quietly."""
    judging.judge_result(result_id, connect=_connect)


def _connect(workspace: Workspace, judge: str, cost_budget: CostBudget) -> Caller | None:
    if judge not in [row.value for row in answerers_of(workspace) if row.model]:
        return None
    try:
        return wiring.lone_caller(model_chosen(workspace, judge), cost_budget)
    except SecretUnreadable:
        return None
