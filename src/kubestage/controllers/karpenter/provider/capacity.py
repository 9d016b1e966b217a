"""What a provider has at the moment: shortages, and offerings that were refused lately."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from kubestage.controllers.karpenter.provider.node_class import Window

_REMEMBERED_NS: Final = 3 * MINUTE_NS


class Place(NamedTuple):
    """One way to have a machine."""

    instance_type: str
    zone: str
    capacity_type: str


def suits(window: Window, place: Place) -> bool:
    """Whether a window is about a way to have a machine."""
    return (
        _is_named(place.instance_type, window.instance_types)
        and _is_named(place.zone, window.zones)
        and _is_named(place.capacity_type, window.capacity_types)
    )


def _is_named(name: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class Capacity:
    """Refuses launches as node classes state, and remembers what was refused.

    What was refused counts as unavailable for three minutes, as with Karpenter's provider for AWS.
    """

    def __init__(self, stream: random.Random) -> None:
        self._stream = stream
        self._until_ns: dict[Place, int] = {}

    def unavailable(self, now_ns: int) -> frozenset[Place]:
        """What counts as unavailable."""
        gone = [place for place, until_ns in self._until_ns.items() if until_ns <= now_ns]
        for place in gone:
            del self._until_ns[place]
        return frozenset(self._until_ns)

    def next_change_ns(self) -> int | None:
        """When something is available again."""
        return min(self._until_ns.values(), default=None)

    def mark(self, place: Place, now_ns: int) -> None:
        """Something was refused, or taken back."""
        self._until_ns[place] = now_ns + _REMEMBERED_NS

    def refuses(self, place: Place, windows: Iterable[Window], since_start_ns: int) -> bool:
        """Whether a launch fails."""
        for window in windows:
            is_on = window.from_ns <= since_start_ns and (
                window.until_ns is None or since_start_ns < window.until_ns
            )
            if is_on and suits(window, place) and self._happens(window.probability):
                return True
        return False

    def _happens(self, probability: float) -> bool:
        return probability >= 1 or self._stream.random() < probability
