"""Look for model servers on this machine: loopback addresses alone, at ports that the operator lists."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx2

from vectorless_web.engine.llm.model import clean_name
from vectorless_web.providers.connections import trusted_authorities

SECONDS = 3.0
"""Seconds that a server has to answer: one that loads a model on a busy machine takes more than one."""
MOST_BYTES = 1_000_000
MOST_MODELS = 20
"""Of one server; a longer list is no choice by one click."""


def find_models(addresses: Sequence[str]) -> list[tuple[str, str]]:
    """Each address that answers like a model server, with each model it names; all are asked at once."""
    if not addresses:
        return []
    with ThreadPoolExecutor(len(addresses)) as pool:
        answers = pool.map(_list_models, addresses)
        return [(address, model) for address, models in zip(addresses, answers, strict=True) for model in models]


def _list_models(address: str) -> list[str]:
    """The models that the server names; none when it is away or no model server."""
    try:
        # A proxy of the environment would look on another machine, a redirect might lead to one.
        with (
            httpx2.Client(
                verify=trusted_authorities(), timeout=SECONDS, trust_env=False, follow_redirects=False
            ) as client,
            client.stream("GET", f"{address}/models") as response,
        ):
            if response.status_code != 200:
                return []
            body = b""
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    return []
        rows = httpx2.Response(200, content=body).json()["data"]
        names = [clean_name(row["id"]) for row in rows]
    except (httpx2.HTTPError, ValueError, LookupError, TypeError):
        return []
    return [name for name in dict.fromkeys(names) if name][:MOST_MODELS]
