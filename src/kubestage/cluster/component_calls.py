"""The calls of the cluster's components, derived from the changes that they make.

Controllers, the scheduler and kubelets of a stage change the store directly. Each change counts as
the call that a real component makes, so that the API server is as busy as a real one, and so are
its metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import component_endpoints, component_reads
from kubestage.cluster.component_endpoints import KindEndpoints
from kubestage.cluster.component_reads import ComponentReads
from kubestage.controllers.leases import LEASE
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED, MODIFIED

if TYPE_CHECKING:
    from kubestage.cluster.access import Moments
    from kubestage.cluster.api_server import ApiServer
    from kubestage.store.log import Change
    from kubestage.store.store import Store

_LEASE_EVERY_NS: Final = 10 * 1_000_000_000
_STATUS_EVERY_NS: Final = 300 * 1_000_000_000
# Scheduler and controller manager each renew the Lease that elects their leader. One that leads
# writes what it knows, and reads first only after a conflict.
_ELECTED: Final = 2
_ELECTION_EVERY_NS: Final = 2 * 1_000_000_000


class ComponentCalls:
    """Observes the store, and counts calls."""

    def __init__(self, store: Store, moments: Moments, api: ApiServer) -> None:
        self._store = store
        self._clock = store.clock
        self._api = api
        self._kinds: dict[tuple[str, str], KindEndpoints] = {}
        self._beat_ns = store.clock.now_ns
        self._reads = ComponentReads(store, moments, api)
        # True while the changes are those of a call that is counted already.
        self.is_paused = False
        # For how long the call of the last change waits, before watchers can see the change.
        self.waits_ns = 0
        self._set_background()
        store.subscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        self.waits_ns = 0
        if change.kind.kind in component_reads.KINDS:
            self._reads.on_change(change)
        # NOTE: most of the time no namespace ends (benchmarks/load.py).
        if self.is_paused or (self._reads.ending and self._is_emptied(change)):
            return
        kind = change.kind
        known = self._kinds.get((kind.group, kind.kind))
        if known is None:
            known = KindEndpoints(self._api.endpoints, kind)
            self._kinds[kind.group, kind.kind] = known
        endpoint = component_endpoints.of_change(known, change)
        if endpoint is None:
            return
        level = component_endpoints.level(endpoint, change)
        if component_endpoints.is_collected(self._store, endpoint, change):
            # The garbage collector reads an object before it deletes it.
            known.read.owed += 1
        self.waits_ns = self._api.count(endpoint, self._clock.now_ns, level)
        if kind.kind == "Node" and change.type != MODIFIED:
            self._set_background()

    def _set_background(self) -> None:
        """The background calls: all nodes renew their Leases."""
        renewals = self._api.endpoints.find("PUT", self._store.kind(LEASE))
        rate = len(self._store.read(gvk.NODE)) / (_LEASE_EVERY_NS * 1e-9)
        self._api.set_background([(renewals, rate)])

    def beat(self) -> None:
        """Add the heartbeats of all nodes since the last time, and what else goes on for ever."""
        self._reads.beat()
        now_ns, since_ns = self._clock.now_ns, self._beat_ns
        nodes = len(self._store.read(gvk.NODE))
        self._beat_ns = now_ns
        find = self._api.endpoints.find
        elections = now_ns // _ELECTION_EVERY_NS - since_ns // _ELECTION_EVERY_NS
        lease, node = self._store.kind(LEASE), self._store.kind(gvk.NODE)
        find("PUT", lease).owed += _ELECTED * elections
        if not nodes:
            return
        leases = now_ns // _LEASE_EVERY_NS - since_ns // _LEASE_EVERY_NS
        reports = now_ns // _STATUS_EVERY_NS - since_ns // _STATUS_EVERY_NS
        find("PUT", lease).owed += nodes * leases
        find("PATCH", node, "status").owed += nodes * reports

    def _is_emptied(self, change: Change) -> bool:
        """Whether an object goes because its namespace is emptied, by a call for all of a kind."""
        metadata = change.new["metadata"]
        if metadata.get("namespace") not in self._reads.ending:
            return False
        before = {} if change.old is None else change.old["metadata"]
        is_going = change.type == DELETED or "deletionTimestamp" in metadata
        return is_going and change.type != ADDED and "deletionTimestamp" not in before
