"""Every error the engine raises, as one tree.

EngineError
├── InvalidInput            the caller's question, file or argument is unusable
│   └── UnreadableDocument  a file cannot be compiled; carries cause and remedy
├── NotFound                a node, document or label does not exist
├── PictureUnavailable      the picture of a page cannot be had
├── RecognitionFailed       the text of a picture cannot be recognised
├── Cancelled               the run was asked to stop
│   └── ModelStopped        in the middle of a model call; says what the call had cost by then
├── ArtefactDamaged         a compiled file is missing, truncated, altered or of another layout
└── ModelError              a chat model could not be used
    ├── ModelAuth           the key is missing or refused
    ├── ModelRateLimited    too many requests (retryable)
    ├── ModelTimeout        no reply in time (retryable)
    ├── ModelUnreachable    no connection, or it broke mid-stream (retryable)
    ├── ModelBudgetSpent    the money or token budget forbids another call
    └── ModelInvalidReply   the reply does not fit the schema, even after repair
        ├── ModelRefusedPictures  the server takes no pictures, or not these
        └── ModelUnknown    the server does not know the model, or the address is none of its own
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartialCall:
    """What had come of a model call when it broke or was stopped, and what that is estimated to cost (US dollars)."""

    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0


class EngineError(Exception):
    """Base of all engine errors: a stable `code`, cause and `remedy` in plain words, and whether trying again can help.

    `message` is both; without a remedy of its own the cause says enough to whoever gets it, mostly a model.
    """

    code = "internal_error"
    retryable = False

    def __init__(self, cause: str, *, remedy: str = "", code: str | None = None) -> None:
        self.cause, self.remedy = cause, remedy
        self.message = f"{cause} {remedy}".rstrip()
        super().__init__(self.message)
        if code is not None:
            self.code = code


class InvalidInput(EngineError):
    """Raised when a question, file or argument is unusable; the sentence names cause and remedy."""

    code = "invalid_input"


class UnreadableDocument(InvalidInput):
    """Raised by the compiler; `code` is stable (`empty_file`, `encrypted_pdf`, `not_a_pdf`, `no_pages`, ...)."""

    code = "unreadable_document"


class NotFound(EngineError):
    """Raised when a node key, label or document id does not exist."""

    code = "not_found"


class PictureUnavailable(EngineError):
    """Raised when the picture of a page cannot be drawn now, or is too large for a model; the sentence says why."""

    code = "no_picture"


class RecognitionFailed(EngineError):
    """Raised when the text of a picture cannot be recognised; the message is a part of a sentence that says why.

    Codes: `recognition_missing` (no program, or none for these languages: no page can be read), `recognition_failed`.
    """

    code = "recognition_failed"


class Cancelled(EngineError):
    """Raised at the next step after a run was asked to stop."""

    code = "cancelled"


class ModelStopped(Cancelled):
    """Raised in the middle of a model call when its run is asked to stop; `partial` is what had come by then."""

    def __init__(self, message: str = "The run was stopped.", *, partial: PartialCall = PartialCall()) -> None:
        super().__init__(message)
        self.partial = partial


class ArtefactDamaged(EngineError):
    """Raised when a compiled file cannot be read; compiling the document again repairs it."""

    code = "artefact_damaged"


class ModelError(EngineError):
    """Base of everything that can go wrong with a chat model; `partial` is what had come of the call."""

    code = "provider_invalid_response"

    def __init__(
        self, cause: str, *, remedy: str = "", code: str | None = None, partial: PartialCall = PartialCall()
    ) -> None:
        super().__init__(cause, remedy=remedy, code=code)
        self.partial = partial


class ModelAuth(ModelError):
    """Raised when the provider refuses the key."""

    code = "provider_auth"


class ModelRateLimited(ModelError):
    """Raised when the provider asks to slow down and its client's retries are used up."""

    code = "provider_rate_limited"
    retryable = True


class ModelTimeout(ModelError):
    """Raised when the provider does not answer in time."""

    code = "provider_timeout"
    retryable = True


class ModelUnreachable(ModelError):
    """Raised when the provider cannot be reached or the connection breaks mid-reply."""

    code = "network_error"
    retryable = True


class ModelBudgetSpent(ModelError):
    """Raised before a call that the budget no longer covers."""

    code = "budget_exceeded"


class ModelInvalidReply(ModelError):
    """Raised when a reply does not fit its schema after one repair."""

    code = "provider_invalid_response"


class ModelRefusedPictures(ModelInvalidReply):
    """Raised when the server refuses a request because of its pictures; without them it may be answered."""

    code = "pictures_refused"


class ModelUnknown(ModelInvalidReply):
    """Raised when the server answers, but knows no such model or no such address."""
