"""Changes of inputs after they were read, so that many runs share one reading of the files.

``stage_inputs`` and ``config_file`` apply those of the block that they are called in. Objects are
copied where they change; all others stay the same.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import fnmatch
import functools
import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.files import pinned
from kubestage.runs.inputs import field_paths
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.inputs.field_paths import Parts
    from kubestage.runs.inputs.manifests import LoadedManifests


class ObjectTarget(msgspec.Struct, frozen=True):
    """Objects by kind and name; the name may have wildcards. Without a namespace, of any."""

    kind: str
    name: str
    namespace: str | None = None

    def matches(self, obj: Any) -> bool:
        """Whether an object is one of them."""
        if not isinstance(obj, dict) or obj.get("kind") != self.kind:
            return False
        metadata = obj.get("metadata") or {}
        name, namespace = metadata.get("name"), metadata.get("namespace") or "default"
        if self.namespace not in (None, namespace):
            return False
        return name == self.name or fnmatch.fnmatchcase(str(name), self.name)


class ObjectEdit(msgspec.Struct, frozen=True):
    """A field of objects, and its value."""

    target: ObjectTarget
    parts: tuple[str | int, ...]
    value: Any


class ConfigEdit(msgspec.Struct, frozen=True):
    """A field of the scheduler's configuration, and its value."""

    parts: tuple[str | int, ...]
    value: Any


class Edits(msgspec.Struct, frozen=True):
    """All changes of one run."""

    objects: tuple[ObjectEdit, ...] = ()
    config: tuple[ConfigEdit, ...] = ()


_NONE: Final = Edits()
_CURRENT: Final[contextvars.ContextVar[Edits]] = contextvars.ContextVar("edits", default=_NONE)


@contextlib.contextmanager
def applied(edits: Edits) -> Iterator[None]:
    """Let inputs that are read in this block be changed."""
    token = _CURRENT.set(edits)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class _Place(NamedTuple):
    """The place of an object: which document or import, and where in it."""

    is_imported: bool
    at: int
    parts: Parts


def manifests(loaded: LoadedManifests, key: Hashable) -> LoadedManifests:
    """What was read, as it is to be in this block; a copy if files are pinned, as `loaded` is kept
    for other runs then. `key` identifies it there.
    """
    if pinned.current() is None:
        return loaded
    documents, imported = list(loaded.documents), list(loaded.imported)
    for edit in _CURRENT.get().objects:
        find = functools.partial(_places, loaded, edit)
        for is_imported, at, parts in pinned.once((key, edit.target, edit.parts), find):
            whole = (*parts, *edit.parts)
            if is_imported:
                scenario = field_paths.replaced(imported[at].scenario, whole, edit.value)
                imported[at] = imported[at]._replace(scenario=scenario)
            else:
                obj = field_paths.replaced(documents[at].object, whole, edit.value)
                documents[at] = msgspec.structs.replace(documents[at], object=obj)
    return dataclasses.replace(
        loaded,
        documents=documents,
        imported=imported,
        locators=dict(loaded.locators),
        notes=list(loaded.notes),
    )


def _places(loaded: LoadedManifests, edit: ObjectEdit) -> list[_Place]:
    documents = ((False, at, each.object) for at, each in enumerate(loaded.documents))
    imported = ((True, at, each.scenario) for at, each in enumerate(loaded.imported))
    return [
        _Place(is_imported, at, parts)
        for is_imported, at, whole in itertools.chain(documents, imported)
        for parts, obj in objects_in(whole)
        if edit.target.matches(obj) and field_paths.takes(obj, edit.parts)
    ]


def objects_in(obj: Json) -> Iterator[tuple[Parts, Json]]:
    """An object, and those that the events of a Scenario create, with their places in it."""
    yield (), obj
    if not resource.is_scenario(obj):
        return
    spec = obj.get("spec")
    for name in ("events", "operations"):
        events = spec.get(name) if isinstance(spec, dict) else None
        for at, event in enumerate(events if isinstance(events, list) else ()):
            body = event.get("createOperation") if isinstance(event, dict) else None
            found = body.get("object") if isinstance(body, dict) else None
            if isinstance(found, dict):
                yield ("spec", name, at, "createOperation", "object"), found


def config_edits() -> Sequence[ConfigEdit]:
    """Changes of the scheduler's configuration in this block."""
    return _CURRENT.get().config
