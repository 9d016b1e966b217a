"""Which owners mean an object, by the labels that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.selector_index import SelectorIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.labels import Selector


class Selectors:
    """The selectors of one kind of owner. An owner that would select everything means nothing."""

    def __init__(self) -> None:
        self._namespaces: dict[str, SelectorIndex[str]] = {}
        self._number_of: dict[str, int] = {}
        self._count = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is no owner at all."""
        return not self._namespaces

    def set(self, namespace: str, key: str, selector: Selector) -> None:
        """Enter the selector of an owner."""
        index = self._namespaces.get(namespace)
        if index is None:
            index = self._namespaces[namespace] = SelectorIndex()
        if key not in self._number_of:
            self._count += 1
            self._number_of[key] = self._count
        index.put(key, selector)

    def drop(self, namespace: str, key: str) -> None:
        """An owner is gone."""
        index = self._namespaces.get(namespace)
        if index is None or self._number_of.pop(key, None) is None:
            return
        index.drop(key)
        if not index.selectors:
            del self._namespaces[namespace]

    def get(self, namespace: str, key: str) -> Selector:
        """The selector of an owner that was entered."""
        return self._namespaces[namespace].selectors[key]

    def matching(self, namespace: str, labels: Mapping[str, str]) -> list[str]:
        """The keys of the owners of a namespace that mean these labels, in the order they came."""
        index = self._namespaces.get(namespace)
        if index is None:
            return []
        found = [key for key in index.matching(labels) if not index.selectors[key].empty]
        return sorted(found, key=self._number_of.__getitem__) if len(found) > 1 else found
