"""Subresources: parts of an object, and actions on it, under its own path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import BadRequest, MethodNotAllowed
from kubestage.objects.validation import field, status
from kubestage.server import bodies, deleting, options, pod_actions, reading, writing
from kubestage.server.live import Write
from kubestage.store import refusals
from kubestage.store.deletion import DeleteOptions
from kubestage.store.namespaces import NAMESPACE

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.server.context import Context
    from kubestage.server.response import Joined, Response, Stream

    Serve = Callable[[Context], Response | Joined | Stream]


def not_allowed() -> MethodNotAllowed:
    """The path is there, but not for this method."""
    return MethodNotAllowed("the server does not allow this method on the requested resource", {})


def bind(context: Context) -> Response:
    """Assign a pod to a node."""
    view = context.view()
    asked = options.write_options(context.request, "CreateOptions")
    decoded = bodies.decoded(context.request, "v1", "Binding", asked.field_validation)
    context.warnings += decoded.warnings
    return _bind(context, decoded.object, asked, view)


def _bind(context: Context, body: dict[str, Any], asked: Any, view: Any) -> Response:
    target = context.target
    metadata = body.get("metadata") or {}
    name = metadata.get("name") or ""
    _check_place(context, metadata, target.name or name)
    if target.name and name != target.name:
        raise BadRequest("name in URL does not match name in Binding object")
    node = _bound_to(body.get("target") or {})
    if not name:
        raise BadRequest("Name parameter required.")
    # A path that does not name the pod is older than preconditions.
    uid = (metadata.get("uid") or "") if target.name else ""
    bound = context.live.store.bind(
        name,
        target.namespace or "default",
        node,
        uid=uid,
        resource_version=metadata.get("resourceVersion") or "",
        annotations=metadata.get("annotations"),
        labels=metadata.get("labels"),
        dry_run=asked.dry_run,
    )
    if not asked.dry_run:
        _tell(context, name, "binding", body, bound)
    return created_status(view)


def evict(context: Context) -> Response:
    """Delete a pod unless its disruption budget forbids it."""
    view = context.view()
    asked = options.write_options(context.request, "CreateOptions")
    target = context.target
    decoded = bodies.decoded(context.request, "policy/v1", "Eviction", asked.field_validation)
    body = decoded.object
    metadata = body.get("metadata") or {}
    _check_place(context, metadata, target.name)
    if (metadata.get("name") or "") != target.name:
        raise BadRequest("name in URL does not match name in Eviction object")
    deletion = _deletion_of(body.get("deleteOptions") or {}, dry_run=asked.dry_run)
    evicted = context.live.store.evict(target.name, target.namespace or "default", deletion)
    if not deletion.dry_run:
        _tell(context, target.name, "eviction", body, evicted.object)
    return created_status(view)


def _check_place(context: Context, metadata: dict[str, Any], name: str) -> None:
    """Refuse an action in another namespace than the path's, or in one where nothing is done."""
    target, store = context.target, context.live.store
    namespace = target.namespace or "default"
    if metadata.get("namespace", namespace) not in ("", namespace):
        raise status.namespace_mismatch()
    home = store.read(NAMESPACE).get(namespace)
    if home is None:
        if not store.implicit_namespaces:
            raise status.not_found(store.kind(NAMESPACE), namespace)
    elif "deletionTimestamp" in home["metadata"]:
        raise refusals.namespace_ending(target.kind, name, namespace)


def _bound_to(target: dict[str, Any]) -> str:
    """The node that a binding names."""
    kind, node = target.get("kind") or "", target.get("name") or ""
    problems = []
    if kind not in ("", "Node"):
        problems.append(field.not_supported("target.kind", kind, ("Node", "<empty>")))
    if not node:
        problems.append(field.required("target.name"))
    if problems:
        texts = ", ".join(map(str, problems))
        raise BadRequest(texts if len(problems) == 1 else f"[{texts}]")
    return node


def _deletion_of(given: dict[str, Any], *, dry_run: bool) -> DeleteOptions:
    preconditions = given.get("preconditions") or {}
    return DeleteOptions(
        grace_period_seconds=given.get("gracePeriodSeconds"),
        propagation_policy=given.get("propagationPolicy"),
        orphan_dependents=given.get("orphanDependents"),
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
        dry_run=dry_run or bool(given.get("dryRun")),
    )


def created_status(view: Any) -> Response:
    """What an action answers that makes no object of its own."""
    success = {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
    }  # fmt: skip
    response: Response = view.encoded(success, 201)
    return response


def _tell(
    context: Context, name: str, subresource: str, body: dict[str, Any], result: dict[str, Any]
) -> None:
    target = context.target
    context.live.wrote(
        Write(
            "create",
            target.kind,
            target.namespace,
            name,
            subresource,
            body,
            None,
            context.request.user_agent,
            result,
        )
    )


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
    "binding": {"POST": bind},
    "eviction": {"POST": evict},
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
# Kinds that cannot be deleted all at once.
_ONE_BY_ONE: Final = frozenset({("", "Namespace")})


def serving(context: Context) -> Serve:
    """What serves a request; refused if nothing does."""
    target, method = context.target, context.request.method
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
    return found


def _is_everywhere(context: Context) -> bool:
    """Whether the path means the objects of all namespaces."""
    return context.kind.namespaced and context.target.namespace is None
