"""Which autoscalers mean a pod: no pod may have two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.ownership import labels_of
from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.objects.labels import Selector

Json = dict[str, Any]
_Pair = tuple[str, str]


class _Namespace:
    """The selectors of one namespace, those that ask for a label's value by that value.

    NOTE: with a thousand autoscalers in one namespace, to try all selectors on the pods of each
    takes as long as all else that they do at a tick.
    """

    __slots__ = ("_by_pair", "_others", "_placed", "selectors")

    def __init__(self) -> None:
        self.selectors: dict[str, Selector] = {}
        self._placed: dict[str, _Pair] = {}
        self._by_pair: dict[_Pair, dict[str, None]] = {}
        self._others: dict[str, None] = {}

    def put(self, key: str, selector: Selector) -> None:
        old = self.selectors.get(key)
        if old == selector:
            return
        if old is not None:
            self.drop(key)
        self.selectors[key] = selector
        pairs = _pairs_of(selector)
        if pairs:
            # Of several values that it asks for, by that which the fewest others ask for.
            pair = min(pairs, key=self._crowd)
            self._placed[key] = pair
            self._by_pair.setdefault(pair, {})[key] = None
        elif selector.selectable:
            self._others[key] = None

    def _crowd(self, pair: _Pair) -> int:
        return len(self._by_pair.get(pair, ()))

    def drop(self, key: str) -> None:
        del self.selectors[key]
        self._others.pop(key, None)
        pair = self._placed.pop(key, None)
        if pair is not None:
            found = self._by_pair[pair]
            del found[key]
            if not found:
                del self._by_pair[pair]

    def matching(self, held: Mapping[str, str]) -> Iterable[str]:
        candidates = dict(self._others)
        for pair in held.items():
            candidates.update(self._by_pair.get(pair, {}))
        return [key for key in candidates if self.selectors[key].matches(held)]


class PodSelectors:
    """The selectors of all autoscalers' targets, as far as they are known.

    An autoscaler is entered when it appears; what it selects is known from its first look on.
    """

    def __init__(self) -> None:
        self._namespaces: dict[str, _Namespace] = {}

    def enter(self, namespace: str, key: str) -> None:
        """An autoscaler is there; it selects nothing until it says what."""
        here = self._namespaces.setdefault(namespace, _Namespace())
        if key not in here.selectors:
            here.put(key, labels.NOTHING)

    def leave(self, namespace: str, key: str) -> None:
        """An autoscaler is gone."""
        here = self._namespaces.get(namespace)
        if here is not None and key in here.selectors:
            here.drop(key)
            if not here.selectors:
                del self._namespaces[namespace]

    def sharers(
        self, namespace: str, key: str, selector: Selector, pods: Iterable[Json]
    ) -> list[str]:
        """An autoscaler says what it selects: all, by key, that mean one of the pods."""
        here = self._namespaces.get(namespace)
        if here is None or key not in here.selectors:
            return []
        here.put(key, selector)
        distinct = {tuple(held.items()): held for held in map(labels_of, pods)}
        return sorted({each for held in distinct.values() for each in here.matching(held)})


def _pairs_of(selector: Selector) -> list[_Pair]:
    """Labels and the one value that each must have, as far as the selector asks for that."""
    if not selector.selectable:
        return []
    wanted = [(each.key, selector.requires_exact_match(each.key)) for each in selector.requirements]
    return [(key, value) for key, value in wanted if value is not None]
