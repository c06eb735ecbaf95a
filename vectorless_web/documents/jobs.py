"""Jobs of documents: on the queue "documents", and the trial of an embedding model on the queue "runs"."""

from vectorless_web import wiring
from vectorless_web.documents import services
from vectorless_web.documents.background import embedding_settings
from vectorless_web.documents.models import EmbeddingChoice
from vectorless_web.engine.llm.budget import CostBudget
from vectorless_web.engine.llm.calls import Caller
from vectorless_web.engine.llm.embedding import Embedder
from vectorless_web.workspaces.models import Workspace
from vectorless_web.workspaces.selectors import model_settings


def warm_up() -> None:
    """Called once in the worker before it forks: each document is asked the questions that it offers to begin with."""
    wiring.warm_up()


def compile_version(version_id: int) -> None:
    """Read one uploaded file; a second delivery exits quietly."""
    services.compile_version(version_id)


def hand_back_version(job_id: str, version_id: int) -> None:
    """Called by a worker that had to end the job of this version because it stops itself."""
    services.hand_back_version(version_id, job_id)


def compact_snapshot(workspace_id: int) -> None:
    """Write the cards of a workspace into one file; a second delivery changes nothing."""
    services.compact_snapshot(workspace_id)


def compact_words(workspace_id: int) -> None:
    """Put the words of documents that wait into the blocks of a workspace; a second delivery changes nothing."""
    services.compact_words(workspace_id)


def embed_version(file_id: int) -> None:
    """Make the vectors of one document; a second delivery exits quietly."""
    services.embed_version(file_id, connect=_connect)


def summarise_version(summaries_id: int) -> None:
    """Write the section summaries of one document; a second delivery exits quietly."""
    services.summarise_version(summaries_id, connect=_call_model)


def try_embedding(choice_id: int) -> None:
    """Test whether an embedding model answers; do nothing when it was removed meanwhile."""
    services.try_embedding(choice_id, connect=_connect)


def _connect(choice: EmbeddingChoice) -> Embedder:
    return wiring.embedder(embedding_settings(choice))


def _call_model(workspace: Workspace, cost_budget: CostBudget) -> Caller | None:
    return wiring.lone_caller(model_settings(workspace), cost_budget)
