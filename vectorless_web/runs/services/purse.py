"""What a run pays its model calls from: the budgets of its workspace and of who asked."""

from vectorless_web.documents.models import VectorFile
from vectorless_web.runs.models import Run
from vectorless_web.workspaces.services import WorkspacePurse, release_all


class RunPurse(WorkspacePurse):
    """Pays the calls of one run.

    Made at the start of an attempt: what died workers left put aside is given back then,
    unless somebody else in the workspace may still settle it: another run, or the
    embedding of a document.
    """

    def __init__(self, run: Run) -> None:
        super().__init__(run.workspace, run.asked_by)
        runs = Run.objects.filter(workspace=run.workspace_id, status=Run.Status.RUNNING).exclude(pk=run.pk)
        files = VectorFile.objects.filter(choice__workspace=run.workspace_id, status=VectorFile.Status.WORKING)
        release_all(workspace=run.workspace, unless=lambda: runs.exists() or files.exists())
