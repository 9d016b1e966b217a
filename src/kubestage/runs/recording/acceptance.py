"""What a recording keeps of an object: cleaned, anonymised if requested, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects.patches import cleaning
from kubestage.sources.anonymising import authors
from kubestage.sources.imported import Reference, reference_of
from kubestage.sources.intake import Intake

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.anonymising.streamed_names import StreamedNaming
    from kubestage.sources.cleaning import Kept

_MOST_REJECTED: Final = 100_000


class Accepted(NamedTuple):
    """An object as it is recorded."""

    reference: Reference
    object: Json


class Write(NamedTuple):
    """The newest write by an object's managedFields: by which program, and when."""

    manager: str
    time: str


class Acceptance:
    """Cleans objects; what is left out is counted once, however often it changes."""

    def __init__(self, kept: Kept, naming: StreamedNaming | None) -> None:
        self.intake = Intake(kept)
        self.naming = naming
        self._uncounted = Intake(kept)
        self._seen: set[str] = set()

    def accepted(self, obj: Json, *, is_known: bool) -> Accepted | None:
        """What is kept of an object; None if that is nothing.

        `is_known` is whether it was accepted before, so that it is not counted again.
        """
        intake = self._uncounted if is_known or self._is_repeated(obj) else self.intake
        # A field that is null is not set; a merge patch could not make it null.
        found = intake.accepted(cleaning.without_nulls(obj))
        if found is None:
            self._remember(obj)
            return None
        if self.naming is None:
            return Accepted(reference_of(found), found)
        return Accepted(*self.naming.replaced(found))

    def reference(self, obj: Json) -> Reference:
        """The name under which an object is recorded."""
        names = obj["metadata"]
        reference = Reference(
            obj["apiVersion"], obj["kind"], names.get("namespace") or "", names["name"]
        )
        if self.naming is None:
            return reference
        bare = {"apiVersion": reference.api_version, "kind": reference.kind,
                "metadata": {"name": reference.name}}  # fmt: skip
        if reference.namespace:
            bare["metadata"] = {**names_of(reference)}
        return self.naming.replaced(bare)[0]

    def manager(self, name: str) -> str:
        """The name of a program as it is recorded."""
        return name if self.naming is None else authors.public_manager(name)

    def _is_repeated(self, obj: Json) -> bool:
        return bool(self._seen) and _uid(obj) in self._seen

    def _remember(self, obj: Json) -> None:
        if len(self._seen) < _MOST_REJECTED:
            self._seen.add(_uid(obj))


def names_of(reference: Reference) -> dict[str, str]:
    """The names of an object as its metadata has them."""
    return {"name": reference.name, "namespace": reference.namespace}


def newest_write(obj: Json) -> Write | None:
    """The newest write by its managedFields; None if there are none, or two at one time.

    Their times have whole seconds.
    """
    metadata = obj.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    newest: set[Write] = set()
    for each in entries if isinstance(entries, list) else ():
        if not isinstance(each, dict):
            continue
        found = Write(str(each.get("manager") or ""), str(each.get("time") or ""))
        known = max((write.time for write in newest), default="")
        if found.time > known:
            newest = {found}
        elif found.time == known:
            newest.add(found)
    return newest.pop() if len(newest) == 1 else None


def _uid(obj: Json) -> str:
    metadata = obj.get("metadata")
    return str(metadata.get("uid") or metadata) if isinstance(metadata, dict) else ""
