"""Finds the few selectors that labels can match, without trying them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from kubestage.objects import label_requirement

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from kubestage.objects.labels import Selector

_T = TypeVar("_T", bound="Hashable")

_EXACT: Final = (label_requirement.IN, label_requirement.EQUALS, label_requirement.DOUBLE_EQUALS)


def required_pair(selector: Selector) -> tuple[str, str] | None:
    """A label that everything selected must carry, if the selector names one."""
    for requirement in selector.requirements:
        if requirement.operator in _EXACT and len(requirement.values) == 1:
            return requirement.key, requirement.values[0]
    return None


class SelectorIndex(Generic[_T]):
    """Items that are each filed under a selector.

    Almost every selector demands one label with one value. Filed by it, thousands of items cost a
    lookup for each label of a pod; only the rest is tried one by one.
    """

    __slots__ = ("_by_pair", "_others")

    def __init__(self) -> None:
        self._by_pair: dict[tuple[str, str], dict[_T, None]] = {}
        self._others: dict[_T, None] = {}

    def __bool__(self) -> bool:
        return bool(self._by_pair or self._others)

    def add(self, selector: Selector, item: _T) -> None:
        """File an item; one whose selector selects nothing is never found."""
        pair = required_pair(selector)
        if pair is not None:
            self._by_pair.setdefault(pair, {})[item] = None
        elif selector.selectable:
            self._others[item] = None

    def remove(self, selector: Selector, item: _T) -> None:
        """Take an item out that was filed under the selector."""
        pair = required_pair(selector)
        if pair is None:
            self._others.pop(item, None)
            return
        items = self._by_pair[pair]
        del items[item]
        if not items:
            del self._by_pair[pair]

    def candidates(self, labels: Mapping[str, str]) -> list[_T]:
        """Every item whose selector matches the labels, and maybe some more."""
        found = list(self._others)
        by_pair = self._by_pair
        for pair in labels.items():
            items = by_pair.get(pair)
            if items is not None:
                found += items
        return found
