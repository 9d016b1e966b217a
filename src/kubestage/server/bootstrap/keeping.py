"""Puts back what clients delete of the objects that the API server keeps."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.server.bootstrap import making
from kubestage.store import ip_addresses
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.sim.timer import Timer
    from kubestage.stage import Stage
    from kubestage.store.log import Change

# How long kinds stay away: kube-apiserver follows some, and looks after others now and then.
_PERIODS_NS: Final = {
    "ConfigMap": 0,
    "IPAddress": 0,
    "EndpointSlice": 10 * SECOND_NS,
    "Endpoints": 10 * SECOND_NS,
    "Lease": 10 * SECOND_NS,
    "Service": 10 * SECOND_NS,
    "ServiceCIDR": 10 * SECOND_NS,
    "FlowSchema": 60 * SECOND_NS,
    "Namespace": 60 * SECOND_NS,
    "PriorityLevelConfiguration": 60 * SECOND_NS,
}


class Keeper:
    """Follows a stage that has an API server; nothing is kept while a Scenario runs.

    Nothing happens until something is missing.
    """

    def __init__(self, stage: Stage) -> None:
        assert stage.bootstrap is not None
        self._store = stage.store
        self._clock = stage.clock
        self._keys: dict[tuple[str, str], set[str]] = {}
        for obj in making.objects(stage.bootstrap, 0):
            kind = stage.store.kinds.of(obj)
            self._keys.setdefault((kind.group, kind.kind), set()).add(making.key(obj))
        self._timers: dict[int, Timer] = {
            period: stage.environment.timer("ApiServer", functools.partial(self._make, period))
            for period in sorted(set(_PERIODS_NS.values()))
        }
        row = stage.store.kind(ip_addresses.IP_ADDRESS)
        self._addresses = (row.group, row.kind)
        stage.store.subscribe(self.on_change, {*self._keys, self._addresses})

    def on_change(self, change: Change) -> None:
        """Take one change of the store."""
        if change.type != DELETED or self._store.bootstrap is None:
            return
        kind = (change.kind.group, change.kind.kind)
        if kind == self._addresses or change.key in self._keys[kind]:
            period = _PERIODS_NS[change.kind.kind]
            if not self._timers[period].is_set:
                self._timers[period].set(self._clock.now_ns + period)

    def _make(self, period: int) -> None:
        server = self._store.bootstrap
        if server is not None:
            kinds = {kind for kind, each in _PERIODS_NS.items() if each == period}
            making.make(self._store, server, kinds)
