"""Definitions of kinds that the store knows by itself, shown beside those that were created.

Clients that get, list or watch definitions see them. They are no objects of the store: no
version, journal, export or Scenario ever counts them, and they cannot be changed or deleted. Those
of other projects can be installed, as their charts do: what is created, or changed, is stored.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from kubestage.objects import defaulting, made_definitions, shape, timestamps
from kubestage.objects.validation import status
from kubestage.store import creating, definition_status, definitions
from kubestage.store.collection import Collection

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


_OWN_GROUPS: Final = frozenset({"kubestage.dev", "simulation.kube-scheduler-simulator.x-k8s.io"})
_OURS: Final = "kubestage serves this kind by itself: its definition cannot be {}"


class ShownDefinitions:
    """The definitions, by name, as of the moment at which the cluster came up."""

    def __init__(self, core: Core) -> None:
        at = timestamps.format_time(core.clock.unix_ns)
        version = str(core.ledger.revision)
        definitions_made = (
            _established(each, at, version) for each in made_definitions.all_of_ours()
        )
        self._objects: dict[str, Json] = {
            each["metadata"]["name"]: each for each in definitions_made
        }

    def get(self, kind: Kind, name: str) -> Json | None:
        """The definition of a name, if it is one of these."""
        return self._objects.get(name) if definitions.is_definition(kind) else None

    def with_shown(self, stored: Collection) -> Collection:
        """All definitions, as a collection to be read; what happens to it is in the same log.

        Of two with one name, the one that was created is shown.
        """
        if not definitions.is_definition(stored.kind):
            return stored
        whole = Collection(stored.kind, stored.log, {})
        for key, obj in {**self._objects, **stored.objects}.items():
            whole.put(key, obj, None)
        return whole

    def installable(self, kind: Kind, name: str) -> Json | None:
        """A definition as another project would install it; None if it is of ours, or of none."""
        found = self.get(kind, name)
        if found is None or found["spec"]["group"] in _OWN_GROUPS:
            return None
        metadata = {key: found["metadata"][key] for key in ("name", "annotations")
                    if key in found["metadata"]}  # fmt: skip
        return {**found, "metadata": metadata, "status": {}}

    def refuse(self, core: Core, kind: Kind, name: str, did: str, *, creates: bool) -> None:
        """Refuse to change or delete one of these; to change one of others is to install it."""
        if self.get(kind, name) is None or name in core.ledger.collection(kind).objects:
            return
        found = self.installable(kind, name)
        if found is None or did != "changed":
            raise status.forbidden(kind, name, _OURS.format(did))
        if not creates:
            creating.create(core, kind, found, None, dry_run=False)


def _established(written: Json, at: str, version: str) -> Json:
    copied: Json = shape.copy_json(written)
    obj = defaulting.stored(copied, now=at)
    name: str = obj["metadata"]["name"]
    obj["metadata"] |= {
        "uid": _uid(name),
        "creationTimestamp": at,
        "generation": 1,
        "resourceVersion": version,
    }
    obj["status"] = definitions.first_status(obj["spec"])
    obj["status"] = definition_status.status_of(obj, [], at)
    return obj


def _uid(name: str) -> str:
    """The same for the same kind on every server."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return "-".join((digest[:8], digest[8:12], f"5{digest[13:16]}", f"8{digest[17:20]}",
                     digest[20:32]))  # fmt: skip
