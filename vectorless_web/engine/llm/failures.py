"""Errors of model calls as they are stored, and as they are raised again."""

from vectorless_web.engine.errors import (
    ModelAuth,
    ModelBudgetSpent,
    ModelError,
    ModelInvalidReply,
    ModelRateLimited,
    ModelStopped,
    ModelTimeout,
    ModelUnreachable,
    PartialCall,
)

UNTOLD = "The call failed when it was made."

_ERRORS: dict[str, type[ModelError]] = {
    error.code: error for error in (ModelAuth, ModelRateLimited, ModelTimeout, ModelUnreachable, ModelBudgetSpent)
}


def failure(code: str, message: str, partial: PartialCall) -> ModelError | ModelStopped:
    """The error of that code, with what the call had cost by then."""
    if code == ModelStopped.code:
        return ModelStopped(partial=partial)
    return _ERRORS.get(code, ModelInvalidReply)(message or UNTOLD, partial=partial)
