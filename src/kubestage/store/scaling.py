"""The scale subresource: one small object through which anything with replicas is scaled."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import BadRequest
from kubestage.objects import decode, labels, own_definitions, schema, timestamps
from kubestage.objects.conversion import webhook_versions
from kubestage.objects.custom import scale as scale_paths
from kubestage.objects.kinds import Kind
from kubestage.objects.ownership import scale as scale_ownership
from kubestage.objects.ownership import tracking
from kubestage.objects.validation import field, status
from kubestage.store import applying, creating, field_managers, patching, updating
from kubestage.store.applying import Applied
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.ownership.field_set import Path
    from kubestage.store.applying import ApplyRequest
    from kubestage.store.core import Core
    from kubestage.store.patching import PatchRequest
    from kubestage.store.updating import UpdateRequest

_API_VERSION: Final = "autoscaling/v1"
_SCALE: Final = Kind("autoscaling", "v1", "Scale", "scales", "scale", True)
_IDENTITY: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def _paths(kind: Kind) -> dict[str, str]:
    """Where a custom resource keeps its replicas; built-in kinds all agree."""
    version = own_definitions.version(kind)
    if version is None:
        return {"spec": "spec.replicas", "status": "status.replicas", "selector": ""}
    scale = version["subresources"]["scale"]
    return {
        "spec": scale["specReplicasPath"].lstrip("."),
        "status": scale["statusReplicasPath"].lstrip("."),
        "selector": scale.get("labelSelectorPath", "").lstrip("."),
    }


def _get(obj: Json, path: str) -> Any:
    at: Any = obj
    for name in path.split("."):
        at = at.get(name) if isinstance(at, dict) else None
    return at


def _count(obj: Json, path: str) -> int:
    """A number of replicas; a custom resource may have held anything before it had a scale."""
    try:
        return scale_paths.nested(obj, path, int) or 0
    except scale_paths.ScaleError as error:
        raise BadRequest(str(error)) from None


def _set(obj: Json, path: str, value: Any) -> Json:
    name, _, rest = path.partition(".")
    if not rest:
        return {**obj, name: value}
    below = obj.get(name) or {}
    if not isinstance(below, dict):
        raise BadRequest(f"value cannot be set because .{name} is not a map[string]interface{{}}")
    return {**obj, name: _set(below, rest, value)}


def row_of(core: Core, kind: Kind, obj: Json) -> Kind:
    """The row by which an object is scaled: that of its own version if nothing can convert it."""
    if kind.conversion_webhook is None or webhook_versions.can_convert():
        return kind
    own = core.kinds.get(obj["apiVersion"], kind.kind)
    return own if own is not None and "scale" in own.subresources else kind


def scale_of(kind: Kind, obj: Json) -> Json:
    """The Scale of an object."""
    obj = webhook_versions.seen(kind, obj)
    paths = _paths(kind)
    replicas = _count(obj, paths["spec"])
    state: Json = {"replicas": _count(obj, paths["status"])}
    selector = _get(obj, paths["selector"]) if paths["selector"] else _selector(kind, obj)
    if selector:
        state["selector"] = selector
    metadata = obj["metadata"]
    return {
        "kind": "Scale",
        "apiVersion": _API_VERSION,
        "metadata": {name: metadata[name] for name in _IDENTITY if name in metadata},
        "spec": {"replicas": replicas} if replicas else {},
        "status": state,
    }


def _selector(kind: Kind, obj: Json) -> str:
    if own_definitions.version(kind) is not None:
        return ""
    selector = obj["spec"].get("selector") or {}
    if kind.kind == "ReplicationController":
        return str(labels.selector_from_set(selector))
    return str(labels.from_label_selector(selector))


def update(core: Core, kind: Kind, request: UpdateRequest) -> Json:
    """Set the replicas of an object to those of a Scale."""
    scale = decode.decode(request.obj, _API_VERSION, "Scale", "Ignore").object
    metadata = creating.metadata_of(scale)
    name = updating.check_name(metadata, request.name)
    key = key_of(creating.request_namespace(kind, metadata, request.namespace), name)
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    kind = row_of(core, kind, existing)
    updating.check_uid(kind, key, existing, metadata.get("uid"))
    updating.check_version(kind, existing, metadata, required=False)
    entries = _updated_entries(core, kind, existing, scale, request.manager)
    return _write(core, kind, key, scale, entries, request)


def patch(core: Core, kind: Kind, key: str, name: str, request: PatchRequest) -> Json:
    """Patch the Scale of an object."""
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    kind = row_of(core, kind, existing)
    struct = schema.kind_struct(_API_VERSION, "Scale")
    desired = patching.patched(scale_of(kind, existing), request, struct)
    desired = patching.checked(desired, _SCALE, request)
    metadata = creating.metadata_of(desired)
    updating.check_name(metadata, name)
    updating.check_version(kind, existing, metadata, required=False)
    entries = _updated_entries(core, kind, existing, desired, request.manager)
    return _write(core, kind, key, desired, entries, request)


def apply(core: Core, kind: Kind, key: str, name: str, request: ApplyRequest) -> Applied:
    """Apply a configuration to the Scale of an object."""
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    kind = row_of(core, kind, existing)
    seen = scale_ownership.view()
    applying.check(_API_VERSION, "Scale", seen.atom, request)
    managers = _managers(core, kind, existing)
    live = field_managers.with_entries(scale_of(kind, existing), managers.entries())
    now = timestamps.format_time(core.clock.unix_ns)
    writer = tracking.Writer(request.manager, "scale", now)
    empty = {"kind": "Scale", "apiVersion": _API_VERSION, "metadata": {}, "spec": {}, "status": {}}
    applied = tracking.applied(seen, live, request.config, empty, writer, force=request.force)
    desired = live if applied.object is None else applied.object
    metadata = creating.metadata_of(desired)
    creating.request_namespace(kind, metadata, existing["metadata"].get("namespace"))
    updating.check_name(metadata, name)
    updating.check_version(kind, existing, metadata, required=False)
    entries = managers.parent_entries(applied.entries)
    return Applied(_write(core, kind, key, desired, entries, request), False)


def _path_in(core: Core, kind: Kind, api_version: str) -> Path | None:
    """Where objects of a version keep their replicas, as a path of fields."""
    row = kind if api_version == kind.api_version else core.kinds.get(api_version, kind.kind)
    if row is None or "scale" not in row.subresources:
        return None
    return tuple(f"f:{name}" for name in _paths(row)["spec"].split("."))


def _managers(core: Core, kind: Kind, existing: Json) -> scale_ownership.Scaled:
    path_in = functools.partial(_path_in, core, kind)
    return scale_ownership.Scaled(existing, kind.api_version, path_in)


def _updated_entries(
    core: Core, kind: Kind, existing: Json, scale: Json, manager: str
) -> list[Json]:
    """The managedFields of an object after an update of its Scale."""
    if "managedFields" not in existing["metadata"]:
        return []
    managers = _managers(core, kind, existing)
    live = field_managers.with_entries(scale_of(kind, existing), managers.entries())
    now = timestamps.format_time(core.clock.unix_ns)
    writer = tracking.Writer(manager or core.component, "scale", now)
    return managers.parent_entries(tracking.updated(scale_ownership.view(), live, scale, writer))


def _write(
    core: Core,
    kind: Kind,
    key: str,
    scale: Json,
    entries: list[Json],
    request: UpdateRequest | PatchRequest | ApplyRequest,
) -> Json:
    existing = webhook_versions.seen(kind, core.ledger.collection(kind).objects[key])
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        if own_definitions.version(kind) is not None:
            path = f".{_paths(kind)['spec']}"
            problem = field.invalid(path, replicas, "should be a non-negative integer")
            raise status.invalid(existing, [problem])
        problem = field.invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        raise status.invalid(scale_of(kind, existing), [problem])
    desired = _set(existing, _paths(kind)["spec"], replicas)
    desired = field_managers.with_entries(desired, entries)
    change = updating.UpdateContext(
        dry_run=request.dry_run, is_tracked=True, warnings=request.warnings, through="scale"
    )
    scaled = updating.write(core, kind, key, desired, change)
    if kind.conversion_webhook is not None:
        # What is stored may be of another version.
        scaled = {**desired, "metadata": scaled["metadata"]}
    return scale_of(kind, scaled)
