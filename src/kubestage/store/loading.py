"""Load: from what was recorded of another cluster to what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import conversion, names, strategy, timestamps
from kubestage.objects.validation import status
from kubestage.store import (
    creating,
    custom_resources,
    definitions,
    refusals,
    seeding,
    service_addresses,
)
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def load(core: Core, kind: Kind, obj: Json) -> Json:
    """Store an object as it was recorded; what the recording lacks is filled in as on create.

    What every cluster has from the start gives way to the recorded one.
    """
    namespace = creating.request_namespace(kind, creating.metadata_of(obj), None)
    now = timestamps.format_time(core.clock.unix_ns)
    shaped = conversion.to_stored(kind, creating.defaulted(kind, obj, now))
    metadata: Json = shaped["metadata"]
    name = metadata.get("name") or ""
    if namespace is not None:
        namespace = creating.admit_namespace(core, kind, name, namespace)
    creating.place(metadata, namespace)
    if not metadata.get("uid"):
        metadata["uid"] = names.uid(core.uids_for(kind))
    if not metadata.get("creationTimestamp"):
        metadata["creationTimestamp"] = now
    loaded = _completed(kind, shaped, now)
    problems = custom_resources.validate_create(kind, loaded)
    if problems:
        raise status.invalid(loaded, problems)
    loaded = strategy.stored(loaded)
    key = key_of(namespace, name)
    taken = core.ledger.collection(kind).objects.get(key)
    if taken is not None and not seeding.is_seeded(kind, name):
        raise refusals.already_exists(kind, taken)
    if taken is None:
        core.object_limit.check()
    stored = core.put(kind, key, {**loaded, "metadata": dict(loaded["metadata"])})
    if definitions.is_definition(kind) and not stored["status"].get("conditions"):
        return definitions.establish(core, kind, stored)
    return stored


def _completed(kind: Kind, shaped: Json, now: str) -> Json:
    """The recorded object, with what create would have set where nothing was recorded."""
    prepared = custom_resources.prepare_for_create(kind, shaped, now)
    completed = {**prepared, "metadata": {**prepared["metadata"], **shaped["metadata"]}}
    if shaped.get("status"):
        completed["status"] = {**prepared.get("status", {}), **shaped["status"]}
    if kind.kind == "Pod" and not kind.group:
        # Preparing a pod twice would double what the first time merged into its selectors.
        completed["spec"] = shaped["spec"]
    elif kind.kind == "Service" and not kind.group:
        completed["spec"] = service_addresses.as_read(completed["spec"])
    return completed
