"""The scale subresource: one small object through which anything with replicas is scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import decode, labels, schema
from kubestage.objects.validation import field, status
from kubestage.store import creating, updating
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.updating import PatchRequest, UpdateRequest

_API_VERSION: Final = "autoscaling/v1"
_IDENTITY: Final = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def _paths(kind: Kind) -> dict[str, str]:
    """Where a custom resource keeps its replicas; built-in kinds all agree."""
    if kind.definition is None:
        return {"spec": "spec.replicas", "status": "status.replicas", "selector": ""}
    scale = kind.definition["subresources"]["scale"]
    return {
        "spec": scale["specReplicasPath"].lstrip("."),
        "status": scale["statusReplicasPath"].lstrip("."),
        "selector": scale.get("labelSelectorPath", "").lstrip("."),
    }


def _get(obj: dict[str, Any], path: str) -> Any:
    at: Any = obj
    for name in path.split("."):
        at = at.get(name) if isinstance(at, dict) else None
    return at


def _set(obj: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    name, _, rest = path.partition(".")
    return {**obj, name: _set(obj.get(name) or {}, rest, value) if rest else value}


def of(kind: Kind, obj: dict[str, Any]) -> dict[str, Any]:
    """The Scale of an object."""
    paths = _paths(kind)
    replicas = _get(obj, paths["spec"]) or 0
    state: dict[str, Any] = {"replicas": _get(obj, paths["status"]) or 0}
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


def _selector(kind: Kind, obj: dict[str, Any]) -> str:
    if kind.definition is not None:
        return ""
    selector = obj["spec"].get("selector") or {}
    if kind.kind == "ReplicationController":
        return str(labels.selector_from_set(selector))
    return str(labels.from_label_selector(selector))


def update(core: Core, kind: Kind, request: UpdateRequest) -> dict[str, Any]:
    """Scale an object to what a Scale says."""
    scale = decode.decode(request.obj, _API_VERSION, "Scale", "Ignore").object
    metadata = creating.metadata_of(scale)
    name = updating.check_name(metadata, request.name)
    key = key_of(creating.request_namespace(kind, metadata, request.namespace), name)
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    updating.check_uid(kind, key, existing, metadata.get("uid"))
    updating.check_version(kind, existing, metadata, required=False)
    return _write(core, kind, key, scale, dry_run=request.dry_run)


def patch(core: Core, kind: Kind, key: str, name: str, request: PatchRequest) -> dict[str, Any]:
    """Patch the Scale of an object."""
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    struct = schema.kind_struct(_API_VERSION, "Scale")
    wanted = updating.patched(of(kind, existing), request, struct)
    wanted = updating.checked(wanted, _API_VERSION, "Scale", request)
    metadata = creating.metadata_of(wanted)
    updating.check_name(metadata, name)
    updating.check_version(kind, existing, metadata, required=False)
    return _write(core, kind, key, wanted, dry_run=request.dry_run)


def _write(
    core: Core, kind: Kind, key: str, scale: dict[str, Any], *, dry_run: bool
) -> dict[str, Any]:
    existing = core.ledger.collection(kind).objects[key]
    replicas = (scale.get("spec") or {}).get("replicas") or 0
    if replicas < 0:
        if kind.definition is not None:
            path = f".{_paths(kind)['spec']}"
            problem = field.invalid(path, replicas, "should be a non-negative integer")
            raise status.invalid(existing, [problem])
        problem = field.invalid("spec.replicas", replicas, "must be greater than or equal to 0")
        raise status.invalid(of(kind, existing), [problem])
    wanted = _set(existing, _paths(kind)["spec"], replicas)
    scaled = updating.apply(core, kind, key, wanted, "", dry_run=dry_run)
    return of(kind, scaled)
