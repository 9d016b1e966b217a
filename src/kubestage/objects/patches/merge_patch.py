"""JSON merge patch (RFC 7386) as the API server applies it and kubectl makes it."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects import yaml_text
from kubestage.objects.patches import cleaning, failure, ordering
from kubestage.objects.patches.failure import PatchError

_BAD_DOCUMENT: Final = "Invalid JSON Document"
_BAD_PATCH: Final = "Invalid JSON Patch"

Object = dict[str, Any]


def apply(original: Any, patch: Any) -> Any:
    """The original with the merge patch applied; a list as patch takes the original's place."""
    if original is None:
        raise PatchError(_BAD_DOCUMENT)
    if not isinstance(patch, (dict, list)):
        raise PatchError(_BAD_PATCH)
    if isinstance(original, dict) and isinstance(patch, dict):
        return _merge(original, patch)
    return cleaning.without_nulls(patch)


def _merge(original: Object, patch: Object) -> Object:
    merged = dict(original)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
            continue
        held = merged.get(key)
        if not isinstance(held, dict):
            merged[key] = cleaning.without_nulls(value)
        elif isinstance(value, dict):
            merged[key] = _merge(held, value)
        else:
            merged[key] = value
    return merged


def two_way(original: Object, modified: Object) -> Object:
    """The merge patch that turns `original` into `modified`.

    A null inside `modified` cannot be expressed: in a merge patch null means absent.
    """
    patch: Object = {}
    for key, value in modified.items():
        if key not in original:
            patch[key] = value
            continue
        held = original[key]
        if isinstance(held, dict) and isinstance(value, dict):
            inner = two_way(held, value)
            if inner:
                patch[key] = inner
        elif not ordering.same(held, value):
            patch[key] = value
    patch.update({key: None for key in original if key not in modified})
    return patch


def three_way(original: Object, modified: Object, current: Object) -> Object:
    """What kubectl apply sends for custom resources.

    Changes are those from `current` to `modified`; deletions those from `original`, which is the
    configuration that was applied last.
    """
    changes = _changes(two_way(current, modified))
    deletions = _deletions(two_way(original, modified))
    if _conflict(changes, deletions):
        raise failure.conflict(yaml_text.dump(changes), yaml_text.dump(deletions))
    return _merge(deletions, changes)


def _changes(patch: Object) -> Object:
    merged: Object = {}
    for key, value in patch.items():
        if isinstance(value, dict) and value:
            inner = _changes(value)
            if inner:
                merged[key] = inner
        elif value is not None:
            merged[key] = value
    return merged


def _deletions(patch: Object) -> Object:
    merged: Object = {}
    for key, value in patch.items():
        if value is None:
            merged[key] = None
        elif isinstance(value, dict):
            inner = _deletions(value)
            if inner:
                merged[key] = inner
    return merged


def _conflict(left: Any, right: Any) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return any(_conflict(left[key], right[key]) for key in left if key in right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) != len(right) or any(map(_conflict, left, right))
    return not ordering.same(left, right)
