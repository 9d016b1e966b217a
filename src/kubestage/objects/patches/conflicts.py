"""Whether two patches of the same object change the same thing differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.golang import formatting
from kubestage.objects.patches import meta, ordering, strategic
from kubestage.objects.patches.failure import PatchError

if TYPE_CHECKING:
    from kubestage.objects.schema import Type

Object = dict[str, Any]


def between(left: Object, right: Object, of: Type) -> bool:
    """True if the patches overlap with different values.

    NOTE: lists of scalars are left sorted and without duplicates in front, as upstream leaves
    them, because the error message that follows prints both patches. Hand in copies.
    """
    return _values(left, right, of, "", "")


def _values(left: Any, right: Any, of: Type | None, strategy: str, merge_key: str) -> bool:
    if isinstance(left, dict):
        if not isinstance(right, dict):
            return True
        if not ordering.same(
            left.get(ordering.DIRECTIVE, Ellipsis), right.get(ordering.DIRECTIVE, Ellipsis)
        ):
            return True
        return strategy != meta.REPLACE and _objects(left, right, of)
    if isinstance(left, list):
        return not isinstance(right, list) or _lists(left, right, of, strategy, merge_key)
    return not ordering.same(left, right)


def _objects(left: Object, right: Object, of: Type | None) -> bool:
    for key, value in left.items():
        if key in (ordering.DIRECTIVE, strategic.RETAIN_KEYS) or key not in right:
            continue
        if isinstance(value, (dict, list)):
            assert of is not None
            lookup = meta.for_list if isinstance(value, list) else meta.for_struct
            known = lookup(of, key)
            differs = _values(value, right[key], known.type, known.strategy, known.merge_key)
        else:
            differs = _values(value, right[key], None, "", "")
        if differs:
            return True
    return False


def _lists(
    left: list[Any], right: list[Any], of: Type | None, strategy: str, merge_key: str
) -> bool:
    of_objects = ordering.element_type(left, right) is dict
    if strategy == meta.MERGE:
        if not of_objects:
            return False
        lefts, rights = _by_key(left, merge_key), _by_key(right, merge_key)
        return any(_values(lefts[key], rights[key], of, "", "") for key in lefts if key in rights)
    if len(left) != len(right):
        return True
    if of_objects:
        return any(_values(*pair, of, "", "") for pair in zip(left, right, strict=True))
    kept_left, kept_right = _tidy(left), _tidy(right)
    for at, value in enumerate(kept_left):
        if at >= len(kept_right):
            raise PatchError(
                f"runtime error: index out of range [{at}] with length {len(kept_right)}"
            )
        if _values(value, kept_right[at], of, "", ""):
            return True
    return False


def _tidy(scalars: list[Any]) -> list[Any]:
    unique = sorted(ordering.without_duplicates(scalars), key=formatting.show)
    scalars[: len(unique)] = unique
    return unique


def _by_key(elements: list[Any], merge_key: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for element in elements:
        if not isinstance(element, dict):
            raise PatchError(f"invalid element type in merging list:{formatting.show(elements)}")
        if merge_key not in element:
            raise PatchError(
                f"cannot find merge key `{merge_key}` in merging list element:"
                f"{formatting.show(element)}"
            )
        found[formatting.show_string(element[merge_key])] = element
    return found
