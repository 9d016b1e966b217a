"""Definitions of kinds that the store knows by itself, shown beside those that were created.

Clients that get, list or watch definitions see them. They are no objects of the store: no
version, journal, export or Scenario ever counts them, and they cannot be changed or deleted.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from kubestage.objects import defaulting, made_definitions, shape, timestamps
from kubestage.objects.validation import status
from kubestage.store import definition_status, definitions
from kubestage.store.collection import Collection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


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
        whole = Collection(stored.kind, stored.log)
        for key, obj in {**self._objects, **stored.objects}.items():
            whole.put(key, obj, None)
        return whole

    def refuse(self, kind: Kind, name: str, stored: Mapping[str, Json], did: str) -> None:
        """Refuse to change or delete one of these."""
        if self.get(kind, name) is not None and name not in stored:
            raise status.forbidden(kind, name, _OURS.format(did))


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
