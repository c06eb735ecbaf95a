"""Where a chat model answers."""

from dataclasses import dataclass, field
from decimal import Decimal

FORMS = ("json_schema", "json_object", "")
"""How an object can be asked for, the strictest first; "" is by the words of the prompt alone."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers. Prices are US dollars per million tokens; `seconds` limit the silence within one try.

    With `public_only` nothing is sent to a private network or to this machine, but to the hosts
    and networks of `private_allowed`. `forms`
    and `streams` are what the server is known to take; what it refuses is found out all the same.
    """

    base_url: str
    model: str
    api_key: str = field(repr=False)
    price_in: Decimal = Decimal(0)
    price_out: Decimal = Decimal(0)
    seconds: float = 60.0
    retries: int = 2
    public_only: bool = False
    private_allowed: tuple[str, ...] = ()
    forms: tuple[str, ...] = FORMS
    streams: bool = True
