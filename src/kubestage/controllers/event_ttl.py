"""Events are forgotten after a while, as the API server has its database forget them."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change

_FORGET: Final = "forget"
_MOST_SHARED_NS: Final = 60 * SECOND_NS
_MOST_SHARED: Final = 1000


@dataclasses.dataclass(slots=True)
class _Lease:
    """A term that many Events share: those written within a minute, as with etcd's leases.

    Of its `keys`, those still have it whose version is none after `newest`; the others are gone,
    or were written again later.

    NOTE: a tenth of the memory of a dict of keys, and most Events are written once
    (benchmarks/load.py).
    """

    until_ns: int
    keys: list[str] = dataclasses.field(default_factory=list)
    newest: int = 0


class EventTTLController(Controller):
    """Takes away Events that were not written for the time that they are kept.

    It costs one timer a minute at most, and none when there are no Events.
    """

    name = "event-ttl"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._leases: deque[_Lease] = deque()
        # The keys that have the newest lease.
        self._held: set[str] = set()

    def handlers(self) -> Handlers:
        """Events."""
        return {("", "Event"): self._on_event}

    def _on_event(self, change: Change) -> None:
        key = change.key
        if change.type == DELETED:
            self._held.discard(key)
            return
        lease = self._lease()
        if key not in self._held:
            self._held.add(key)
            lease.keys.append(key)
        lease.newest = max(lease.newest, change.revision)

    def _lease(self) -> _Lease:
        """The newest lease, or another one if that ends too soon or has enough Events."""
        now_ns, keep_ns = self.clock.now_ns, self.settings.event_ttl_ns
        if self._leases:
            newest = self._leases[-1]
            if now_ns + keep_ns < newest.until_ns and len(self._held) < _MOST_SHARED:
                return newest
        fresh = _Lease(now_ns + keep_ns + min(keep_ns // 20, _MOST_SHARED_NS))
        self._leases.append(fresh)
        self._held.clear()
        self.queue.add_after(_FORGET, self._leases[0].until_ns - now_ns)
        return fresh

    def sync(self, key: str) -> None:
        """Forget what was kept for long enough."""
        del key
        leases, now_ns = self._leases, self.clock.now_ns
        while leases and leases[0].until_ns <= now_ns:
            ended = leases.popleft()
            self.store.expire_events(ended.keys, ended.newest)
        if leases:
            self.queue.add_after(_FORGET, leases[0].until_ns - now_ns)
