"""Which future nodes hold which capacity reservations, so that none is promised twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.controllers.karpenter.instance_types.types import Offering


class Reservations:
    """What is left of each reservation; where NodePools differ, the least counts."""

    def __init__(self, reserved: Iterable[Offering]) -> None:
        self._left: dict[str, int] = {}
        self._held: dict[str, set[str]] = {}
        for offering in reserved:
            name, count = offering.reservation_id, offering.reservation_capacity
            self._left[name] = min(self._left.get(name, count), count)

    def can_reserve(self, host: str, offering: Offering) -> bool:
        """Whether a host holds a reservation or could."""
        name = offering.reservation_id
        return name in self._held.get(host, ()) or self._left[name] != 0

    def move(self, host: str, before: Iterable[Offering], after: Iterable[Offering]) -> None:
        """The host now holds these reservations instead of those."""
        held = self._held.setdefault(host, set())
        reserved = {offering.reservation_id for offering in after}
        for name in reserved - held:
            self._left[name] -= 1
        held |= reserved
        for name in {offering.reservation_id for offering in before} - reserved:
            if name in held:
                held.remove(name)
                self._left[name] += 1
