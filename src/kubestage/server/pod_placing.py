"""Where pods are put, and taken away from: bindings and evictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import BadRequest
from kubestage.objects.validation import field, status
from kubestage.server import bodies, options
from kubestage.server.live import Write
from kubestage.store import refusals
from kubestage.store.admission import dynamic, node_restriction
from kubestage.store.deletion import DeleteOptions
from kubestage.store.namespaces import NAMESPACE

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext
    from kubestage.server.presentation import ResponseView
    from kubestage.server.response import Response


def bind(context: RequestContext) -> Response:
    """Assign a pod to a node."""
    view = context.view()
    write_options = options.write_options(context.request, "CreateOptions")
    decoded = bodies.decoded(context.request, "v1", "Binding", write_options.field_validation)
    context.warnings += decoded.warnings
    target, body = context.target, decoded.object
    metadata = body.get("metadata") or {}
    name = metadata.get("name") or ""
    _check_place(context, metadata, target.name or name)
    if target.name and name != target.name:
        raise BadRequest("name in URL does not match name in Binding object")
    node = _bound_to(body.get("target") or {})
    if not name:
        raise BadRequest("Name parameter required.")
    with context.acting():
        dynamic.check_part(
            context.live.store, target.kind, "binding", ("v1", "Binding"), body, name,
            target.namespace or "default", dry_run=write_options.dry_run,
        )  # fmt: skip
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
        dry_run=write_options.dry_run,
    )
    if not write_options.dry_run:
        _report_write(context, name, "binding", body, bound)
    return _created(view)


def evict(context: RequestContext) -> Response:
    """Delete a pod unless its disruption budget forbids it."""
    view = context.view()
    write_options = options.write_options(context.request, "CreateOptions")
    target = context.target
    decoded = bodies.decoded(
        context.request, "policy/v1", "Eviction", write_options.field_validation
    )
    body = decoded.object
    metadata = body.get("metadata") or {}
    _check_place(context, metadata, target.name)
    if (metadata.get("name") or "") != target.name:
        raise BadRequest("name in URL does not match name in Eviction object")
    deletion = _delete_options(body.get("deleteOptions") or {}, dry_run=write_options.dry_run)
    with context.acting():
        if context.present is not None:
            node_restriction.check_eviction(context.live.store, target.kind, context.present)
        dynamic.check_part(
            context.live.store, target.kind, "eviction", ("policy/v1", "Eviction"), body,
            target.name, target.namespace or "default", dry_run=deletion.dry_run,
        )  # fmt: skip
    evicted = context.live.store.evict(target.name, target.namespace or "default", deletion)
    if not deletion.dry_run:
        _report_write(context, target.name, "eviction", body, evicted.object)
    return _created(view)


def _check_place(context: RequestContext, metadata: Json, name: str) -> None:
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


def _bound_to(target: Json) -> str:
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


def _delete_options(body: Json, *, dry_run: bool) -> DeleteOptions:
    preconditions = body.get("preconditions") or {}
    return DeleteOptions(
        grace_period_seconds=body.get("gracePeriodSeconds"),
        propagation_policy=body.get("propagationPolicy"),
        orphan_dependents=body.get("orphanDependents"),
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
        dry_run=dry_run or bool(body.get("dryRun")),
    )


def _created(view: ResponseView) -> Response:
    """What an action answers that makes no object of its own."""
    success = {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201,
    }  # fmt: skip
    return view.encoded(success, 201)


def _report_write(
    context: RequestContext,
    name: str,
    subresource: str,
    body: Json,
    result: Json,
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
