"""Health probes are answered whatever name, address or scheme they are asked under."""

from django.http import HttpRequest, HttpResponseBase
from django.urls import resolve
from django.utils.deprecation import MiddlewareMixin

PATHS = ("/health/live", "/health/ready")


class ProbeMiddleware(MiddlewareMixin):
    """Answers the health addresses before the host is checked and before HTTPS is insisted on.

    A load balancer asks by the machine's address and over plain HTTP. Nothing in the answers
    depends on the host, so nothing is opened; sessions and messages are not there yet.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        """The answer to a probe, None for everything else."""
        if request.path_info not in PATHS:
            return None
        match = resolve(request.path_info)
        answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        return answer
