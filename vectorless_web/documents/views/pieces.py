"""Uploads of large files in pieces: begun, added to, cancelled, by who began them."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from vectorless_web.documents import selectors, services
from vectorless_web.documents.models import PartialUpload
from vectorless_web.documents.services.uploads import PIECE_BYTES
from vectorless_web.documents.storage.pieces import WrongOffset, count_received
from vectorless_web.documents.views.listing import UploadResult, check_upload_rate, render_results, result_of
from vectorless_web.infra.limits import parse_whole_number
from vectorless_web.infra.web.problems import Problem
from vectorless_web.workspaces.models import Role, Workspace
from vectorless_web.workspaces.selectors import workspace_for
from vectorless_web.workspaces.views.rights import done_by


@done_by(Role.EDITOR)
def begin(request: HttpRequest, workspace: Workspace) -> HttpResponse:
    """Begin with a file's `name`, `size` and `ends` (two files: its first and last bytes), or find it again.

    JSON {url, cancel, received}; a file that cannot be taken in gets its sentence before a piece is sent.
    """
    name, size = request.POST.get("name", ""), parse_whole_number(request.POST.get("size", ""))
    ends = [part.read() for part in request.FILES.getlist("ends")]
    try:
        if not name or not size or len(ends) != 2:
            raise Problem("No file was chosen.", remedy="Choose a file first.", code="no_file")
        check_upload_rate(request, 1)
        upload = services.begin_partial_upload(
            workspace=workspace,
            user=request.user,
            name=name,
            size=size,
            ends=(ends[0], ends[1]),
            folder=selectors.folder_named(workspace, request.user, request.POST.get("folder", "")),
        )
    except Problem as problem:
        return problem.mark(render_results(request, workspace, [UploadResult(name, error=problem)]))
    place = {"slug": workspace.slug, "pk": upload.pk}
    addresses = {act: reverse(f"documents:{act}_upload", kwargs=place) for act in ("add_to", "cancel")}
    return JsonResponse({**addresses, "received": count_received(upload.token)}, status=201)


@require_POST
def add(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take in the body as the piece that begins at `?from=`; X-SHA256 names its digest, where the browser can tell it.

    JSON {received}, with status 409 when the piece does not continue what is here; after the last piece what the list
    shows of a new document.
    """
    upload = _find_own(request, slug, pk)
    offset = parse_whole_number(request.GET.get("from", ""))
    if offset is None:
        raise Problem("It is not said where this piece begins.", remedy="Upload the file again.", code="no_offset")
    if upload.version_id is None and offset < upload.bytes:
        data, digest = request.read(PIECE_BYTES + 1), request.headers.get("X-SHA256", "")
        try:
            received = services.add_piece(upload=upload, offset=offset, data=data, sha256=digest)
        except WrongOffset as wrong:
            return JsonResponse({"received": wrong.received}, status=409)
    else:
        received = upload.bytes if upload.version_id else count_received(upload.token)
    if received < upload.bytes:
        return JsonResponse({"received": received})
    try:
        added = services.finish_partial_upload(upload=upload, user=request.user)
    except services.SameNameHere as found:
        return render_results(request, upload.workspace, [UploadResult(upload.name, same_name_as=found.document)])
    except Problem as problem:
        if problem.retryable:
            return problem.mark(JsonResponse({"received": received}))
        return problem.mark(render_results(request, upload.workspace, [UploadResult(upload.name, error=problem)]))
    return render_results(request, upload.workspace, [result_of(added, upload.name)])


@require_POST
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Forget what has arrived of a file."""
    services.cancel_partial_upload(upload=_find_own(request, slug, pk))
    return HttpResponse(status=204)


def _find_own(request: HttpRequest, slug: str, pk: int) -> PartialUpload:
    """The upload of a token; 404 where there is none in the workspace, 403 for somebody else's."""
    workspace = workspace_for(request.user, slug, Role.EDITOR)
    upload = selectors.partial_upload(workspace, pk)
    if upload is None:
        raise Http404("There is no such upload; it may have been cancelled, or have waited too long.")
    if upload.user_id != request.user.pk:
        raise Problem(
            "This upload belongs to somebody else.", remedy="Upload the file yourself.", code="not_yours", status=403
        )
    return upload
