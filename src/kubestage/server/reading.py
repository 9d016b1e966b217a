"""Get and list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.validation import field
from kubestage.server import options, watching
from kubestage.server.converted_list import ConvertedList
from kubestage.server.converting_view import ConvertingView
from kubestage.server.response import Awaited, warning_headers
from kubestage.store import refusals

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext
    from kubestage.server.request import Request
    from kubestage.server.response import Answer


def get(context: RequestContext) -> Answer:
    """One object, or a watch of it."""
    target, request = context.target, context.request
    if target.is_watch or options.boolean(request, "watch"):
        return watching.watch(context, target.name)
    view = context.view()
    found = context.live.store.get(
        target.kind,
        target.name,
        target.namespace,
        subresource=target.subresource,
        resource_version=request.parameter("resourceVersion"),
    )
    return view.respond(found, 200, warning_headers(context.warnings))


def read(context: RequestContext) -> Answer:
    """A list, or a watch."""
    target, request = context.target, context.request
    if target.is_watch or options.boolean(request, "watch"):
        return watching.watch(context, "")
    view = context.view(is_list=True)
    headers = warning_headers(context.warnings)
    list_options: Json = {
        "label_selector": request.parameter("labelSelector"),
        "field_selector": request.parameter("fieldSelector"),
        "limit": list_limit(request),
        "continue_token": request.parameter("continue"),
        "resource_version": request.parameter("resourceVersion"),
        "resource_version_match": request.parameter("resourceVersionMatch"),
    }
    store = context.live.store
    if isinstance(view, ConvertingView):
        converted = ConvertedList.of(store, view, target.namespace, list_options)
        if converted is not None:
            return Awaited(lambda: converted.page(headers))
    found = store.list(target.kind, target.namespace, **list_options)
    return view.listed(found, headers)


def list_limit(request: Request) -> int:
    """The limit of a list; its other options must fit together."""
    options.integer(request, "timeoutSeconds")
    limit = options.integer(request, "limit") or 0
    if options.boolean(request, "sendInitialEvents") is not None:
        detail = "sendInitialEvents is forbidden for list"
        raise refusals.bad_options("ListOptions", [field.forbidden("sendInitialEvents", detail)])
    return limit
