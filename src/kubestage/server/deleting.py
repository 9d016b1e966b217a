"""Delete one object, or all that a list would show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import BadRequest
from kubestage.objects import decode, nesting
from kubestage.server import bodies, options, reading
from kubestage.server.live import Write
from kubestage.server.response import warning_headers
from kubestage.store import refusals, write_options
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.server.context import Context
    from kubestage.server.request import Request
    from kubestage.server.response import Joined, Response

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


def delete(context: Context) -> Response:
    """Delete an object as far as it can go now."""
    target = context.target
    view = context.view()
    asked = delete_options(context.request)
    context.warnings += _warnings(context, asked)
    store = context.live.store
    result = store.delete(target.kind, target.name, target.namespace, asked)
    _tell(context, "delete", target.name, asked, result.object)
    headers = warning_headers(context.warnings)
    if not result.removed or target.kind.kind in _SHOWN.get(target.kind.group, ()):
        return view.respond(result.object, 200, headers)
    return view.encoded(_success(context, result.object), 200, headers)


def _warnings(context: Context, asked: DeleteOptions) -> list[str]:
    kind = context.kind
    has_policy = asked.propagation_policy is not None or asked.orphan_dependents is not None
    is_job = (kind.group, kind.kind) == ("batch", "Job")
    return [_PRESERVED] if is_job and not has_policy else []


def delete_collection(context: Context) -> Response | Joined:
    """Delete all that a list would show."""
    target, request = context.target, context.request
    view = context.view()
    reading.list_limit(request)
    asked = delete_options(request)
    found = context.live.store.delete_collection(
        target.kind,
        target.namespace,
        asked,
        label_selector=request.parameter("labelSelector"),
        field_selector=request.parameter("fieldSelector"),
    )
    context.warnings += _warnings(context, asked)
    _tell(context, "deletecollection", "", asked, None)
    return view.listed(found, warning_headers(context.warnings))


def delete_options(request: Request) -> DeleteOptions:
    """The options of a deletion: its body, else its query."""
    given = _from_body(request) if request.body else _from_query(request)
    preconditions = given.get("preconditions") or {}
    dry_run = given.get("dryRun") or []
    problems = write_options.dry_run_problems(dry_run)
    if problems:
        raise refusals.bad_options("DeleteOptions", problems)
    return DeleteOptions(
        grace_period_seconds=given.get("gracePeriodSeconds"),
        propagation_policy=given.get("propagationPolicy"),
        orphan_dependents=given.get("orphanDependents"),
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
        dry_run=bool(dry_run),
    )


def _from_body(request: Request) -> dict[str, Any]:
    body = _untyped(bodies.json_or_dict(request, "v1", "DeleteOptions"))
    try:
        return decode.decode(body, _META, "DeleteOptions", "Ignore").object
    except BadRequest as error:
        raise BadRequest(error.message.partition(_NOT_DECODED)[2] or error.message) from None


def _untyped(body: bytes | dict[str, Any]) -> bytes | dict[str, Any]:
    """Options without their type: every group and version has its own, and all are the same."""
    try:
        options_given = msgspec.json.decode(body) if isinstance(body, bytes) else body
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body
    if not isinstance(options_given, dict):
        return body
    if isinstance(body, bytes) and nesting.is_too_deep(options_given, body):
        return body
    given = options_given.get("kind") or "DeleteOptions"
    if given != "DeleteOptions":
        raise BadRequest(f"decoded object cannot be converted to DeleteOptions: {given}")
    return {**options_given, "apiVersion": _META, "kind": "DeleteOptions"}


def _from_query(request: Request) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if not request.query:
        return given
    grace = options.integer(request, "gracePeriodSeconds")
    if grace is not None:
        given["gracePeriodSeconds"] = grace
    orphan = options.boolean(request, "orphanDependents")
    if orphan is not None:
        given["orphanDependents"] = orphan
    policy = request.query.get("propagationPolicy")
    if policy:
        given["propagationPolicy"] = policy[0]
    if "dryRun" in request.query:
        given["dryRun"] = request.query["dryRun"]
    return given


def _success(context: Context, obj: dict[str, Any]) -> dict[str, Any]:
    kind = context.kind
    details: dict[str, Any] = {"name": context.target.name}
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


def _tell(
    context: Context,
    verb: str,
    name: str,
    asked: DeleteOptions,
    result: dict[str, Any] | None,
) -> None:
    if asked.dry_run:
        return
    target = context.target
    write = Write(verb, target.kind, target.namespace, name, body=asked, result=result)
    context.live.wrote(write._replace(user_agent=context.request.user_agent))
