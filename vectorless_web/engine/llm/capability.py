"""What is known of a chat model once it was asked, and which of the engine's jobs that suits."""

from dataclasses import asdict, dataclass
from typing import Any

YES, NO, UNKNOWN = "yes", "no", "unknown"


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing a model can do, cannot do, or might: `found` is yes, no or unknown.

    `without` says what the product does instead; "" when nothing is missing.
    """

    name: str
    found: str
    sentence: str
    without: str = ""


@dataclass(frozen=True, slots=True)
class ModelJob:
    """Whether the model suits one job: plan (choose steps), guide (choose branches), write (the answer)."""

    name: str
    suits: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class SelfTest:
    """All that was found. `usable` is true when the model suits at least one job.

    `forms` are the ways that work to ask for an object; `reads_tokens` is the most it was
    seen to read where more was not read, else None. `error_code` is that of the first failure.
    """

    usable: bool
    model: str
    capabilities: tuple[Capability, ...]
    jobs: tuple[ModelJob, ...]
    verdict: str
    seconds: float = 0.0
    first_token_seconds: float | None = None
    tokens: int = 0
    cost_usd: float = 0.0
    forms: tuple[str, ...] = ()
    streams: bool | None = None
    reads_tokens: int | None = None
    error_code: str = ""
    error: str = ""
    settings_are_wrong: bool = False
    """Key, model or address must be changed before anything can be found out."""

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return asdict(self)
