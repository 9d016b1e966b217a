"""How many objects a store takes, from clients and from controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store import refusals

if TYPE_CHECKING:
    from kubestage.store.ledger import Ledger

# Of so many, one more may be an Event: they say why nothing else is taken.
_EVENTS_SHARE: Final = 10


class ObjectLimit:
    """Counts no more often than needed; `most` is None where there is no limit."""

    def __init__(self, ledger: Ledger) -> None:
        self.most: int | None = None
        self._ledger = ledger
        self._count = 0
        self._at_revision: int | None = None

    def check(self, count: int = 1) -> None:
        """Refuse so many objects more if that would be too many."""
        if self.most is not None and not self._has_room(count, self.most):
            raise refusals.too_many_objects(self.most)

    def check_whole(self, count: int) -> None:
        """Refuse so many objects in place of all that there are."""
        if self.most is not None and count > self.most:
            raise refusals.too_many_objects(self.most)

    @property
    def takes_events(self) -> bool:
        """Whether components may write one more Event."""
        return self.most is None or self._has_room(1, self.most + self.most // _EVENTS_SHARE)

    def _has_room(self, count: int, most: int) -> bool:
        ledger = self._ledger
        if self._at_revision is not None:
            # A change adds one object at most.
            highest = self._count + ledger.revision - self._at_revision
            if highest + count <= most:
                return True
        self._count = ledger.object_count
        self._at_revision = ledger.revision
        return self._count + count <= most
