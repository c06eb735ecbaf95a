from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "vectorless_web.console"

    def ready(self) -> None:
        """Let /metrics be asked for as the health addresses are: by IP address and without TLS."""
        from vectorless_web.console.views.watch import tell_metrics  # noqa: PLC0415 - models are loaded by now
        from vectorless_web.infra.web.health import HealthMiddleware  # noqa: PLC0415

        HealthMiddleware.VIEWS["/metrics"] = tell_metrics
