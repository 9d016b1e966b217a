"""A bounded dictionary for what is cheap to lose and dear to compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_T = TypeVar("_T")

_LIMIT: Final = 4096
_MISSING: Final = object()


class Memo:
    """Remembers answers by key; when there are too many it forgets them all."""

    __slots__ = ("_known", "_limit")

    def __init__(self, limit: int = _LIMIT) -> None:
        self._known: dict[Hashable, Any] = {}
        self._limit = limit

    def get(self, key: Hashable, build: Callable[[], _T]) -> _T:
        """What `build` returned for this key, from the cache if it is there."""
        value = self._known.get(key, _MISSING)
        if value is _MISSING:
            if len(self._known) >= self._limit:
                self._known.clear()
            value = self._known[key] = build()
        answer: _T = value
        return answer

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()
