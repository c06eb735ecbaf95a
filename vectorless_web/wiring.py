"""From settings to working parts: the only place that puts the engine together or picks a provider."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from vectorless_web.engine.reasoner.orchestrator import Orchestrator


class ModelChoice(Protocol):
    """The chat model a workspace chose. Prices are US dollars per million tokens."""

    name: str
    base_url: str
    model: str
    api_key: str
    price_in: Decimal
    price_out: Decimal
    context_size: int


@dataclass(frozen=True, slots=True)
class Engine:
    """A reasoner and what the pages call it: `name` is `offline` or `model`, `model` the model's name or ""."""

    reasoner: Orchestrator
    name: str = "offline"
    model: str = ""


def engine_for(choice: ModelChoice | None) -> Engine:
    """The engine that works on a run, from the factory that the settings name."""
    engine: Engine = import_string(settings.ENGINE_FACTORY)(choice)
    return engine


def build_engine(choice: ModelChoice | None = None) -> Engine:
    """The offline reasoner, or one led by the chosen model."""
    return Engine(reasoner=Orchestrator())
