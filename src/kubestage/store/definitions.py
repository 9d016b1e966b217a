"""CustomResourceDefinitions: each one adds its kinds to the table, and takes them away again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import timestamps
from kubestage.store import replacing

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.deletion import DeleteOptions
    from kubestage.store.log import Change

DEFINITION: Final = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"


def is_definition(kind: Kind) -> bool:
    """Whether objects of this kind define kinds."""
    return (kind.api_version, kind.kind) == DEFINITION


def observe(core: Core, change: Change) -> None:
    """Keep the kind table in step with the definitions."""
    if change.old is not None:
        if change.type != "DELETED" and change.old["spec"] is change.new["spec"]:
            return
        core.kinds.unregister(change.old)
    if change.type != "DELETED":
        core.kinds.register(change.new)


def first_status(spec: dict[str, Any]) -> dict[str, Any]:
    """The status of a definition whose names nobody has looked at yet."""
    return {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": _stored_versions(spec),
    }


def _stored_versions(spec: dict[str, Any]) -> list[str]:
    return [each["name"] for each in spec.get("versions") or () if each.get("storage")]


def establish(core: Core, kind: Kind, created: dict[str, Any]) -> dict[str, Any]:
    """Accept a new definition's names, as a second version: the first is what create returns."""
    at = timestamps.format_time(core.clock.unix_ns)
    conditions = [
        _condition("NamesAccepted", "NoConflicts", "no conflicts found", at),
        _condition(
            "Established", "InitialNamesAccepted", "the initial names have been accepted", at
        ),
    ]
    spec = created["spec"]
    status = {
        **(created.get("status") or {}),
        "acceptedNames": spec["names"],
        "conditions": conditions,
        "storedVersions": _stored_versions(spec),
    }
    established = {**created, "status": status}
    return replacing.write(core, kind, created["metadata"]["name"], established)


def terminate(
    core: Core, kind: Kind, existing: dict[str, Any], request: DeleteOptions
) -> dict[str, Any] | None:
    """The first step of a definition's end; None when its instances hold it no more."""
    metadata = existing["metadata"]
    finalizers = metadata.get("finalizers") or []
    if "deletionTimestamp" in metadata:
        return existing if FINALIZER in finalizers else None
    at = timestamps.format_time(core.clock.unix_ns)
    text = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
    status = existing.get("status") or {}
    pending = _condition("Terminating", "InstanceDeletionPending", text, at)
    kept = [each for each in status.get("conditions") or () if each["type"] != "Terminating"]
    ending = {
        **existing,
        "metadata": {**metadata, "deletionTimestamp": at, "finalizers": [*finalizers, FINALIZER]},
        "status": {**status, "conditions": [*kept, pending]},
    }
    return replacing.write(core, kind, metadata["name"], ending, dry_run=request.dry_run)


def finish(core: Core, name: str) -> None:
    """Let a definition without instances go."""
    row = core.kind(DEFINITION)
    existing = core.read(DEFINITION)[name]
    metadata = {**existing["metadata"]}
    metadata["finalizers"] = [each for each in metadata["finalizers"] if each != FINALIZER]
    if not metadata["finalizers"]:
        del metadata["finalizers"]
    replacing.replace(core, row, name, {**existing, "metadata": metadata})


def instances_kind(core: Core, definition: dict[str, Any]) -> Kind | None:
    """A row of the kinds that a definition serves."""
    spec = definition["spec"]
    for version in spec["versions"]:
        row = core.kinds.by_plural(spec["group"], version["name"], spec["names"]["plural"])
        if row is not None:
            return row
    return None


def _condition(type_name: str, reason: str, message: str, at: str) -> dict[str, Any]:
    return {
        "type": type_name,
        "status": "True",
        "lastTransitionTime": at,
        "reason": reason,
        "message": message,
    }
