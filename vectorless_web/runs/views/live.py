"""News of a run for pages whose websocket is refused on the way, and for those that doubt it."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from vectorless_web.infra.web.whole import parse_whole_number
from vectorless_web.runs import selectors
from vectorless_web.runs.live.feed import Audience, Feed
from vectorless_web.workspaces.selectors import may_in

STATE, ENDED = "X-Run-State", "X-Run-Ended"


@require_GET
@never_cache
def news(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What the socket would send beyond `?after=`: fragments, or 204 while the page's `?state=` still stands."""
    run = selectors.run_for(request.user, slug, pk)
    audience = Audience(may_in(run.workspace), get_language() or "", run.asked_by_id == request.user.pk)
    after = parse_whole_number(request.GET.get("after")) or 0
    state, html = Feed(run, after).render_news(after, request.GET.get("state", ""), audience)
    headers = {STATE: state.token, ENDED: str(int(state.ended))}
    return HttpResponse(html, headers=headers) if html else HttpResponse(status=204, headers=headers)
