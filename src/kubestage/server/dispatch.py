"""Which verb serves a request: for collections, objects and their subresources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest, MethodNotAllowed, UnsupportedMediaType
from kubestage.objects.patches import PatchType
from kubestage.objects.validation import status
from kubestage.server import (
    bodies,
    deleting,
    negotiation,
    pod_actions,
    pod_placing,
    reading,
    routing,
    writing,
)
from kubestage.store import patching

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.server.context import RequestContext
    from kubestage.server.response import Answer

    Serve = Callable[[RequestContext], Answer]


def not_allowed() -> MethodNotAllowed:
    """The path is there, but not for this method."""
    return MethodNotAllowed("the server does not allow this method on the requested resource", {})


_PART: Final[dict[str, Serve]] = {
    "GET": reading.get,
    "PUT": writing.update,
    "PATCH": writing.patch,
}
_WRITE_ONLY: Final[dict[str, Serve]] = {"PUT": writing.update}
_SERVED: Final[dict[str, dict[str, Serve]]] = {
    "status": _PART,
    "scale": _PART,
    "ephemeralcontainers": _PART,
    "resize": _PART,
    "approval": _PART,
    "finalize": _WRITE_ONLY,
    "binding": {"POST": pod_placing.bind},
    "eviction": {"POST": pod_placing.evict},
    **pod_actions.SERVED,
}
_COLLECTION: Final[dict[str, Serve]] = {
    "GET": reading.read,
    "POST": writing.create,
    "DELETE": deleting.delete_collection,
}
_OBJECT: Final[dict[str, Serve]] = {
    "GET": reading.get,
    "PUT": writing.update,
    "PATCH": writing.patch,
    "DELETE": deleting.delete,
}
# A name in the path of a creation means nothing; the object has its own.
_CUSTOM: Final[dict[str, Serve]] = {**_OBJECT, "POST": writing.create}
_CUSTOM_PATCHES: Final = (PatchType.JSON.value, PatchType.MERGE.value, bodies.APPLY)
_VERBS: Final = {"POST": "create", "DELETE": "delete"}
# Kinds that cannot be deleted all at once.
_ONE_BY_ONE: Final = frozenset({("", "Namespace")})


def serving(context: RequestContext) -> Serve:
    """What serves a request; refused if nothing does."""
    target, method = context.target, context.request.method
    if target.kind.definition is not None:
        return _serving_custom(context)
    if target.subresource:
        served = _SERVED.get(target.subresource, {})
    else:
        served = _OBJECT if target.name else _COLLECTION
    verb = "GET" if method == "HEAD" else method
    found = served.get(verb)
    if found is None or (found is writing.create and _is_everywhere(context)):
        raise not_allowed()
    if target.is_watch and verb != "GET":
        raise not_allowed()
    if found is deleting.delete_collection and (
        (target.kind.group, target.kind.kind) in _ONE_BY_ONE or _is_everywhere(context)
    ):
        raise not_allowed()
    if target.subresource not in pod_actions.SERVED:
        if found is writing.patch:
            bodies.patch_type(context.request)
        accept = context.request.header(b"accept")
        negotiation.check_route(accept, is_list=found is reading.read)
    return found


def _serving_custom(context: RequestContext) -> Serve:
    """As `serving`, for custom resources: their server knows verbs, and no routes."""
    target, method = context.target, context.request.method
    verb = "GET" if method == "HEAD" else method
    if verb != "GET" and _is_everywhere(context):
        raise routing.no_such_page()
    served = _SERVED.get(target.subresource, {}) if target.subresource else _CUSTOM
    found = served.get(verb)
    if found is None or (target.is_watch and verb != "GET"):
        raise status.method_not_supported(target.kind, _VERBS.get(verb, ""))
    if found is writing.patch and bodies.media_type(context.request) not in _CUSTOM_PATCHES:
        raise UnsupportedMediaType(patching.CUSTOM_PATCHES)
    if target.name or target.subresource:
        return found
    if found in (writing.update, writing.patch):
        raise BadRequest("name must be provided")
    return _COLLECTION[verb]


def _is_everywhere(context: RequestContext) -> bool:
    """Whether the path means the objects of all namespaces."""
    return context.kind.namespaced and context.target.namespace is None
