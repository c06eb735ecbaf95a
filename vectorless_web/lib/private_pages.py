"""What caches may keep: nothing that somebody sees because of who they are."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control


class PrivatePagesMiddleware:
    """Marks answers to people who are signed in `private, no-store`, unless the view said otherwise.

    So the Back button after a sign-out, and a proxy that caches more than it should, show nothing.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # A failure is nobody's page either, and after one the database must not be asked who it was for.
        if not response.has_header("Cache-Control") and (response.status_code >= 500 or request.user.is_authenticated):
            patch_cache_control(response, private=True, no_store=True)
        return response
