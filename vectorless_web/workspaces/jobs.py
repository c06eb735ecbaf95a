"""Jobs that workspaces put on the queue "runs"."""

import logging
from functools import partial

from vectorless_web import wiring
from vectorless_web.engine.llm.capability import SelfTest
from vectorless_web.workspaces import services
from vectorless_web.workspaces.models import ModelProvider
from vectorless_web.workspaces.selectors import settings_of

logger = logging.getLogger(__name__)


def test_provider(provider_id: int) -> None:
    """Find out what a model can do; quiet when it was removed meanwhile."""
    provider = ModelProvider.objects.filter(pk=provider_id).first()
    if provider is None:
        return
    try:
        services.test_provider(provider=provider, examine=_examine_provider)
    except Exception:
        logger.exception("provider %d could not be tried", provider_id)
        services.break_test(provider=provider)


def look_for_models(workspace_id: int) -> None:
    """Find the models that are served on this machine."""
    services.keep_nearby(workspace_id, wiring.find_nearby_models(services.nearby_addresses()))


def _examine_provider(provider: ModelProvider) -> SelfTest:
    begin = partial(services.note_check, provider)
    result = wiring.test_model(settings_of(provider), context_size=provider.context_size, begin=begin)
    assert result is not None, "a provider is a choice"
    return result
