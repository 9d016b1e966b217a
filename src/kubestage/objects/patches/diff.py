"""Making strategic merge patches: from two objects, or from three as kubectl apply does."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kubestage.golang import formatting
from kubestage.objects import yaml_text
from kubestage.objects.patches import conflicts, failure, meta, ordering, strategic
from kubestage.objects.patches.failure import PatchError
from kubestage.objects.schema import Struct, Type, type_of

Object = dict[str, Any]
Elements = list[Any]


class DiffOptions(msgspec.Struct, frozen=True):
    """Which differences count, and whether their order is written down."""

    set_element_order: bool
    changes: bool = True
    deletions: bool = True
    retain_keys: bool = False


_BOTH: Final = DiffOptions(set_element_order=True)
_CHANGES: Final = DiffOptions(set_element_order=True, deletions=False)
_DELETIONS: Final = DiffOptions(set_element_order=True, changes=False)
_PLAIN: Final = DiffOptions(set_element_order=False)


def two_way(original: Object | None, modified: Object | None, struct: Struct | None) -> Object:
    """The strategic merge patch that turns `original` into `modified`."""
    return _diff_objects(copied(original or {}), modified or {}, _type(struct), _BOTH)


def three_way(
    original: Object | None,
    modified: Object | None,
    current: Object | None,
    struct: Struct | None,
    overwrite: bool = True,
) -> Object:
    """What kubectl apply sends.

    `original` is the configuration applied last, `modified` the new one, `current` the live
    object. The patch changes what differs between the live object and the new configuration, and
    deletes what the new configuration dropped. Without `overwrite` it is an error to change what
    another client changed since.
    """
    of = _type(struct)
    applied, live = copied(original or {}), copied(current or {})
    changes = _diff_objects(live, modified or {}, of, _CHANGES)
    deletions = _diff_objects(applied, modified or {}, of, _DELETIONS)
    patch = strategic.merge_objects(deletions, changes, of, strategic.COMBINE)
    if not overwrite:
        drift = copied(_diff_objects(applied, live, of, _PLAIN))
        shown = copied(patch)
        if conflicts.between(shown, drift, of):
            raise failure.conflict(yaml_text.dump(shown), yaml_text.dump(drift))
    return patch


def _type(struct: Struct | None) -> Type:
    if struct is None:
        raise PatchError(failure.UNSUPPORTED_STRATEGIC)
    return type_of(struct.name)


def copied(value: Any) -> Any:
    """A deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def _diff_objects(original: Object, modified: Object, of: Type, options: DiffOptions) -> Object:
    """The patch between two objects.

    NOTE: merging lists of scalars inside `original` are left sorted, as upstream leaves them: a
    later difference from the same object, and the test whether order changed, depend on it. The
    public functions hand in copies.
    """
    patch: Object = {}
    for key, value in modified.items():
        if key not in original:
            if options.changes:
                patch[key] = value
        elif key == ordering.DIRECTIVE:
            _diff_directive(original[key], value, patch)
        elif type(original[key]) is not type(value):
            if options.changes:
                patch[key] = value
        elif isinstance(value, dict):
            _diff_object_field(key, original[key], value, patch, of, options)
        elif isinstance(value, list):
            _diff_list_field(key, original[key], value, patch, of, options)
        elif options.changes and original[key] != value:
            patch[key] = value
    if options.deletions:
        patch.update({key: None for key in original if key not in modified})
    if options.retain_keys:
        retained = sorted(key for key, value in modified.items() if value is not None)
        cleared = any(original[key] is not None for key in original if key not in modified)
        if retained and (patch or cleared):
            patch[strategic.RETAIN_KEYS] = retained
    return patch


def _diff_directive(original: Any, modified: Any, patch: Object) -> None:
    if not isinstance(original, str) or not isinstance(modified, str):
        raise PatchError(f"invalid value for special key: {ordering.DIRECTIVE}")
    if original != modified:
        patch[ordering.DIRECTIVE] = modified


def _diff_object_field(
    key: str, original: Object, modified: Object, patch: Object, of: Type, options: DiffOptions
) -> None:
    try:
        known = meta.for_struct(of, key)
    except PatchError:
        if ordering.same(original, modified):
            return
        raise
    if known.strategy == meta.REPLACE:
        if options.changes:
            patch[key] = modified
        return
    options = msgspec.structs.replace(options, retain_keys=known.retain_keys)
    inner = _diff_objects(original, modified, known.type, options)
    if inner:
        patch[key] = inner


def _diff_list_field(
    key: str, original: Elements, modified: Elements, patch: Object, of: Type, options: DiffOptions
) -> None:
    try:
        known = meta.for_list(of, key)
    except PatchError:
        if ordering.same(original, modified):
            return
        raise
    if known.strategy != meta.MERGE:
        if options.changes and not ordering.same(original, modified):
            patch[key] = modified
        return
    options = msgspec.structs.replace(options, retain_keys=known.retain_keys)
    additions, deletions, order = _diff_lists(original, modified, known, options)
    if additions:
        patch[key] = additions
    if deletions:
        patch[f"{strategic.DELETE_FROM_PRIMITIVES}/{key}"] = deletions
    if order:
        patch[f"{strategic.SET_ELEMENT_ORDER}/{key}"] = order


def _diff_lists(
    original: Elements, modified: Elements, known: meta.PatchMeta, options: DiffOptions
) -> tuple[Elements, Elements, Elements]:
    """Elements to add or change, scalars to delete, and the order to set."""
    if not original:
        return (modified if options.changes else []), [], []
    if ordering.element_type(original, modified) is not dict:
        return _diff_scalars(original, modified, known, options)
    merge_key = known.merge_key
    changes, deletions = _diff_elements(original, modified, known, options)
    changes = ordering.arrange(changes, modified, merge_key, of_objects=True)
    moved = not _same_order(original, modified, merge_key)
    changes += deletions
    order: Elements = []
    if options.set_element_order and (
        (options.changes and (changes or moved)) or (options.deletions and changes)
    ):
        order = [{merge_key: element.get(merge_key)} for element in modified]
    return changes, [], order


def _same_order(original: Elements, modified: Elements, merge_key: str) -> bool:
    return len(original) == len(modified) and all(
        ordering.same(ordering.key_of(left, merge_key), ordering.key_of(right, merge_key))
        for left, right in zip(original, modified, strict=True)
    )


def _sorted_by_text(elements: Elements, merge_key: str) -> list[tuple[str, Any]]:
    """Elements with the text of their merge key, in its order; equals end up reversed."""
    shown = [(formatting.show(element.get(merge_key)), element) for element in reversed(elements)]
    return sorted(shown, key=lambda pair: pair[0])


def _diff_elements(
    original: Elements, modified: Elements, known: meta.PatchMeta, options: DiffOptions
) -> tuple[Elements, Elements]:
    merge_key = known.merge_key
    changes: Elements = []
    deletions: Elements = []
    before = _sorted_by_text(original, merge_key)
    after = _sorted_by_text(modified, merge_key)
    left = right = 0
    while left < len(before) or right < len(after):
        old = ordering.key_of(before[left][1], merge_key) if left < len(before) else None
        new = ordering.key_of(after[right][1], merge_key) if right < len(after) else None
        if left < len(before) and right < len(after) and before[left][0] == after[right][0]:
            inner = _diff_objects(before[left][1], after[right][1], known.type, options)
            if inner:
                changes.append({**inner, merge_key: new})
            left += 1
            right += 1
        elif left >= len(before) or (right < len(after) and before[left][0] > after[right][0]):
            if options.changes:
                changes.append(after[right][1])
            right += 1
        else:
            if options.deletions:
                deletions.append({merge_key: old, ordering.DIRECTIVE: ordering.DELETE})
            left += 1
    return changes, deletions


def _diff_scalars(
    original: Elements, modified: Elements, known: meta.PatchMeta, options: DiffOptions
) -> tuple[Elements, Elements, Elements]:
    original.sort(key=formatting.show)
    additions: Elements = []
    deletions: Elements = []
    before = [(formatting.show(value), value) for value in original]
    after = sorted(
        ((formatting.show(value), value) for value in modified), key=lambda pair: pair[0]
    )
    left = right = 0
    while left < len(before) or right < len(after):
        if left < len(before) and right < len(after) and before[left][0] == after[right][0]:
            left += 1
            right += 1
        elif left >= len(before) or (right < len(after) and before[left][0] > after[right][0]):
            if options.changes:
                additions.append(after[right][1])
            right += 1
        else:
            if options.deletions:
                deletions.append(before[left][1])
            left += 1
    deletions = ordering.without_duplicates(deletions)
    additions = ordering.arrange(additions, modified, known.merge_key, of_objects=False)
    ordered = options.set_element_order and (
        (options.deletions and deletions)
        or (options.changes and not ordering.same(original, modified))
    )
    return additions, deletions, list(modified) if ordered else []
