"""The engines that can answer in a workspace: its models, the site's models, and the offline reasoner."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.utils.translation import gettext as _

from vectorless_web.documents.models import EmbeddingChoice
from vectorless_web.engine.agent.limits import Limits
from vectorless_web.workspaces.models import ModelProvider, Workspace
from vectorless_web.workspaces.selectors import OFFLINE, SITE, provider_choice, providers_for

LEAST_USD = Decimal("0.01")


@dataclass(frozen=True)
class Answerer:
    """One engine that can answer. `value` is what forms send and runs store; `model` is "" for the offline reasoner.

    `usd_per_million` is the dearer of the model's two prices. `embeds` tells that the
    question goes to the workspace's embedding model although no model answers.
    """

    value: str
    label: str
    model: str = ""
    usd_per_million: Decimal = Decimal(0)
    embeds: bool = False


def answerers_of(workspace: Workspace) -> list[Answerer]:
    """All engines to choose from: the default first, the offline reasoner last."""
    models = list(_models(workspace))
    # Who chooses the offline reasoner instead of a model keeps the question to this machine.
    embeds = not models and EmbeddingChoice.objects.filter(workspace=workspace, enabled=True).exists()
    return [*models, Answerer(OFFLINE, _("Offline reasoner"), embeds=embeds)]


def estimate_of(answerer: Answerer) -> str:
    """What a question may cost at most, in words: all its tokens at the dearer price."""
    if not answerer.model:
        return _("no model but for search by meaning") if answerer.embeds else _("no model, no cost")
    if not answerer.usd_per_million:
        return _("%(model)s, no price set") % {"model": answerer.label}
    most = Decimal(Limits().model_tokens) * answerer.usd_per_million / 1_000_000
    return _("%(model)s, at most $%(usd)s") % {"model": answerer.label, "usd": f"{max(most, LEAST_USD):.2f}"}


def _models(workspace: Workspace) -> Iterator[Answerer]:
    rows = list(providers_for(workspace).filter(enabled=True))
    twice = {row.model for row in rows if sum(other.model == row.model for other in rows) > 1}
    for row in rows:
        yield Answerer(provider_choice(row), _label(row, twice), row.model, max(row.price_in, row.price_out))
    if settings.MODEL:
        dearer = Decimal(str(max(settings.MODEL_PRICE_IN, settings.MODEL_PRICE_OUT)))
        yield Answerer(SITE, settings.MODEL, settings.MODEL, dearer)


def _label(row: ModelProvider, twice: set[str]) -> str:
    """The model's name, with the provider's where two offer the same."""
    return f"{row.model} ({row.name})" if row.model in twice else row.model
