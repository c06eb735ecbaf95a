"""Documents and runs, share links, and how the site is set up."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponse

from vectorless_web.console.subjects import site, work
from vectorless_web.console.views import show_page, staff_act, staff_page
from vectorless_web.documents.services import release_document
from vectorless_web.infra.web.pages import go_saying, go_to


@staff_page("runs.view_run")
def show(request: HttpRequest) -> HttpResponse:
    """What of documents and runs needs a look."""
    return show_page(request, "work", {"report": work.report_work(request.user)})


@staff_act("runs.change_run")
def stop_run(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask a run to stop."""
    work.stop_run(actor=request.user, pk=pk)
    return go_saying(request, "The question was asked to stop. What was found is kept.", "console:work")


@staff_act("documents.change_documentversion")
def read_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a document read again."""
    work.read_again(actor=request.user, pk=pk)
    return go_saying(request, "The document waits to be read again.", "console:work")


@staff_act("documents.change_documentversion")
def recompile(request: HttpRequest) -> HttpResponse:
    """Have everything compiled again that another compiler made."""
    count = work.recompile_outdated(actor=request.user)
    messages.success(request, f"{count} documents wait to be compiled again. They stay readable meanwhile.")
    return go_to(request, "console:work")


@staff_page("sharing.view_sharelink")
def links(request: HttpRequest) -> HttpResponse:
    """Every link that still shows a run."""
    return show_page(request, "links", {"links": work.live_links(request.GET.get("page", "1"))})


@staff_act("sharing.change_sharelink")
def revoke_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Close one link."""
    work.close_link(actor=request.user, pk=pk)
    return go_saying(request, "The link is closed.", "console:links")


@staff_act("runs.change_run")
def replay_run(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a run replayed."""
    work.replay_run(actor=request.user, pk=pk)
    return go_saying(request, f"Question {pk} is being replayed. Its page tells what came of it.", "console:work")


@staff_act("documents.change_documentversion")
def quarantine(request: HttpRequest) -> HttpResponse:
    """Keep a document from answering."""
    number, reason = request.POST.get("document", ""), request.POST.get("reason", "")
    document = work.quarantine(actor=request.user, number=number, reason=reason)
    return go_saying(request, f"Document {document.pk} answers nothing until it is released.", "console:work")


@staff_act("documents.change_documentversion")
def release(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a document answer again."""
    release_document(actor=request.user, document=work.find_document(pk))
    return go_saying(request, f"Document {pk} answers again.", "console:work")


@staff_page("console.view_site_settings")
def setup(request: HttpRequest) -> HttpResponse:
    """How the site is set up."""
    return show_page(request, "site", {"rows": site.list_settings(), "unsafe": site.list_unsafe()})


@staff_act("console.view_site_settings")
def test_mail(request: HttpRequest) -> HttpResponse:
    """Send the administrator a mail."""
    address = cast(AbstractUser, request.user).email
    site.send_test_mail(actor=request.user, to=address)
    return go_saying(request, f"A mail is on its way to {address}.", "console:site")
