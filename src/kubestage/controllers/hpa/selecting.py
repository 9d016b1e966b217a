"""Which autoscalers mean a pod: no pod may have two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.ownership import labels_of
from kubestage.objects import labels
from kubestage.objects.selector_index import SelectorIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector


class PodSelectors:
    """The selectors of all autoscalers' targets, as far as they are known.

    An autoscaler is entered when it appears; what it selects is known from its first sync on.
    """

    def __init__(self) -> None:
        self._namespaces: dict[str, SelectorIndex[str]] = {}

    def enter(self, namespace: str, key: str) -> None:
        """An autoscaler is there; it selects nothing until its first sync."""
        here = self._namespaces.setdefault(namespace, SelectorIndex())
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
        """Store what an autoscaler selects: all, by key, that select one of the pods."""
        here = self._namespaces.get(namespace)
        if here is None or key not in here.selectors:
            return []
        here.put(key, selector)
        distinct = {tuple(held.items()): held for held in map(labels_of, pods)}
        return sorted({each for held in distinct.values() for each in here.matching(held)})
