"""Delete one object, or all that a list would show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import BadRequest
from kubestage.objects import decode, nesting
from kubestage.objects.conversion import webhook_versions
from kubestage.server import bodies, options, reading
from kubestage.server.live import Write
from kubestage.server.response import InSlices, warning_headers
from kubestage.store import refusals, selection, write_options
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from collections.abc import Generator

    from kubestage.aliases import Json
    from kubestage.server.context import RequestContext
    from kubestage.server.request import Request
    from kubestage.server.response import Built
    from kubestage.store.listing import ObjectList

# Kinds whose deletion answers with the object even if that is gone, by group.
_SHOWN: Final = {
    "": frozenset(
        {
            "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod", "PodTemplate",
            "ResourceQuota", "Service", "ServiceAccount",
        }
    ),
    "resource.k8s.io": frozenset(
        {"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"}
    ),
    "storage.k8s.io": frozenset(
        {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"}
    ),
}  # fmt: skip
_PRESERVED: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to remove them or set propagationPolicy=Orphan to suppress this warning"
)
_META: Final = "meta/v1"
_NOT_DECODED: Final = "cannot be handled as a DeleteOptions: "


def delete(context: RequestContext) -> Built:
    """Delete an object as far as it can go now."""
    target = context.target
    view = context.view()
    delete_opts = delete_options(context.request)
    context.warnings += _warnings(context, delete_opts)
    store = context.live.store
    if target.kind.conversion_webhook is not None and context.present is not None:
        # What cannot be read cannot be deleted either.
        webhook_versions.see_all(target.kind, [context.present])
    with context.acting():
        result = store.delete(target.kind, target.name, target.namespace, delete_opts)
    _report_write(context, "delete", target.name, delete_opts, result.object)
    headers = warning_headers(context.warnings)
    if not result.removed or target.kind.kind in _SHOWN.get(target.kind.group, ()):
        return view.respond(result.object, 200, headers)
    return view.encoded(_success(context, result.object), 200, headers)


def _warnings(context: RequestContext, delete_opts: DeleteOptions) -> list[str]:
    kind = context.kind
    has_policy = (
        delete_opts.propagation_policy is not None or delete_opts.orphan_dependents is not None
    )
    is_job = (kind.group, kind.kind) == ("batch", "Job")
    return [_PRESERVED] if is_job and not has_policy else []


def delete_collection(context: RequestContext) -> InSlices:
    """Delete all that a list would show."""
    return InSlices(_in_pieces(context))


def _in_pieces(context: RequestContext) -> Generator[None, None, Built]:
    # The response shows what is gone by then, of which no bytes are to be kept.
    with context.encoder.in_pieces():
        return (yield from _delete_collection(context))


def _delete_collection(context: RequestContext) -> Generator[None, None, Built]:
    target, request = context.target, context.request
    view = context.view()
    reading.list_limit(request)
    delete_opts = delete_options(request)
    listed = _converted(context)
    steps = context.live.store.delete_in_steps(
        target.kind,
        target.namespace,
        delete_opts,
        label_selector=request.parameter("labelSelector"),
        field_selector=request.parameter("fieldSelector"),
        listed=listed,
    )
    found = yield from _acting(context, steps)
    context.warnings += _warnings(context, delete_opts)
    _report_write(context, "deletecollection", "", delete_opts, None)
    return (yield from view.listing(found, warning_headers(context.warnings)))


def _converted(context: RequestContext) -> ObjectList | None:
    """What is to be deleted, if a webhook has to convert it: that decides what is selected."""
    target, request = context.target, context.request
    kind = target.kind
    if kind.conversion_webhook is None:
        return None
    label_selector, field_selector = map(request.parameter, ("labelSelector", "fieldSelector"))
    selected = selection.parse(kind, target.namespace, label_selector, field_selector)
    identity = str(selected.identity)
    found = context.live.store.list(kind, target.namespace, field_selector=identity)
    webhook_versions.see_all(kind, found.items)
    if not selected.depends_on_version:
        return found
    items = [obj for obj in found.items if selected.matches(webhook_versions.seen(kind, obj))]
    return msgspec.structs.replace(found, items=items)


def _acting(
    context: RequestContext, steps: Generator[None, None, ObjectList]
) -> Generator[None, None, ObjectList]:
    """Take steps as the client; others act as themselves in between."""
    while True:
        try:
            with context.acting():
                next(steps)
        except StopIteration as end:
            found: ObjectList = end.value
            return found
        yield


def delete_options(request: Request) -> DeleteOptions:
    """The options of a deletion: its body, else its query."""
    fields = _from_body(request) if request.body else _from_query(request)
    preconditions = fields.get("preconditions") or {}
    dry_run = fields.get("dryRun") or []
    problems = write_options.dry_run_problems(dry_run)
    if problems:
        raise refusals.bad_options("DeleteOptions", problems)
    return DeleteOptions(
        grace_period_seconds=fields.get("gracePeriodSeconds"),
        propagation_policy=fields.get("propagationPolicy"),
        orphan_dependents=fields.get("orphanDependents"),
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
        dry_run=bool(dry_run),
    )


def _from_body(request: Request) -> Json:
    body = _untyped(bodies.json_or_dict(request, "v1", "DeleteOptions"))
    try:
        return decode.decode(body, _META, "DeleteOptions", "Ignore").object
    except BadRequest as error:
        raise BadRequest(error.message.partition(_NOT_DECODED)[2] or error.message) from None


def _untyped(body: bytes | Json) -> bytes | Json:
    """Options without their type: every group and version has its own, and all are the same."""
    try:
        body_options = msgspec.json.decode(body) if isinstance(body, bytes) else body
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body
    if not isinstance(body_options, dict):
        return body
    if isinstance(body, bytes) and nesting.is_too_deep(body_options, body):
        return body
    kind = body_options.get("kind") or "DeleteOptions"
    if kind != "DeleteOptions":
        raise BadRequest(f"decoded object cannot be converted to DeleteOptions: {kind}")
    return {**body_options, "apiVersion": _META, "kind": "DeleteOptions"}


def _from_query(request: Request) -> Json:
    fields: Json = {}
    if not request.query:
        return fields
    grace = options.integer(request, "gracePeriodSeconds")
    if grace is not None:
        fields["gracePeriodSeconds"] = grace
    orphan = options.boolean(request, "orphanDependents")
    if orphan is not None:
        fields["orphanDependents"] = orphan
    policy = request.query.get("propagationPolicy")
    if policy:
        fields["propagationPolicy"] = policy[0]
    if "dryRun" in request.query:
        fields["dryRun"] = request.query["dryRun"]
    return fields


def _success(context: RequestContext, obj: Json) -> Json:
    kind = context.kind
    details: Json = {"name": context.target.name}
    if kind.group:
        details["group"] = kind.group
    details |= {"kind": kind.plural, "uid": obj["metadata"].get("uid", "")}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    }


def _report_write(
    context: RequestContext,
    verb: str,
    name: str,
    delete_opts: DeleteOptions,
    result: Json | None,
) -> None:
    if delete_opts.dry_run:
        return
    target = context.target
    write = Write(verb, target.kind, target.namespace, name, body=delete_opts, result=result)
    context.live.wrote(write._replace(user_agent=context.request.user_agent))
