"""What an operator may have told of the inside: slow queries in the log, errors to Sentry, traces by OpenTelemetry.

The libraries of the last two are installed besides (requirements-extras.txt) and imported only when a setting asks.
"""

import importlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from vectorless_web.infra.site.log_lines import redact

logger = logging.getLogger(__name__)
QUERY_SHOWN = 1000
"""Characters of a slow query in the log."""
Load = Callable[[str], Any]


def log_slow_queries(connection: Any, milliseconds: float) -> None:
    """Have each query of the connection that takes longer written to the log: its text, and none of its values."""
    connection.execute_wrappers.append(partial(_time_query, milliseconds))


def _time_query(
    milliseconds: float, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Mapping[str, Any]
) -> Any:
    began = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        took = (time.perf_counter() - began) * 1000
        if took > milliseconds:
            logger.warning("slow query, %.0f ms: %s", took, " ".join(str(sql).split())[:QUERY_SHOWN])


def send_errors(dsn: str, *, load: Load = importlib.import_module) -> None:
    """Send unexpected errors to a Sentry server: tracebacks without values of variables, bodies, cookies or names."""
    sentry = _load("sentry_sdk", "VECTORLESS_SENTRY_DSN", load)
    sentry.init(
        dsn=dsn,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        before_send=mask_event,
        traces_sample_rate=0.0,
    )


def mask_event(event: Mapping[str, Any], _hint: Any = None) -> Any:
    """The event with every token and session in it masked, as in the log."""
    return json.loads(redact(json.dumps(event, default=str)))


def send_traces(*, load: Load = importlib.import_module) -> None:
    """Trace requests, queries and calls by whatever instrumentation is installed; OTEL_... says where to."""
    _load("opentelemetry.instrumentation.auto_instrumentation", "VECTORLESS_TRACES", load).initialize()


def _load(name: str, setting: str, load: Load) -> Any:
    try:
        return load(name)
    except ImportError as error:
        raise ImproperlyConfigured(
            f"{setting} is set, and {error.name or name} is not installed. "
            "Install it with: pip install -r requirements-extras.txt"
        ) from error
