"""The queues: what waits, works and failed, in plain words, and the acts on it."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from redis.exceptions import RedisError

from vectorless_web.console.selectors import QUEUE_NAMES
from vectorless_web.console.subjects import operating
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.infra.web.pages import go_saying, go_to

RIGHT = "console.run_queues"


@staff_page(RIGHT)
@never_cache
def show(request: HttpRequest) -> HttpResponse:
    """Every queue with its jobs and workers."""
    try:
        queues = [operating.describe_queue(name, request.user) for name in sorted(settings.RQ_QUEUES)]
    except RedisError as error:
        return show_page(request, "queues", {"queues": [], "away": str(error)})
    return show_page(request, "queues", {"queues": queues})


@staff_act(RIGHT)
def pause(request: HttpRequest, queue: str) -> HttpResponse:
    """Begin no more jobs of a queue."""
    operating.pause(actor=request.user, queue=_check_queue(queue))
    messages.success(request, f"The queue of {QUEUE_NAMES[queue]} is paused. What is under way goes on.")
    return go_to(request, "console:queues")


@staff_act(RIGHT)
def resume(request: HttpRequest, queue: str) -> HttpResponse:
    """Go on with a queue."""
    operating.resume(actor=request.user, queue=_check_queue(queue))
    return go_saying(request, f"The queue of {QUEUE_NAMES[queue]} goes on.", "console:queues")


@staff_act(RIGHT)
def drain(request: HttpRequest, queue: str) -> HttpResponse:
    """Have a worker finish what it does, and end."""
    operating.drain(actor=request.user, queue=_check_queue(queue), worker=request.POST.get("worker", ""))
    messages.success(request, "The worker ends after its job. Where `manage.py up` started it, another follows.")
    return go_to(request, "console:queues")


@staff_act(RIGHT)
def stop(request: HttpRequest) -> HttpResponse:
    """End the work that a job is for."""
    operating.stop(actor=request.user, name=request.POST.get("job", ""))
    return go_saying(request, "The question was asked to stop. What was found is kept.", "console:queues")


@staff_act(RIGHT)
def retry(request: HttpRequest) -> HttpResponse:
    """Have the work of a failed job done again."""
    operating.retry(actor=request.user, name=request.POST.get("job", ""))
    return go_saying(request, "The job waits for a worker again.", "console:queues")


@staff_act(RIGHT)
def forget(request: HttpRequest) -> HttpResponse:
    """Take a failed job off the list."""
    operating.forget(actor=request.user, name=request.POST.get("job", ""))
    return go_to(request, "console:queues")


def _check_queue(queue: str) -> str:
    if queue not in settings.RQ_QUEUES:
        raise Http404("There is no such queue.")
    return queue
