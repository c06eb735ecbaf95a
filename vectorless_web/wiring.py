"""From settings to working parts: the only place that puts the engine together or picks a provider."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from vectorless_web.engine.llm.budget import ModelBudget
from vectorless_web.engine.llm.calls import Caller, ModelCallRecord, OnCall, unrecorded
from vectorless_web.engine.llm.capability import SelfTest
from vectorless_web.engine.llm.metered import FreePurse, MeteredModel, Purse
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.llm.replay import NoModel, Recall
from vectorless_web.engine.llm.selftest import self_test
from vectorless_web.engine.query.lexicon import Lexicon
from vectorless_web.engine.query.understand import understand
from vectorless_web.engine.reasoner.guided import model_walking
from vectorless_web.engine.reasoner.limits import Limits
from vectorless_web.engine.reasoner.model_planner import Sizes
from vectorless_web.engine.reasoner.orchestrator import Orchestrator
from vectorless_web.engine.reasoner.routing import Routing
from vectorless_web.providers.endpoint import FORMS, Endpoint

WALKS_AT_ONCE = 4
"""Documents walked side by side when a model makes each of them wait."""
MILLION = 1_000_000
BOUNDLESS = 10**12
"""Calls and tokens of a budget that decides nothing: in a replay the stored calls do."""


class ModelChoice(Protocol):
    """The chat model a workspace chose. Prices are US dollars per million tokens.

    `forms` and `streams` are what its self-test found that the server takes.
    """

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
    @property
    def forms(self) -> tuple[str, ...]: ...
    @property
    def streams(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Calls:
    """The model calls of one run: what was stored of earlier attempts, who keeps new ones, what pays for them.

    With them comes how its question is read: the workspace's lexicon, and whether to expand by it.
    An `offline` run asks no model, whichever is there. `stopping` ends a call that is under way.
    """

    stored: Sequence[ModelCallRecord] = ()
    keep: OnCall = unrecorded
    purse: Purse = field(default_factory=FreePurse)
    limits: Limits = field(default_factory=Limits)
    lexicon: Lexicon | None = None
    expand: bool = True
    offline: bool = False
    stopping: Callable[[], bool] | None = None
    late: Collection[str] | None = None
    """Of a replay: where the wall clock decided; None reads the clock."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A reasoner and what the pages call it: `name` is `offline` or `model`, `model` the model's name or ""."""

    reasoner: Orchestrator
    name: str = "offline"
    model: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """How much the model is shown and may say; kept with the run, since a replay must ask the same."""


def engine_for(choice: ModelChoice | None, calls: Calls) -> Engine:
    """The engine that works on a run, from the factory that the settings name."""
    engine: Engine = import_string(settings.ENGINE_FACTORY)(choice, calls)
    return engine


def build_engine(choice: ModelChoice | None = None, calls: Calls | None = None) -> Engine:
    """The reasoner led by the chosen model, or by the site's; the offline reasoner when there is neither."""
    calls = calls or Calls()
    endpoint = None if calls.offline else endpoint_for(choice)
    if endpoint is None:
        return Engine(reasoner=Orchestrator(lexicon=calls.lexicon, expand=calls.expand))
    context = choice.context_size if choice else None
    live = MeteredModel(
        _model_at(endpoint, calls.stopping), purse=calls.purse, usd_per_token=_dearest(endpoint), context_tokens=context
    )
    # Replayed calls were paid for when they were made: the meter is behind them.
    budget, recall = _budget(calls.limits, endpoint), Recall(calls.stored)
    caller = Caller(live, budget=budget, on_call=calls.keep, recall=recall)
    return _led_by(caller, calls, Sizes())


def replaying_engine(model: str, sizes: Mapping[str, int], calls: Calls) -> Engine:
    """The engine that worked on a run, over its stored calls alone: no network, no clock, no budget of its own.

    `model` is "" for the offline reasoner, `sizes` what `Engine.sizes` was then.
    """
    if not model:
        return Engine(reasoner=Orchestrator(lexicon=calls.lexicon, expand=calls.expand, late=calls.late))
    budget = ModelBudget(calls=BOUNDLESS, tokens=BOUNDLESS)
    caller = Caller(NoModel(model), budget=budget, on_call=calls.keep, recall=Recall(calls.stored))
    return _led_by(caller, calls, Sizes(**sizes))


def _led_by(caller: Caller, calls: Calls, sizes: Sizes) -> Engine:
    walking = model_walking(caller, at_once=WALKS_AT_ONCE, sizes=sizes)
    routing = Routing(model=caller.as_model("route"))
    reasoner = Orchestrator(
        lexicon=calls.lexicon, expand=calls.expand, walking=walking, routing=routing, late=calls.late
    )
    return Engine(reasoner=reasoner, name="model", model=caller.model.name, sizes=asdict(sizes))


def test_model(choice: ModelChoice | None = None, *, context_size: int | None = None) -> SelfTest | None:
    """What the chosen model, else the site's, can do; None when there is neither."""
    endpoint = endpoint_for(choice)
    if endpoint is None:
        return None
    # What an earlier test found is found out anew.
    model = _model_at(replace(endpoint, forms=FORMS, streams=True))
    return self_test(model, only=getattr(model, "only", None), context_size=context_size)


def _model_at(endpoint: Endpoint, stopping: Callable[[], bool] | None = None) -> ChatModel:
    """The client that the settings name, imported only now: the offline reasoner need not wait for it."""
    make = import_string(settings.MODEL_FACTORY)
    model: ChatModel = make(endpoint) if stopping is None else make(endpoint, stopping=stopping)
    return model


def warm_up() -> None:
    """Load what the first question of a process would wait for: the lexicons, 0.4 s."""
    understand("What was revenue in 2024?")


def endpoint_for(choice: ModelChoice | None) -> Endpoint | None:
    """Where the model answers: the workspace's choice, else the site's; None for neither."""
    if choice is not None:
        return _chosen(choice)
    if not settings.MODEL:
        return None
    prices = (Decimal(str(settings.MODEL_PRICE_IN)), Decimal(str(settings.MODEL_PRICE_OUT)))
    return _endpoint(settings.OPENAI_BASE_URL, settings.MODEL, settings.OPENAI_API_KEY, prices)


def _chosen(choice: ModelChoice) -> Endpoint:
    """The choice of a workspace, which goes only where the operator lets it; the site's own model goes anywhere."""
    prices = (choice.price_in, choice.price_out)
    endpoint = _endpoint(choice.base_url, choice.model, choice.api_key, prices)
    public_only = not settings.ALLOW_PRIVATE_MODEL_HOSTS
    return replace(endpoint, public_only=public_only, forms=choice.forms, streams=choice.streams)


def _endpoint(base_url: str, model: str, api_key: str, prices: tuple[Decimal, Decimal]) -> Endpoint:
    return Endpoint(
        base_url=base_url,
        model=model,
        api_key=api_key,
        price_in=prices[0],
        price_out=prices[1],
        seconds=settings.MODEL_SECONDS,
        retries=settings.MODEL_RETRIES,
    )


def _budget(limits: Limits, endpoint: Endpoint) -> ModelBudget:
    """What the run may spend; a call is priced beforehand at the dearer of the two prices."""
    return ModelBudget(
        calls=limits.model_calls,
        tokens=limits.model_tokens,
        money_usd=limits.money_usd,
        usd_per_token=_dearest(endpoint),
    )


def _dearest(endpoint: Endpoint) -> float:
    return float(max(endpoint.price_in, endpoint.price_out)) / MILLION
