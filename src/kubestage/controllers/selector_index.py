"""Many selectors of one namespace, and which of them match some labels, without trying all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.labels import Selector

_Pair = tuple[str, str]


class SelectorIndex:
    """Selectors by key; those that ask for a label's value are found by that value.

    NOTE: with a thousand autoscalers in one namespace, to try all selectors on the pods of each
    takes as long as all else that they do.
    """

    __slots__ = ("_by_pair", "_others", "_placed", "selectors")

    def __init__(self) -> None:
        self.selectors: dict[str, Selector] = {}
        self._placed: dict[str, _Pair] = {}
        self._by_pair: dict[_Pair, dict[str, None]] = {}
        self._others: dict[str, None] = {}

    def put(self, key: str, selector: Selector) -> None:
        """Enter a selector, in the place of the one that the key had."""
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
        """Forget a selector that was entered."""
        del self.selectors[key]
        self._others.pop(key, None)
        pair = self._placed.pop(key, None)
        if pair is not None:
            found = self._by_pair[pair]
            del found[key]
            if not found:
                del self._by_pair[pair]

    def matching(self, held: Mapping[str, str]) -> list[str]:
        """The keys of the selectors that match labels."""
        candidates = dict(self._others)
        for pair in held.items():
            candidates.update(self._by_pair.get(pair, {}))
        return [key for key in candidates if self.selectors[key].matches(held)]


def _pairs_of(selector: Selector) -> list[_Pair]:
    """Labels and the one value that each must have, as far as the selector asks for that."""
    if not selector.selectable:
        return []
    wanted = [(each.key, selector.requires_exact_match(each.key)) for each in selector.requirements]
    return [(key, value) for key, value in wanted if value is not None]
