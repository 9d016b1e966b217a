"""The last states of many objects, in little memory: compressed, and read when one changes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.sources.imported import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

NAMESPACE: Final = "Namespace"
# NOTE: a pod of 3 kB takes 0.9 kB, and 40 us to pack and unpack (`benchmarks/record.py`).
_LEVEL: Final = 1


class LastStates:
    """Objects by name, each as it was last."""

    def __init__(self) -> None:
        self._packed: dict[tuple[str, str], dict[tuple[str, str], tuple[str, bytes]]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._packed.values()))

    def __contains__(self, reference: Reference) -> bool:
        return (reference.namespace, reference.name) in self._of(reference)

    def counts(self) -> dict[str, int]:
        """How many objects of a kind there are."""
        return {kind: len(found) for (_, kind), found in sorted(self._packed.items()) if found}

    def get(self, reference: Reference) -> Json | None:
        """The last state of an object."""
        found = self._of(reference).get((reference.namespace, reference.name))
        return None if found is None else msgspec.json.decode(zlib.decompress(found[1]))

    def put(self, reference: Reference, obj: Json) -> None:
        """An object is as this from now on."""
        packed = zlib.compress(msgspec.json.encode(obj), _LEVEL)
        at = reference.namespace, reference.name
        self._of(reference)[at] = (reference.api_version, packed)

    def remove(self, reference: Reference) -> list[tuple[Reference, Json]] | None:
        """An object is gone, and with a namespace all in it, which is returned; None if it was
        not there.
        """
        if self._of(reference).pop((reference.namespace, reference.name), None) is None:
            return None
        if reference.kind != NAMESPACE or reference.api_version != "v1":
            return []
        inside = [each for each in self.references() if each.namespace == reference.name]
        gone: list[tuple[Reference, Any]] = [(each, self.get(each)) for each in inside]
        for each in inside:
            del self._of(each)[each.namespace, each.name]
        return gone

    def references(self, group: str | None = None, kind: str = "") -> list[Reference]:
        """The names of all objects, or of those of one kind."""
        tables = self._packed.items()
        return [
            Reference(api_version, of[1], *names)
            for of, found in tables
            if group is None or of == (group, kind)
            for names, (api_version, _) in found.items()
        ]

    def raw(self) -> Iterator[tuple[Reference, msgspec.Raw]]:
        """All objects as JSON, by kind and name."""
        for (_, kind), found in sorted(self._packed.items()):
            for (namespace, name), (api_version, packed) in sorted(found.items()):
                reference = Reference(api_version, kind, namespace, name)
                yield reference, msgspec.Raw(zlib.decompress(packed))

    def objects(self) -> list[Json]:
        """All objects, by kind and name."""
        return [msgspec.json.decode(raw) for _, raw in self.raw()]

    def _of(self, reference: Reference) -> dict[tuple[str, str], tuple[str, bytes]]:
        group = reference.api_version.rpartition("/")[0]
        return self._packed.setdefault((group, reference.kind), {})
