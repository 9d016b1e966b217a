"""How the fields of every manager change when an object is updated or applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.objects.ownership import collecting, comparing, conflicts, field_set, merging, values
from kubestage.objects.ownership.managers import Owned

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.ownership.comparing import FieldComparison
    from kubestage.objects.ownership.field_set import FieldSet
    from kubestage.objects.ownership.filters import Filter
    from kubestage.objects.ownership.managers import ManagerIdentity, Managers
    from kubestage.objects.ownership.topology import Atom


class Other(NamedTuple):
    """Another version of a kind: its shape, and how an object is written in it."""

    atom: Atom
    convert: Callable[[Json], Json]


class OwnershipView(NamedTuple):
    """How a request sees objects: in which version, of which shape, and what it cannot change.

    `other` gives another version of the kind, None if that is not served. A kind
    whose shape may change while it is served is not `stable`.
    """

    api_version: str
    atom: Atom
    filter: Filter
    other: Callable[[str], Other | None]
    stable: bool = True

    def shape(self, api_version: str) -> Atom | None:
        """The shape of the kind in a version, None if that is not served."""
        if api_version == self.api_version:
            return self.atom
        other = self.other(api_version)
        return None if other is None else other.atom

    def compare(self, atom: Atom, live: Json, new: Json) -> FieldComparison:
        """What this request changes, but for what it cannot."""
        # NOTE: parts that are equal or do not count are not walked; most writes change one of
        # three. Where types are not fixed, only the walk knows 1 from true.
        skipped = set(self.filter.parts)
        if self.stable:
            skipped.update(key for key in live if key in new and live[key] == new[key])
        found = comparing.compare(
            atom,
            {key: part for key, part in live.items() if key not in skipped},
            {key: part for key, part in new.items() if key not in skipped},
        )
        return comparing.FieldComparison(*(self.filter.of(fields) for fields in found))


def update(
    view: OwnershipView, live: Json, new: Json, managers: Managers
) -> tuple[Managers, FieldSet]:
    """The managers after an update, and the fields that it changed, which become the writer's."""
    comparison = view.compare(view.atom, live, new)
    left = _left(view, comparison, live, new, managers, None, force=True)
    return left, field_set.union(comparison.modified, comparison.added)


def apply(
    view: OwnershipView,
    live: Json,
    config: Json,
    managers: Managers,
    who: ManagerIdentity,
    *,
    force: bool,
) -> tuple[Json | None, Managers]:
    """The object after an apply, None if it stays as it is, and its managers.

    InConflict if it is not forced and would change what others own.
    """
    last = managers.get(who)
    fields = view.filter.of(collecting.fields_of(view.atom, config))
    time = None if last is None else last.time
    mine = {**managers, who: Owned(fields, view.api_version, time)}
    merged = merging.merge(view.atom, live, config)
    if last is not None and last.fields:
        merged = _pruned(view, merged, mine, last)
    comparison = view.compare(view.atom, live, merged)
    left = _left(view, comparison, live, merged, mine, who, force=force)
    return (None if values.equal(live, merged) else merged), left


def _left(
    view: OwnershipView,
    comparison: FieldComparison,
    live: Json,
    new: Json,
    managers: Managers,
    writer: ManagerIdentity | None,
    *,
    force: bool,
) -> Managers:
    """What is left to each manager; whose version is no longer served has nothing."""
    comparisons = {view.api_version: comparison}
    left: Managers = {}
    taken: dict[ManagerIdentity, FieldSet] = {}
    for who, owned in managers.items():
        if who == writer:
            if owned.fields:
                left[who] = owned
            continue
        version = owned.api_version
        if version not in comparisons:
            other = view.other(version)
            if other is None:
                continue
            converted = other.convert(live), other.convert(new)
            comparisons[version] = view.compare(other.atom, *converted)
        removed, modified, added = comparisons[version]
        taken[who] = field_set.intersection(owned.fields, field_set.union(modified, added))
        fields = field_set.difference(field_set.difference(owned.fields, taken[who]), removed)
        if fields:
            left[who] = (
                owned if fields is owned.fields else owned._replace(fields=fields, entry=None)
            )
    found = {} if force else {who: fields for who, fields in taken.items() if fields}
    if found:
        raise conflicts.InConflict(conflicts.conflicts_in(found))
    return left


def _pruned(view: OwnershipView, merged: Json, managers: Managers, last: Owned) -> Json:
    """The merged object without what its applier gave up and no other manager owns."""
    atom = view.shape(last.api_version)
    if atom is None:
        return merged
    named_before = field_set.with_named_fields(last.fields, atom)
    pruned = merging.remove(atom, merged, named_before) or {}
    for version in sorted(
        {owned.api_version for owned in managers.values()},
        key=lambda version: (version != last.api_version, version),
    ):
        shape = view.shape(version)
        if shape is not None:
            pruned = _with_owned(shape, merged, pruned, version, managers)
    has = field_set.with_named_fields(collecting.fields_of(atom, pruned), atom)
    had = field_set.with_named_fields(collecting.fields_of(atom, merged), atom)
    released = field_set.intersection(field_set.difference(had, has), named_before)
    return merging.remove(atom, merged, released) or {}


def _with_owned(shape: Atom, merged: Json, pruned: Json, version: str, managers: Managers) -> Json:
    """The pruned object with what managers own in a version put back."""
    owned: FieldSet = field_set.EMPTY
    for other in managers.values():
        if other.api_version == version:
            owned = field_set.union(owned, other.fields)
    had = field_set.with_named_fields(collecting.fields_of(shape, merged), shape)
    has = field_set.with_named_fields(collecting.fields_of(shape, pruned), shape)
    still_owned = field_set.union(has, field_set.with_named_fields(owned, shape))
    restored: Json = merging.remove(shape, merged, field_set.difference(had, still_owned)) or {}
    return restored
