"""From settings to working parts: the only place that puts the engine together or picks a provider."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from vectorless_web.engine.reasoner.orchestrator import Orchestrator


class ModelChoice(Protocol):
    """The chat model a workspace chose. Prices are US dollars per million tokens."""

    @property
    def base_url(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def api_key(self) -> str: ...
    @property
    def price_in(self) -> Decimal: ...
    @property
    def price_out(self) -> Decimal: ...
    @property
    def context_size(self) -> int: ...


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
