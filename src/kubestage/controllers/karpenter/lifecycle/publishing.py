"""Events as Karpenter publishes them: the same one not again within some minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.events import Event
    from kubestage.controllers.lister import Lister
    from kubestage.sim.clock import Clock
    from kubestage.store.event_recorder import EventRecorder

_KINDS: Final = {
    "Pod": ("v1", "Pod"),
    "Node": ("v1", "Node"),
    "NodeClaim": ("karpenter.sh/v1", "NodeClaim"),
    "NodePool": ("karpenter.sh/v1", "NodePool"),
}
_USUALLY_NS: Final = 2 * MINUTE_NS
_FOR_NS: Final = {
    "FailedScheduling": 5 * MINUTE_NS,
    "NodeRepairBlocked": 15 * MINUTE_NS,
    "Unconsolidatable": 15 * MINUTE_NS,
}
_MOST: Final = 10_000


class Publisher:
    """Writes Events about objects that exist."""

    def __init__(self, recorder: EventRecorder, lister: Lister, clock: Clock) -> None:
        self._recorder = recorder
        self._lister = lister
        self._clock = clock
        self._until_ns: dict[Event, int] = {}
        self._most = _MOST

    def publish(self, event: Event) -> None:
        """Write an Event, unless an equal one was written lately."""
        now_ns = self._clock.now_ns
        if self._until_ns.get(event, 0) > now_ns:
            return
        key = f"{event.namespace}/{event.name}" if event.namespace else event.name
        obj = self._lister.get(_KINDS[event.kind], key)
        if obj is None:
            return
        if len(self._until_ns) >= self._most:
            self._until_ns = {each: at for each, at in self._until_ns.items() if at > now_ns}
            # NOTE: otherwise each Event would search all of many that still hold, a third of the
            # time of a long-lived cluster (benchmarks/karpenter_day.py).
            self._most = max(2 * len(self._until_ns), _MOST)
        self._until_ns[event] = now_ns + _FOR_NS.get(event.reason, _USUALLY_NS)
        self._recorder.event(obj, event.type, event.reason, event.message)
