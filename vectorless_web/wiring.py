"""From settings to working parts: the only place that puts the engine together or picks a provider."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string

from vectorless_web.engine.agent.limits import Late, Limits
from vectorless_web.engine.agent.reasoner import Reasoner, Settings
from vectorless_web.engine.errors import InvalidInput
from vectorless_web.engine.finding.routing.router import warm_up_router
from vectorless_web.engine.llm.budget import CostBudget, MeteredModel, ModelBudget, UnlimitedBudget
from vectorless_web.engine.llm.calls import Caller, ModelCallRecord, NoModel, OnCall, Recall, discard_record
from vectorless_web.engine.llm.capability import SelfTest, self_test
from vectorless_web.engine.llm.embedding import Embedder, MeteredEmbedder, NoEmbedder, RecordedEmbedder
from vectorless_web.engine.llm.model import ChatModel
from vectorless_web.engine.questions.lexicon import Lexicon, default_lexicon
from vectorless_web.engine.questions.understand import understand
from vectorless_web.infra.money import MILLION
from vectorless_web.infra.places import Access, Place
from vectorless_web.providers import places, posting
from vectorless_web.providers.cassette import Cassette, Recording
from vectorless_web.providers.connections import FORMS, Endpoint, trusted_authorities
from vectorless_web.providers.nearby import find_models

PICTURES = 3
"""Pages of a document that a model may look at as pictures: each takes 1,200 to 1,900 tokens, and is sent again with
every later turn."""
BOUNDLESS = 10**12
"""Calls and tokens of a budget that decides nothing: in a replay the stored calls do."""


class ModelChoice(Protocol):
    """The chat model a workspace chose. Prices are US dollars per million tokens.

    `forms` and `streams` are what its self-test found that the server takes, `pictures` whether it may be shown pages
    as pictures.
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
    @property
    def pictures(self) -> bool: ...


class EmbeddingModel(Protocol):
    """The embedding model a workspace chose. The price is US dollars per million tokens."""

    @property
    def base_url(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def api_key(self) -> str: ...
    @property
    def price(self) -> Decimal: ...
    @property
    def max_tokens(self) -> int: ...
    @property
    def dimensions(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Calls:
    """The model calls of one run: what was stored of earlier attempts, who keeps new ones, what pays for them.

    With them comes how the run is to work: its settings and the workspace's lexicon.
    An `offline` run asks no model, whichever is there. `stopping` ends a call that is under way.
    `embedding` is the model that the workspace searches by meaning with.
    """

    stored: Sequence[ModelCallRecord] = ()
    keep: OnCall = discard_record
    cost_budget: CostBudget = field(default_factory=UnlimitedBudget)
    limits: Limits = field(default_factory=Limits)
    settings: Settings = field(default_factory=Settings)
    lexicon: Lexicon | None = None
    offline: bool = False
    stopping: Callable[[], bool] | None = None
    embedding: EmbeddingModel | None = None
    second_reader: ModelChoice | None = None
    """The model that checks the answer; None has the one that answers check it, in a call of its own."""
    cassette: Path | None = None
    """Recorded replies that stand in for a model."""
    late: Collection[Late] | None = None
    """Of a replay: where the wall clock decided; None reads the clock."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A reasoner and what the pages call it: `name` is `offline` or `model`, `model` the model's name or ""."""

    reasoner: Reasoner
    name: str = "offline"
    model: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The settings that it works by, and what `embedding` searches by meaning were made with.

    Kept with the run, since a replay must work by the same.
    """


def engine_for(choice: ModelChoice | None, calls: Calls) -> Engine:
    """The engine that works on a run, from the factory that the settings name."""
    engine: Engine = import_string(settings.ENGINE_FACTORY)(choice, calls)
    return engine


def build_engine(choice: ModelChoice | None = None, calls: Calls | None = None) -> Engine:
    """The reasoner led by the chosen model, or by the site's; the offline reasoner when there is neither."""
    calls = calls or Calls()
    cassette = calls.cassette or settings.CASSETTE
    if cassette and not calls.offline:
        return _build_cassette_engine(Path(cassette), calls)
    endpoint = None if calls.offline else endpoint_for(choice)
    second = endpoint_for(calls.second_reader) if endpoint and calls.second_reader else None
    budget = _budget(calls, [row for row in (endpoint, second) if row])
    searching = _build_search_embedder(calls, budget)
    if endpoint is None:
        return _offline(calls, searching, calls.settings)
    context = choice.context_size if choice else None
    # Both take from one store, in which each call is found once.
    recall = Recall(calls.stored)
    caller = _build_caller(endpoint, calls, context, budget, recall)
    verifier = None
    if second is not None and calls.second_reader is not None:
        verifier = _build_caller(second, calls, calls.second_reader.context_size, budget, recall)
    chosen = replace(
        calls.settings,
        context=context or 0,
        pictures=PICTURES if (choice.pictures if choice else settings.MODEL_PICTURES) else 0,
        native_tools="tools" in endpoint.forms,
    )
    return _led(caller, calls, searching, chosen, verifier)


def _build_caller(endpoint: Endpoint, calls: Calls, context: int | None, budget: ModelBudget, recall: Recall) -> Caller:
    live = MeteredModel(
        _model_at(endpoint, calls.stopping),
        cost_budget=calls.cost_budget,
        usd_per_token=_find_highest_price(endpoint),
        context_tokens=context,
    )
    # Replayed calls were paid for when they were made: the meter is behind them.
    return Caller(live, budget=budget, on_call=calls.keep, recall=recall)


def lone_caller(choice: ModelChoice | None, cost_budget: CostBudget) -> Caller | None:
    """Asks the chosen model, else the site's, outside a run: of a document, an answer. None when there is neither."""
    endpoint = endpoint_for(choice)
    if endpoint is None:
        return None
    live = MeteredModel(
        _model_at(endpoint),
        cost_budget=cost_budget,
        usd_per_token=_find_highest_price(endpoint),
        context_tokens=choice.context_size if choice else None,
    )
    return Caller(live, budget=ModelBudget(calls=BOUNDLESS, tokens=BOUNDLESS))


def replaying_engine(model: str, facts: Mapping[str, Any], calls: Calls) -> Engine:
    """The engine that worked on a run, over its stored calls alone: no network, no clock, no budget of its own.

    `model` is "" for the offline reasoner, `facts` what `Engine.facts` was then. InvalidInput for
    facts that this version of the program knows nothing of.
    """
    kept, budget = dict(facts), ModelBudget(calls=BOUNDLESS, tokens=BOUNDLESS)
    embedding, second = kept.pop("embedding", None), kept.pop("second_reader", None)
    unknown = sorted(set(kept) - {field.name for field in fields(Settings)})
    if unknown:
        raise InvalidInput(f"It was kept by another version of the program: {', '.join(unknown)}.")
    chosen = replace(calls.settings, **kept)
    searching = _record_embeddings(NoEmbedder(embedding["model"]), calls, budget) if embedding else None
    if not model:
        return _offline(calls, searching, chosen)
    recall = Recall(calls.stored)
    caller = Caller(NoModel(model), budget=budget, on_call=calls.keep, recall=recall)
    verifier = Caller(NoModel(second), budget=budget, on_call=calls.keep, recall=recall) if second else None
    return _led(caller, calls, searching, chosen, verifier)


def open_recording(path: Path) -> OnCall:
    """Told of each call, writes it to a new cassette; InvalidInput when the site has no model to record."""
    endpoint = endpoint_for(None)
    if endpoint is None:
        raise InvalidInput("There is no model to record: set VECTORLESS_MODEL and OPENAI_BASE_URL.")
    return Recording(path, model=endpoint.model, provider=urlsplit(endpoint.base_url).hostname or "")


def _build_cassette_engine(path: Path, calls: Calls) -> Engine:
    """The reasoner led by recorded replies: no network, nothing paid, under the run's own limits all the same."""
    budget = ModelBudget(calls=calls.limits.model_calls, tokens=calls.limits.model_tokens)
    caller = Caller(Cassette(path), budget=budget, on_call=calls.keep, recall=Recall(calls.stored))
    return _led(caller, calls, None, calls.settings)


def _offline(calls: Calls, searching: RecordedEmbedder | None, chosen: Settings) -> Engine:
    reasoner = _make_reasoner(None, calls, searching, chosen)
    return Engine(reasoner=reasoner, facts=_tell_facts(chosen, searching))


def _led(
    caller: Caller,
    calls: Calls,
    searching: RecordedEmbedder | None,
    chosen: Settings,
    verifier: Caller | None = None,
) -> Engine:
    reasoner, facts = _make_reasoner(caller, calls, searching, chosen), _tell_facts(chosen, searching)
    if verifier is not None:
        reasoner.verifier = verifier
        facts |= {"second_reader": verifier.model.name}
    return Engine(reasoner=reasoner, name="model", model=caller.model.name, facts=facts)


def _make_reasoner(
    caller: Caller | None, calls: Calls, searching: RecordedEmbedder | None, chosen: Settings
) -> Reasoner:
    reasoner = Reasoner(caller=caller, settings=chosen, lexicon=calls.lexicon or default_lexicon(), late=calls.late)
    reasoner.embedder = searching
    return reasoner


def _tell_facts(chosen: Settings, searching: RecordedEmbedder | None) -> dict[str, Any]:
    return asdict(chosen) | ({"embedding": {"model": searching.name}} if searching else {})


def test_model(
    choice: ModelChoice | None = None,
    *,
    context_size: int | None = None,
    begin: Callable[[str], None] = lambda _check: None,
) -> SelfTest | None:
    """What the chosen model, else the site's, can do; None when there is neither. `begin` is told of each check."""
    endpoint = endpoint_for(choice)
    if endpoint is None:
        return None
    # What an earlier test found is found out anew.
    model = _model_at(replace(endpoint, forms=FORMS, streams=True))
    return self_test(model, only=getattr(model, "only", None), context_size=context_size, begin=begin)


def find_nearby_models(addresses: Sequence[str]) -> list[tuple[str, str]]:
    """The addresses on this machine at which a model server answers, with each model it names."""
    return find_models(addresses)


def post_event(address: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
    """Post to an address that an owner chose, where the operator lets it be: the status, and why there is none."""
    allowed = settings.ALLOW_PRIVATE_WEBHOOK_HOSTS
    private_allowed = None if allowed is True else allowed or ()
    return posting.post_event(address, body, headers, private_allowed=private_allowed)


def open_place(access: Access) -> Place:
    """The reader of a place that documents come from, within what the operator allows."""
    allowed = settings.ALLOW_PRIVATE_SOURCE_HOSTS
    return places.open_place(
        access,
        roots=tuple(map(Path, settings.SOURCE_FOLDERS)),
        private_allowed=None if allowed is True else allowed or (),
        most=settings.UPLOAD_MAX_BYTES,
    )


def _model_at(endpoint: Endpoint, stopping: Callable[[], bool] | None = None) -> ChatModel:
    """The client that the settings name, imported only now: the offline reasoner need not wait for it."""
    make = import_string(settings.MODEL_FACTORY)
    model: ChatModel = make(endpoint) if stopping is None else make(endpoint, stopping=stopping)
    return model


def warm_up() -> None:
    """Load what the first question of a process would wait for: the lexicons, 0.4 s, and the authorities of servers."""
    trusted_authorities()
    warm_up_router(understand("What was revenue in 2024?"))


def endpoint_for(choice: ModelChoice | None) -> Endpoint | None:
    """Where the model answers: the workspace's choice, else the site's; None for neither."""
    if choice is not None:
        return _resolve_choice(choice)
    if not settings.MODEL:
        return None
    prices = (Decimal(str(settings.MODEL_PRICE_IN)), Decimal(str(settings.MODEL_PRICE_OUT)))
    return _endpoint(settings.OPENAI_BASE_URL, settings.MODEL, settings.OPENAI_API_KEY, prices)


def _resolve_choice(choice: ModelChoice) -> Endpoint:
    """The choice of a workspace, which goes only where the operator lets it; the site's own model goes anywhere."""
    prices = (choice.price_in, choice.price_out)
    endpoint = _endpoint(choice.base_url, choice.model, choice.api_key, prices)
    return replace(_restrict_addresses(endpoint), forms=choice.forms, streams=choice.streams)


def _restrict_addresses(endpoint: Endpoint) -> Endpoint:
    """The endpoint of a workspace's choosing, kept to the addresses that the operator allows."""
    allowed = settings.ALLOW_PRIVATE_MODEL_HOSTS
    return replace(
        endpoint, public_only=allowed is not True, private_allowed=allowed if isinstance(allowed, tuple) else ()
    )


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


def embedder(choice: EmbeddingModel, stopping: Callable[[], bool] | None = None) -> Embedder:
    """The chosen embedding model by itself, imported only now: nobody else waits for its client."""
    from vectorless_web.providers.openai_chat import OpenAIEmbeddings  # noqa: PLC0415

    endpoint = _endpoint(choice.base_url, choice.model, choice.api_key, (choice.price, Decimal(0)))
    endpoint = _restrict_addresses(endpoint)
    if stopping is None:
        return OpenAIEmbeddings(endpoint, dimensions=choice.dimensions)
    return OpenAIEmbeddings(endpoint, dimensions=choice.dimensions, stopping=stopping)


def _build_search_embedder(calls: Calls, budget: ModelBudget) -> RecordedEmbedder | None:
    """What embeds the run's searches, under the run's own budget; None without an embedding model."""
    choice = None if calls.offline else calls.embedding
    if choice is None:
        return None
    model = embedder(choice, calls.stopping)
    live = MeteredEmbedder(model, cost_budget=calls.cost_budget, usd_per_token=float(choice.price) / MILLION)
    return _record_embeddings(live, calls, budget)


def _record_embeddings(embedder: Embedder, calls: Calls, budget: ModelBudget) -> RecordedEmbedder:
    return RecordedEmbedder(embedder, budget=budget, on_call=calls.keep, stored=calls.stored)


def _budget(calls: Calls, endpoints: Sequence[Endpoint]) -> ModelBudget:
    """What the run may spend on all its models; a call is priced beforehand at the dearest of their prices."""
    prices = [_find_highest_price(endpoint) for endpoint in endpoints]
    prices += [float(calls.embedding.price) / MILLION] if calls.embedding else []
    limits = calls.limits
    return ModelBudget(
        calls=limits.model_calls,
        tokens=limits.model_tokens,
        money_usd=limits.money_usd,
        usd_per_token=max(prices, default=0.0),
    )


def _find_highest_price(endpoint: Endpoint) -> float:
    return float(max(endpoint.price_in, endpoint.price_out)) / MILLION
