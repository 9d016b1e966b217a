"""Which owners mean an object, by the labels that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.selector_index import SelectorIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.labels import Selector


_MOST_KNOWN: Final = 4096


class Selectors:
    """The selectors of one kind of owner. An owner that would select everything means nothing."""

    def __init__(self) -> None:
        self._namespaces: dict[str, SelectorIndex[str]] = {}
        self._number_of: dict[str, int] = {}
        self._count = 0
        # What labels matched, by the identity of the labels, which are kept with it.
        self._known: dict[tuple[str, int], tuple[Mapping[str, str], tuple[str, ...]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """In a copy, labels have other identities."""
        return {**self.__dict__, "_known": {}}

    @property
    def is_empty(self) -> bool:
        """Whether there is no owner at all."""
        return not self._namespaces

    def set(self, namespace: str, key: str, selector: Selector) -> None:
        """Enter the selector of an owner."""
        self._known.clear()
        index = self._namespaces.get(namespace)
        if index is None:
            index = self._namespaces[namespace] = SelectorIndex()
        if key not in self._number_of:
            self._count += 1
            self._number_of[key] = self._count
        index.put(key, selector)

    def drop(self, namespace: str, key: str) -> None:
        """An owner is gone."""
        self._known.clear()
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
        """The keys of the owners of a namespace that mean these labels, in the order they came.

        NOTE: the pods of a template share their labels, and each changes ten times in its life.
        """
        known = self._known.get((namespace, id(labels)))
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = labels, self._found(namespace, labels)
            self._known[namespace, id(labels)] = known
        return list(known[1])

    def _found(self, namespace: str, labels: Mapping[str, str]) -> tuple[str, ...]:
        index = self._namespaces.get(namespace)
        if index is None:
            return ()
        found = [key for key in index.matching(labels) if not index.selectors[key].empty]
        return tuple(sorted(found, key=self._number_of.__getitem__) if len(found) > 1 else found)
