"""The state that follows from changes: what was there at a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects import patches, schema
from kubestage.objects.patches import PatchError, PatchType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.sources.imported import Change, Reference

from kubestage.sources.imported import reference_of


class State:
    """Objects by name, to which changes happen."""

    def __init__(self, objects: Iterable[Json] = ()) -> None:
        self._objects = {reference_of(each).key: each for each in objects}

    def get(self, reference: Reference) -> Json | None:
        """The object as it is now."""
        return self._objects.get(reference.key)

    def objects(self) -> list[Json]:
        """All objects as they are now."""
        return list(self._objects.values())

    def put(self, reference: Reference, obj: Json) -> None:
        """An object is as this from now on."""
        self._objects[reference.key] = obj

    def remove(self, reference: Reference) -> bool:
        """An object is gone, and with a namespace all in it; returns whether it was there."""
        if self._objects.pop(reference.key, None) is None:
            return False
        if reference.kind == "Namespace":
            for key in [each for each in self._objects if each[2] == reference.name]:
                del self._objects[key]
        return True

    def apply(self, change: Change) -> bool:
        """Do what a change says; returns whether that was possible."""
        if change.verb == "delete":
            return self.remove(change.reference)
        assert change.object is not None
        if change.verb != "patch":
            self.put(change.reference, change.object)
            return True
        merged = self.patched(change.reference, PatchType.MERGE, change.object)
        if merged is not None:
            self.put(change.reference, merged)
        return merged is not None

    def patched(self, reference: Reference, form: PatchType, patch: Any) -> Json | None:
        """The object after a patch; None if it is not there, or the patch does not fit."""
        known = self.get(reference)
        if known is None:
            return None
        struct = schema.kind_struct(reference.api_version, reference.kind)
        if form is PatchType.STRATEGIC and struct is None:
            form = PatchType.MERGE
        try:
            found = patches.apply(form, known, patch, struct)
        except PatchError:
            return None
        return found if isinstance(found, dict) else None


def state_at(objects: Iterable[Json], changes: Iterable[Change], at_ns: int | None) -> list[Json]:
    """The objects at a moment; at the end of all changes if there is none."""
    state = State(objects)
    for change in changes:
        if at_ns is not None and change.at_ns > at_ns:
            break
        state.apply(change)
    return state.objects()
