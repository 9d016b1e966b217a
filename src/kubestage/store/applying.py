"""Server-side apply: from a configuration to the next version of what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.errors import BadRequest
from kubestage.objects import conversion, decode
from kubestage.objects.ownership import checking, tracking
from kubestage.objects.validation import field, status
from kubestage.store import creating, field_managers, patching, policies, updating
from kubestage.store.admission import caller as callers

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from kubestage.aliases import Json
    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind
    from kubestage.objects.ownership.topology import Atom
    from kubestage.store.core import Core


class ApplyRequest(NamedTuple):
    """An apply PATCH; what the API warns of is added to `warnings`.

    `repeated` says which keys its text sets twice.
    """

    config: Json
    manager: str
    force: bool
    subresource: str
    dry_run: bool
    field_validation: FieldValidation | None
    warnings: MutableSequence[str] | None
    repeated: str = ""


class Applied(NamedTuple):
    """The object that an apply left behind, and whether it was not there before."""

    object: Json
    created: bool


def apply(core: Core, kind: Kind, key: str, name: str, request: ApplyRequest) -> Applied:
    """Bring an object into the state of a configuration."""
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None and request.subresource:
        raise status.not_found(kind, name)
    seen = field_managers.view(core, kind, request.subresource)
    check(kind.api_version, kind.kind, seen.atom, request)
    empty = field_managers.empty(kind)
    live = empty if existing is None else conversion.to_served(kind, existing)
    writer = tracking.Writer(request.manager, request.subresource, callers.time_of_write(core))
    applied = tracking.applied(seen, live, request.config, empty, writer, force=request.force)
    _check_repeated(request)
    desired = live if applied.object is None else _decoded(kind, applied.object, request)
    desired = field_managers.with_entries(desired, applied.entries)
    metadata = creating.metadata_of(desired)
    namespace = key.partition("/")[0] if kind.namespaced else None
    if existing is None:
        _check_no_uid(kind, name, metadata)
    creating.request_namespace(kind, metadata, namespace)
    updating.check_name(metadata, name)
    if existing is None:
        fresh = creating.create(
            core, kind, desired, namespace, dry_run=request.dry_run, advice=request.warnings
        )
        return Applied(fresh, created=True)
    updating.check_version(kind, existing, metadata, required=False)
    change = updating.UpdateContext(
        request.subresource, request.dry_run, is_tracked=True, warnings=request.warnings
    )
    return Applied(updating.write(core, kind, key, desired, change), created=False)


def check(api_version: str, kind: str, atom: Atom, request: ApplyRequest) -> None:
    """Refuse a configuration that is none: without a manager, of another kind, or misshapen."""
    config = request.config
    if not request.manager:
        problem = field.required("fieldManager", "is required for apply patch")
        raise status.invalid({"apiVersion": "meta.k8s.io/v1", "kind": "PatchOptions"}, [problem])
    if not isinstance(config, dict):
        raise BadRequest(_not_an_object(config))
    shown = _type_text(config)
    if (config.get("apiVersion"), config.get("kind")) != (api_version, kind):
        raise BadRequest(f"invalid object type: {shown}")
    metadata = config.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    if fields.get("managedFields") is not None:
        raise BadRequest("metadata.managedFields must be nil")
    misfits = checking.check(atom, config)
    if misfits:
        who = f"{fields.get('namespace') or ''}/{fields.get('name') or ''}; {shown}"
        raise BadRequest(f"failed to create typed patch object ({who}): {checking.text(misfits)}")


def _check_repeated(request: ApplyRequest) -> None:
    """Refuse, or warn of, keys that the text of a configuration sets twice."""
    if not request.repeated:
        return
    problem = f"error converting YAML to JSON: {request.repeated}"
    if request.field_validation == "Strict":
        raise BadRequest(f"error strict decoding YAML: {problem}")
    if request.field_validation == "Warn" and request.warnings is not None:
        request.warnings.append(problem)


def _not_an_object(config: Any) -> str:
    if config is None:
        return f"invalid object type: {_type_text({})}"
    shown = patching.GO_NAMES.get(type(config), "number")
    return (
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
        f"{shown} into Go value of type map[string]interface {{}}"
    )


def _type_text(config: Json) -> str:
    api_version, kind = config.get("apiVersion"), config.get("kind")
    version = api_version if isinstance(api_version, str) else ""
    group, _, rest = version.rpartition("/")
    return f"{group}/{rest}, Kind={kind if isinstance(kind, str) else ''}"


def _decoded(kind: Kind, desired: Json, request: ApplyRequest) -> Json:
    """The merged object, if its values are what their fields can hold."""
    if request.field_validation is None or policies.is_custom(kind):
        return desired
    whole = {**desired, "apiVersion": kind.api_version, "kind": kind.kind}
    decoded = decode.decode(whole, kind.api_version, kind.kind, request.field_validation)
    if request.warnings is not None:
        request.warnings.extend(decoded.warnings)
    return decoded.object


def _check_no_uid(kind: Kind, name: str, metadata: Json) -> None:
    uid = metadata.get("uid")
    if uid:
        why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was"
        raise status.conflict(kind, name, f"{why} found")
