"""Jobs that workspaces put on the queue "runs"."""

from vectorless_web import wiring
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.workspaces import services
from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.selectors import settings_of


def test_provider(provider_id: int) -> None:
    """Find out whether a model answers; quiet when it was removed meanwhile."""
    provider = ModelProvider.objects.filter(pk=provider_id).first()
    if provider is not None:
        services.test_provider(provider=provider, connect=_connect)


def _connect(provider: ModelProvider) -> ChatModel:
    return wiring.chat_model(settings_of(provider))
