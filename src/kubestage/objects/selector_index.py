"""Finds the few of many selectors that match some labels, without trying them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from kubestage.objects import label_requirement

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from kubestage.objects.labels import Selector

_K = TypeVar("_K", bound="Hashable")
_Pair = tuple[str, str]

_EXACT: Final = (label_requirement.IN, label_requirement.EQUALS, label_requirement.DOUBLE_EQUALS)


def required_pairs(selector: Selector) -> Iterator[_Pair]:
    """The labels, with their values, that everything selected must have."""
    for requirement in selector.requirements:
        if requirement.operator in _EXACT and len(requirement.values) == 1:
            yield requirement.key, requirement.values[0]


class SelectorIndex(Generic[_K]):
    """Selectors by key.

    NOTE: almost every selector requires a label to have one value. Stored under that pair,
    thousands of selectors cost one lookup for each label of a pod, and only the others are tried
    one by one. To try all selectors of a thousand autoscalers on the pods of each takes as long
    as everything else that the autoscalers do.
    """

    __slots__ = ("_by_pair", "_others", "_pairs", "selectors")

    def __init__(self) -> None:
        self.selectors: dict[_K, Selector] = {}
        self._pairs: dict[_K, _Pair] = {}
        self._by_pair: dict[_Pair, dict[_K, None]] = {}
        self._others: dict[_K, None] = {}

    def __bool__(self) -> bool:
        """Whether any selector can match."""
        return bool(self._by_pair or self._others)

    def put(self, key: _K, selector: Selector) -> None:
        """Store a selector, in the place of the one that the key had."""
        old = self.selectors.get(key)
        if old is not None:
            if old == selector:
                return
            self.drop(key)
        self.selectors[key] = selector
        # Of several pairs, the one under which the fewest others are stored.
        pair = min(required_pairs(selector), key=self._count, default=None)
        if pair is not None:
            self._pairs[key] = pair
            self._by_pair.setdefault(pair, {})[key] = None
        elif selector.selectable:
            self._others[key] = None

    def _count(self, pair: _Pair) -> int:
        return len(self._by_pair.get(pair, ()))

    def drop(self, key: _K) -> None:
        """Remove a selector that is stored."""
        del self.selectors[key]
        self._others.pop(key, None)
        pair = self._pairs.pop(key, None)
        if pair is not None:
            keys = self._by_pair[pair]
            del keys[key]
            if not keys:
                del self._by_pair[pair]

    def candidates(self, labels: Mapping[str, str]) -> list[_K]:
        """The key of every selector that matches the labels, and maybe some more."""
        found = list(self._others)
        by_pair = self._by_pair
        for pair in labels.items():
            keys = by_pair.get(pair)
            if keys is not None:
                found += keys
        return found

    def matching(self, labels: Mapping[str, str]) -> list[_K]:
        """The keys of the selectors that match the labels."""
        selectors = self.selectors
        return [key for key in self.candidates(labels) if selectors[key].matches(labels)]
