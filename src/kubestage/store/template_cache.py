"""Preparing an object once for all that differ from it only in who they are.

A simulated cluster creates a hundred thousand pods from a handful of templates. Defaulting,
admission and validation of a pod look at nothing but its template, so their result is kept and
shared: one spec in memory, however many pods carry it. Only pods are treated so: other kinds are
few, or, like jobs, are prepared with their uid in hand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind

_encode: Final = msgspec.json.Encoder().encode
_IDENTITY: Final = ("name", "generateName", "namespace")
_STAMPED: Final = frozenset({*_IDENTITY, "uid", "creationTimestamp", "resourceVersion"})
# Names that surely are valid; any other takes the full path, which words refusals.
_plain_name: Final = re.compile("[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?").fullmatch
_plain_base: Final = re.compile("[a-z0-9][-a-z0-9]{0,57}").fullmatch


class Template(NamedTuple):
    """A prepared object without identity. `body` has a place for the metadata.

    `only_at` is the one moment at which the template is true: preparation may write down the
    time, as it does for pods behind a scheduling gate.
    """

    body: dict[str, Any]
    metadata: dict[str, Any]
    only_at: str | None


class TemplateCache:
    """The templates used last."""

    def __init__(self, size: int = 1024) -> None:
        self._size = size
        self._templates: dict[bytes, Template] = {}

    def key(self, kind: Kind, obj: dict[str, Any]) -> bytes | None:
        """What an object has in common with its siblings; None if it must go the full path."""
        metadata = obj.get("metadata")
        if kind.kind != "Pod" or kind.group or type(metadata) is not dict:
            return None
        if not _has_plain_identity(metadata):
            return None
        shared = {name: item for name, item in metadata.items() if name not in _IDENTITY}
        try:
            return _encode({**obj, "metadata": shared})
        except (TypeError, ValueError):
            return None

    def get(self, key: bytes, now: str) -> Template | None:
        """The template of a key, which is now the one used last."""
        found = self._templates.pop(key, None)
        if found is None or found.only_at not in (None, now):
            return None
        self._templates[key] = found
        return found

    def add(self, key: bytes, prepared: dict[str, Any], now: str) -> None:
        """Keep a prepared object for its siblings, and drop the one not used for longest."""
        metadata = {k: v for k, v in prepared["metadata"].items() if k not in _STAMPED}
        only_at = now if prepared.get("status", {}).get("conditions") else None
        self._templates[key] = Template({**prepared, "metadata": {}}, metadata, only_at)
        if len(self._templates) > self._size:
            del self._templates[next(iter(self._templates))]

    def clear(self) -> None:
        """Forget everything: what admission reads has changed."""
        self._templates.clear()

    def __len__(self) -> int:
        return len(self._templates)


def _has_plain_identity(metadata: dict[str, Any]) -> bool:
    name, base = metadata.get("name"), metadata.get("generateName")
    if name is not None and not (type(name) is str and _plain_name(name)):
        return False
    if base is not None and not (type(base) is str and _plain_base(base)):
        return False
    return bool(name or base)
