"""An import in which nothing identifies who runs the cluster."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.sources import canonical_kinds
from kubestage.sources.anonymising import authors
from kubestage.sources.anonymising.replaced_names import ReplacedNames
from kubestage.sources.anonymising.walking import Walker
from kubestage.sources.imported import Imported, Reference, reference_of
from kubestage.sources.intake import MISFIT_NOTE

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.imported import Change

_CUSTOM: Final = "custom resources"
# A first walk replaces nothing, so that each name has its place among all of them.
_WALKS: Final = 2


def anonymise(imported: Imported, key: bytes) -> Imported:
    """The same cluster with other names; the same key gives the same hashes."""
    names = ReplacedNames(key)
    walker = Walker(names)
    for walk in range(_WALKS):
        if walk:
            names.replace()
        objects = [_object(each, walker) for each in imported.objects]
        changes = [_change(each, walker, names) for each in imported.changes]
    return Imported(
        objects=objects,
        changes=changes,
        origins=imported.origins,
        left_out=left_out(imported.left_out),
        notes=_notes(imported),
    )


def _object(obj: Json, walker: Walker) -> Json:
    return walker.object(obj, obj["kind"], obj["apiVersion"].rpartition("/")[0])


def _change(change: Change, walker: Walker, names: ReplacedNames) -> Change:
    reference = change.reference
    obj: Any = change.object
    if obj is not None:
        group = reference.api_version.rpartition("/")[0]
        obj = walker.object(obj, reference.kind, group)
    if obj is not None and "metadata" in obj and "name" in obj["metadata"]:
        replaced = reference_of({**obj, "apiVersion": reference.api_version,
                                 "kind": reference.kind})  # fmt: skip
    else:
        replaced = Reference(
            reference.api_version,
            reference.kind,
            names.name("namespace", reference.namespace),
            names.name(reference.kind.lower(), reference.name),
        )
    return msgspec.structs.replace(
        change,
        object=obj,
        reference=replaced,
        user=authors.user(change.user, names),
        manager=authors.public_manager(change.manager),
    )


def left_out(
    counted: collections.Counter[tuple[str, str]],
) -> collections.Counter[tuple[str, str]]:
    """What is missing, without the names of private kinds."""
    found: collections.Counter[tuple[str, str]] = collections.Counter()
    for (kind, reason), count in counted.items():
        is_custom = reason == canonical_kinds.NOT_SIMULATED
        found[_CUSTOM if is_custom else kind, reason] += count
    return found


def _notes(imported: Imported) -> list[str]:
    """Notes that name no file and no object."""
    sources = (MISFIT_NOTE, *(each.source for each in imported.origins if each.source))
    return [each for each in imported.notes if not each.startswith(sources)]
