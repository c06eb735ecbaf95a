"""Where a chat model answers."""

from dataclasses import dataclass, field
from decimal import Decimal

FORMS = ("json_schema", "json_object", "")
"""How an object can be asked for, the strictest first; "" is by the words of the prompt alone.

Before them "tools" may stand, where a server was found to have native tool calling: it is used for
schemas that describe tools, and for no others.
"""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server and model that answer calls. Prices are US dollars per million tokens.

    `seconds` of silence end one try, and a failed try is repeated `retries` times. With
    `public_only` nothing is sent to a private network or to this machine, except to the hosts
    and networks in `private_allowed`. `forms` and `streams` say what the server is known to
    support; anything else it refuses is found out by the first call.
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
