"""Calling those who change objects a second time, where others changed the object after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json


class Reinvocation:
    """Which policies or webhooks of one plugin are due once more.

    In the second round only those are called that ask for it (``IfNeeded``), and only if the object
    was changed after their turn.
    """

    def __init__(self) -> None:
        self.is_second = False
        self.is_changed = False
        self._called: set[Hashable] = set()
        self._due: set[Hashable] = set()
        self._last: Json | None = None

    def begin(self, obj: Json | None) -> None:
        """Begin a round with the object as it is."""
        if self.is_second and obj != self._last:
            self._require()

    def end(self, obj: Json | None) -> None:
        """End a round."""
        self._last = obj

    def is_due(self, key: Hashable) -> bool:
        """Whether one is to be called in this round."""
        return not self.is_second or key in self._due

    def called(self, key: Hashable, *, changed: bool, again: bool) -> None:
        """One was called; `again` if it asks to be called once more where needed."""
        if changed:
            self.is_changed = True
            self._require()
        if again:
            self._called.add(key)

    def _require(self) -> None:
        self._due |= self._called
        self._called = set()
