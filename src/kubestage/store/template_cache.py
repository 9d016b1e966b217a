"""Preparing an object once for all that differ from it only in who they are.

A simulated cluster creates a hundred thousand pods from a handful of templates. Defaulting,
admission and validation of a pod look at nothing but its template, so their result is kept and
shared: one spec in memory, however many pods carry it. Only pods are treated so: other kinds are
few, or, like jobs, are prepared with their uid in hand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.store.outlines import outline
from kubestage.store.pod_bodies import PodBodies, PodBody

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind


_encode: Final = msgspec.json.Encoder().encode
_IDENTITY: Final = ("name", "generateName", "namespace")
_STAMPED: Final = frozenset({*_IDENTITY, "uid", "creationTimestamp", "resourceVersion"})
# Names that surely are valid; any other takes the full path, which words refusals.
_plain_name: Final = re.compile("[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?").fullmatch
# How long the keys of all templates together may be.
_MOST_BYTES: Final = 64 << 20
_plain_base: Final = re.compile("[a-z0-9][-a-z0-9]{0,57}").fullmatch


class CachedTemplate(msgspec.Struct, frozen=True):
    """A prepared object without identity, to be copied.

    `pod` has a place for the metadata, which are `named` or, with a ``generateName``,
    `generated`, and have places for what differs between siblings. `only_at` is the one moment at
    which the template is true: preparation may write down the time, as it does for pods behind a
    scheduling gate.
    """

    body: PodBody
    pod: Json
    named: Json
    generated: Json
    only_at: str | None
    stamped: dict[str, list[Json]]

    def entries_at(self, now: str) -> list[Json]:
        """The managedFields of a sibling made now; those of one moment share theirs."""
        entries = self.stamped.get(now)
        if entries is None:
            entries = [{**entry, "time": now} for entry in self.named["managedFields"]]
            self.stamped.clear()
            self.stamped[now] = entries
        return entries


class TemplateCache:
    """The templates used last."""

    def __init__(self, size: int = 1024) -> None:
        self._size = size
        self._templates: dict[bytes, CachedTemplate] = {}
        self._bytes = 0
        self.bodies = PodBodies()

    def key(self, kind: Kind, obj: Json, manager: str = "") -> bytes | None:
        """What an object has in common with its siblings; None if it must go the full path."""
        metadata = obj.get("metadata")
        if kind.kind != "Pod" or kind.group or type(metadata) is not dict:
            return None
        if not _has_plain_identity(metadata):
            return None
        if "uid" in metadata:
            shared = _in_place(metadata)
        else:
            shared = {name: item for name, item in metadata.items() if name not in _IDENTITY}
        try:
            if not manager:
                return _encode({**obj, "metadata": shared})
            if "managedFields" in metadata:
                return None
            # Whether a name is made up is a fact that its creator owns.
            creator = [manager, "generateName" in metadata]
            return _encode([{**obj, "metadata": shared}, creator])
        except (TypeError, ValueError):
            return None

    def get(self, key: bytes, now: str) -> CachedTemplate | None:
        """The template of a key, which is now the one used last."""
        found = self._templates.pop(key, None)
        if found is None:
            return None
        if found.only_at is not None and found.only_at != now:
            self._bytes -= len(key)
            self.bodies.release(found.body)
            return None
        self._templates[key] = found
        return found

    def add(self, key: bytes, obj: Json, prepared: Json, now: str) -> Json:
        """Keep a prepared object for its siblings, and drop the one not used for longest.

        Returns the object with the parts that it shares.
        """
        body = self.bodies.share(prepared)
        pod = {**prepared, "metadata": {}, "spec": body.spec}
        if body.status is not None:
            pod["status"] = body.status
        only_at = now if (body.status or {}).get("conditions") else None
        named, generated = _metadata(obj, prepared["metadata"])
        self._templates[key] = CachedTemplate(body, outline(pod), named, generated, only_at, {})
        self._bytes += len(key)
        while len(self._templates) > self._size or (
            self._bytes > _MOST_BYTES and len(self._templates) > 1
        ):
            oldest = next(iter(self._templates))
            self._bytes -= len(oldest)
            self.bodies.release(self._templates.pop(oldest).body)
        return {**pod, "metadata": prepared["metadata"]}

    def clear(self) -> None:
        """Forget everything: what admission reads has changed."""
        self._templates.clear()
        self._bytes = 0
        self.bodies = PodBodies()

    def __len__(self) -> int:
        return len(self._templates)


def _has_plain_identity(metadata: Json) -> bool:
    name, base = metadata.get("name"), metadata.get("generateName")
    if name is not None and not (type(name) is str and _plain_name(name)):
        return False
    if base is not None and not (type(base) is str and _plain_base(base)):
        return False
    return bool(name or base) and type(metadata.get("uid", "")) is str


def _in_place(metadata: Json) -> Json:
    """Metadata with the identity blanked out where it is.

    Objects that bring a uid of their own, as recorded ones do, are stored with their fields in
    the order in which they came, so only those of one order are siblings.
    """
    return {
        name: bool(item) if name in _IDENTITY or name == "uid" else item
        for name, item in metadata.items()
    }


def _metadata(obj: Json, prepared: Json) -> tuple[Json, Json]:
    """The metadata of siblings that have a name, and of those that have it made up."""
    if "uid" in obj["metadata"]:
        whole = outline(prepared)
        return whole, whole
    shared = {name: item for name, item in prepared.items() if name not in _STAMPED}
    stamped = {"namespace": "", "uid": "", "creationTimestamp": "", **shared}
    named, generated = {"name": "", **stamped}, {"name": "", "generateName": "", **stamped}
    return outline(named), outline(generated)
