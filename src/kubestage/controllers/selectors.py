"""Which owners mean an object, by the labels that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.labels import Selector


class Selectors:
    """The selectors of one kind of owner. An owner that would select everything means nothing."""

    def __init__(self) -> None:
        self._namespaces: dict[str, dict[str, Selector]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether there is no owner at all."""
        return not self._namespaces

    def set(self, namespace: str, key: str, selector: Selector) -> None:
        """Enter the selector of an owner."""
        self._namespaces.setdefault(namespace, {})[key] = selector

    def drop(self, namespace: str, key: str) -> None:
        """An owner is gone."""
        known = self._namespaces.get(namespace)
        if known is not None:
            known.pop(key, None)
            if not known:
                del self._namespaces[namespace]

    def get(self, namespace: str, key: str) -> Selector:
        """The selector of an owner that was entered."""
        return self._namespaces[namespace][key]

    def matching(self, namespace: str, labels: Mapping[str, str]) -> list[str]:
        """The keys of the owners of a namespace that mean these labels, in the order they came."""
        known = self._namespaces.get(namespace)
        if not known:
            return []
        return [
            key
            for key, selector in known.items()
            if not selector.empty and selector.matches(labels)
        ]
