"""CustomResourceDefinitions: each one adds its kinds to the table, and takes them away again.

A definition is served once its names are accepted: no other definition of its group has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import kinds, timestamps
from kubestage.objects.custom import rows
from kubestage.store import definition_status, field_managers, replacing, rereading

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.deletion import DeleteOptions
    from kubestage.store.log import Change

DEFINITION: Final = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"
# Who the API server is in the records of who owns which field.
_SERVER: Final = "kube-apiserver"


def is_definition(kind: Kind) -> bool:
    """Whether objects of this kind define kinds."""
    return (kind.api_version, kind.kind) == DEFINITION


def observe(core: Core, change: Change) -> None:
    """Keep the kind table in step with the definitions, and accept names that became free."""
    old, new = change.old, change.new
    was_served = old is not None and rows.is_established(old)
    is_served = change.type != "DELETED" and rows.is_established(new)
    if not (was_served and is_served and old is not None and old["spec"] is new["spec"]):
        if was_served and old is not None:
            core.kinds.unregister(old)
        if is_served:
            for row in core.kinds.register(new):
                core.ledger.add_kind(row)
        if was_served and is_served and old is not None:
            _move(core, old, new)
            reread(core, new)
    if change.type == "DELETED":
        for name in _waiting(core, new["spec"]["group"]):
            _sync(core, change.kind, name)
    elif old is not None and old["spec"] is not new["spec"]:
        _sync(core, change.kind, change.key)


def _move(core: Core, old: Json, new: Json) -> None:
    """Bring objects into the version in which a changed definition stores them.

    What a webhook converts stays in the version in which it was written, until it is written again.
    """
    row = instances_kind(core, new)
    if row is None or row.conversion_webhook is not None:
        return
    had_webhook = (old["spec"].get("conversion") or {}).get("strategy") == "Webhook"
    if not had_webhook and _storage_version(old["spec"]) == _storage_version(new["spec"]):
        return
    stored = kinds.stored(row)
    collection = core.ledger.collection(row)
    for key in collection.keys(None):
        obj = collection.objects[key]
        if had_webhook and obj["apiVersion"] == stored.api_version:
            continue
        moved = {**obj, "apiVersion": stored.api_version, "metadata": dict(obj["metadata"])}
        core.put(stored, key, moved)


def reread(core: Core, definition: Json) -> None:
    """Read the objects of a definition as it is now."""
    row = instances_kind(core, definition)
    if row is not None:
        rereading.reread(core, row, definition["spec"])


def _waiting(core: Core, group: str) -> list[str]:
    """Definitions of a group that have not got all the names that they request."""
    return [
        name
        for name, each in core.read(DEFINITION).items()
        if each["spec"]["group"] == group
        and rows.condition(each, "NamesAccepted").get("status") == "False"
    ]


def first_status(spec: Json) -> Json:
    """The status of a definition whose names are not checked yet."""
    return {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": _storage_version(spec),
    }


def _storage_version(spec: Json) -> list[str]:
    return [each["name"] for each in spec.get("versions") or () if each.get("storage")][:1]


def with_stored_version(definition: Json) -> Json:
    """A changed definition that remembers every version in which objects were ever stored."""
    status = definition.get("status") or {}
    stored = status.get("storedVersions") or []
    added = [each for each in _storage_version(definition["spec"]) if each not in stored]
    if not added:
        return definition
    return {**definition, "status": {**status, "storedVersions": [*stored, *added]}}


def establish(core: Core, kind: Kind, created: Json) -> Json:
    """Look at a new definition's names, as a second version: the first is what create returns."""
    return _sync(core, kind, created["metadata"]["name"])


def _sync(core: Core, kind: Kind, name: str) -> Json:
    """Give a definition the status that its names deserve among those of its group."""
    objects = core.read(DEFINITION)
    existing = objects[name]
    group = existing["spec"]["group"]
    in_group = [each for each in objects.values() if each["spec"]["group"] == group]
    at = timestamps.format_time(core.clock.unix_ns)
    status = definition_status.status_of(existing, in_group, at)
    if status == existing["status"]:
        return existing
    updated = {**existing, "status": status}
    sent = field_managers.sent(existing)
    updated = field_managers.updated(core, kind, existing, updated, sent, _SERVER, "status", at)
    return replacing.write(core, kind, name, updated)


def terminate(core: Core, kind: Kind, existing: Json, request: DeleteOptions) -> Json | None:
    """The first step of a definition's end; None when its instances hold it no more."""
    metadata = existing["metadata"]
    finalizers = metadata.get("finalizers") or []
    if "deletionTimestamp" in metadata:
        return existing if FINALIZER in finalizers else None
    at = timestamps.format_time(core.clock.unix_ns)
    if FINALIZER not in finalizers:
        finalizers = [*finalizers, FINALIZER]
    ending = {
        **existing,
        "metadata": {**metadata, "deletionTimestamp": at, "finalizers": finalizers},
        "status": definition_status.ending(existing, at),
    }
    return replacing.write(core, kind, metadata["name"], ending, dry_run=request.dry_run)


def wait_for_instances(core: Core, name: str) -> None:
    """Write down that a definition is waiting for objects that are held, if it is."""
    existing = core.read(DEFINITION).get(name)
    if existing is None or FINALIZER not in (existing["metadata"].get("finalizers") or ()):
        return
    at = timestamps.format_time(core.clock.unix_ns)
    waiting = {**existing, "status": definition_status.waiting(existing, at)}
    replacing.write(core, core.kind(DEFINITION), name, waiting)


def finish(core: Core, name: str) -> None:
    """Let a definition without instances go."""
    row = core.kind(DEFINITION)
    existing = core.read(DEFINITION)[name]
    metadata = {**existing["metadata"]}
    metadata["finalizers"] = [each for each in metadata["finalizers"] if each != FINALIZER]
    if not metadata["finalizers"]:
        del metadata["finalizers"]
    replacing.replace(core, row, name, {**existing, "metadata": metadata})


def instances_kind(core: Core, definition: Json) -> Kind | None:
    """A row of the kinds that a definition serves; None if it serves none."""
    if not rows.is_established(definition):
        return None
    spec = definition["spec"]
    for version in spec["versions"]:
        row = core.kinds.by_plural(spec["group"], version["name"], spec["names"]["plural"])
        if row is not None:
            return row
    return None
