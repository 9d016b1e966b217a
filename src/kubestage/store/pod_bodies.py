"""What pods have in common however their names and labels differ: spec and status.

Equal specs are kept once, and so is what becomes of them when pods are bound: one spec for each
node, one status for each moment. With a million pods from a few templates, a pod then is little
more than its metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.store.outlines import outline

if TYPE_CHECKING:
    from collections.abc import Sequence


_encode: Final = msgspec.json.Encoder().encode


class PodBody(msgspec.Struct, eq=False):
    """A spec with the status that pods of it begin with, as `templates` of them share it.

    `on` is the spec by node, copied from `placed`; `bound_status` is the status of pods that were
    bound at the moment `bound_ns`.
    """

    key: bytes
    spec: Json
    status: Json | None
    placed: Json
    templates: int = 0
    on: dict[str, Json] = {}
    bound_ns: int = -1
    bound_status: Json | None = None


class PodBodies:
    """All bodies in use.

    `by_spec` has them by the id of their spec: a body keeps it alive, so no other has the same.
    """

    def __init__(self, bodies: Sequence[PodBody] = ()) -> None:
        self._by_key = {each.key: each for each in bodies}
        self.by_spec = {id(each.spec): each for each in bodies}
        self._count = sum(len(each.on) for each in bodies)

    def __reduce__(self) -> tuple[type[PodBodies], tuple[list[PodBody]]]:
        """In a copy, specs have other ids."""
        return PodBodies, (list(self._by_key.values()),)

    def share(self, pod: Json) -> PodBody:
        """The body of a pod that becomes a template; it is kept until released as often."""
        spec, status = pod["spec"], pod.get("status")
        key = _encode((spec, status))
        found = self._by_key.get(key)
        if found is None:
            placed = outline({**spec, "nodeName": ""})
            found = self._by_key[key] = PodBody(key, spec, status, placed)
            self.by_spec[id(spec)] = found
        found.templates += 1
        return found

    def release(self, body: PodBody) -> None:
        """A template is no longer in use."""
        body.templates -= 1
        if not body.templates:
            del self._by_key[body.key]
            self.by_spec.pop(id(body.spec), None)
            self._count -= len(body.on)

    def put_on(self, body: PodBody, node: str, most: int) -> Json:
        """The spec of all pods of a body on a node; no more than `most` such specs are kept.

        NOTE: saves a quarter of a kilobyte for each pod but the first (benchmarks/store.py).
        """
        if self._count > most:
            # Some are of nodes or pods that are gone.
            for each in self._by_key.values():
                each.on.clear()
            self._count = 0
        body.on[node] = placed = body.placed.copy()
        placed["nodeName"] = node
        self._count += 1
        return placed
