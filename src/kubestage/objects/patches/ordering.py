"""The order of merged lists: what the patch says, then what it lists, then what was there.

Elements are compared by merge key, or as they are in lists of scalars. Type counts: Go does not
hold ``1``, ``1.0`` and ``true`` for the same value.
"""

from __future__ import annotations

import bisect
from typing import Any, Final

from kubestage.golang import formatting
from kubestage.objects.patches import failure
from kubestage.objects.patches.failure import PatchError

DIRECTIVE: Final = "$patch"
DELETE: Final = "delete"
SET_ELEMENT_ORDER: Final = "$setElementOrder"

Elements = list[Any]


def identity(value: Any) -> tuple[type, Any]:
    """A scalar as Go compares it; hashable."""
    if isinstance(value, (dict, list)):
        raise failure.unhashable(value)
    return type(value), value


def same(left: Any, right: Any) -> bool:
    """Deep equality that distinguishes integers, floats and booleans."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def element_type(*lists: Elements) -> type:
    """The one type of all elements; lists of lists and mixed lists cannot be merged."""
    found: type | None = None
    for elements in lists:
        for element in elements:
            if found is None:
                if element is None:
                    raise PatchError(failure.NIL_DEREFERENCE)
                if isinstance(element, list):
                    raise PatchError(failure.NO_LIST_OF_LISTS)
                found = type(element)
            elif type(element) is not found:
                shown = " ".join(map(formatting.show, lists))
                raise PatchError(f"list element types are not identical: [{shown}]")
    if found is None:
        raise PatchError("no elements in any of the given slices")
    return found


def key_of(element: Any, merge_key: str) -> Any:
    """The merge key value of an element that must be an object with that key."""
    if not isinstance(element, dict):
        raise failure.bad_type(dict, element)
    if merge_key not in element:
        raise failure.no_merge_key(element, merge_key)
    return element[merge_key]


class Places:
    """Where the objects of a list are, by their merge keys.

    NOTE: patches may hold tens of thousands of elements; to look for each among all takes minutes.
    """

    def __init__(self, elements: Elements, merge_key: str) -> None:
        self._merge_key = merge_key
        self._count = 0
        self._scalars: dict[tuple[type, Any], int] = {}
        self._others: list[tuple[Any, int]] = []
        self._no_object: int | None = None
        for element in elements:
            self.add(element)

    def add(self, element: Any) -> None:
        """One more at the end."""
        index = self._count
        self._count += 1
        if not isinstance(element, dict):
            self._no_object = index if self._no_object is None else self._no_object
        elif self._merge_key in element:
            value = element[self._merge_key]
            if isinstance(value, dict | list):
                self._others.append((value, index))
            else:
                self._scalars.setdefault((type(value), value), index)

    def find(self, value: Any) -> int:
        """Index of the first object whose merge key has the value, or -1."""
        if isinstance(value, dict | list):
            at = next((index for other, index in self._others if same(other, value)), -1)
        else:
            at = self._scalars.get((type(value), value), -1)
        if self._no_object is not None and not 0 <= at < self._no_object:
            raise PatchError(f"value for key {self._no_object} is not a map")
        return at


def split_deletions(elements: Elements) -> tuple[Elements, Elements]:
    """Elements to keep, and those that carry the delete directive."""
    remaining: Elements = []
    deletions: Elements = []
    for element in elements:
        if not isinstance(element, dict):
            raise failure.bad_type(dict, element)
        (deletions if element.get(DIRECTIVE) == DELETE else remaining).append(element)
    return remaining, deletions


def without_duplicates(scalars: Elements) -> Elements:
    """Each scalar once; the last element fills the place of a dropped one, as upstream has it."""
    left = list(scalars)
    places: dict[tuple[type, Any], list[int]] = {}
    for index, value in enumerate(left):
        places.setdefault(identity(value), []).append(index)
    for at in range(len(left)):
        if at >= len(left):
            break
        same_value = places[identity(left[at])]
        others = same_value[bisect.bisect_right(same_value, at) :]
        while others:
            other = others.pop(0)
            if other >= len(left):
                continue
            last = left.pop()
            if other == len(left):
                continue
            left[other] = last
            moved = places[identity(last)]
            bisect.insort(others if moved is same_value else moved, other)
        del same_value[:]
    return left


def partition(elements: Elements, listed: Elements, merge_key: str) -> tuple[Elements, Elements]:
    """Elements that `listed` names, and the others."""
    named: Elements = []
    others: Elements = []
    if merge_key:
        places = Places(listed, merge_key)
        for element in elements:
            at = places.find(key_of(element, merge_key))
            (named if at >= 0 else others).append(element)
        return named, others
    known = {identity(value) for value in listed}
    for element in elements:
        (named if identity(element) in known else others).append(element)
    return named, others


def _positions(order: Elements, merge_key: str, of_objects: bool) -> dict[tuple[type, Any], int]:
    positions: dict[tuple[type, Any], int] = {}
    for index, element in enumerate(order):
        value = element.get(merge_key) if of_objects else element
        positions.setdefault(identity(value), index)
    return positions


def arrange(elements: Elements, order: Elements, merge_key: str, of_objects: bool) -> Elements:
    """`elements` sorted by their place in `order`, deletions last."""
    deletions: Elements = []
    if of_objects:
        for listed in (elements, order):
            for element in listed:
                key_of(element, merge_key)
        elements, deletions = split_deletions(elements)
    places = _positions(order, merge_key, of_objects)
    ranks = [
        places.get(identity(element[merge_key] if of_objects else element)) for element in elements
    ]
    return [elements[index] for index in _insertion_order(ranks)] + deletions


def _insertion_order(ranks: list[int | None]) -> list[int]:
    """Indices in sorted order; what has no rank is moved in front of its neighbour.

    NOTE: unranked elements make upstream's comparison inconsistent, so the outcome is defined by
    the insertion sort of its library: what has no rank goes to the front, all else behind the last
    that has no higher rank.
    """
    if None not in ranks:
        return sorted(range(len(ranks)), key=lambda index: ranks[index] or 0)
    front = -1
    following: dict[int, int] = {}
    ranked: list[tuple[int, int]] = []
    for index, rank in enumerate(ranks):
        left = front
        if rank is not None:
            at = bisect.bisect(ranked, (rank, index))
            left = ranked[at - 1][1] if at else front
            ranked.insert(at, (rank, index))
        following[index], following[left] = following.get(left, front), index
    indices: list[int] = []
    at = following[front]
    while at != front:
        indices.append(at)
        at = following[at]
    return indices


def interleave(
    left: Elements, right: Elements, order: Elements, merge_key: str, of_objects: bool
) -> Elements:
    """Both lists in one; `left` goes before `right` only where `order` has it so."""
    places = _positions(order, merge_key, of_objects)

    def place(element: Any) -> int | None:
        if of_objects:
            value = element.get(merge_key) if isinstance(element, dict) else None
            return places.get(identity(value))
        return places.get(identity(element))

    merged: Elements = []
    lefts = [(place(element), element) for element in left]
    at = 0
    for element in right:
        rank = place(element)
        while at < len(lefts):
            left_rank = lefts[at][0]
            if left_rank is None or rank is None or left_rank >= rank:
                break
            merged.append(lefts[at][1])
            at += 1
        merged.append(element)
    merged.extend(element for _, element in lefts[at:])
    return merged


def check(patch: list[Any], order: list[Any], merge_key: str) -> None:
    """The patch's elements must stand in the same sequence as the order directive's."""
    if not order or not patch:
        return
    remaining = split_deletions(patch)[0] if merge_key else patch
    at = 0
    steps = 0
    while at < len(remaining) and steps < len(order):
        if isinstance(remaining[at], dict) and DIRECTIVE in remaining[at]:
            at += 1
            continue
        if merge_key:
            left = key_of(remaining[at], merge_key)
            matches = same(left, key_of(order[steps], merge_key))
        else:
            matches = same(remaining[at], order[steps])
        at += matches
        steps += 1
    if at < len(remaining) and steps >= len(order):
        raise PatchError(
            f"The order in patch list:\n{formatting.show(patch)}\n doesn't match "
            f"{SET_ELEMENT_ORDER} list:\n{formatting.show(order)}\n"
        )
