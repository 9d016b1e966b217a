"""The calls of the cluster's components, derived from the changes that they make.

Controllers, the scheduler and kubelets of a stage change the store directly. Each change counts as
the call that a real component makes, so that the API server is as busy as a real one, and so are
its metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import component_reads
from kubestage.cluster.component_reads import ComponentReads
from kubestage.cluster.priority_levels import NODE_HIGH, SYSTEM, WORKLOAD_HIGH
from kubestage.controllers.leases import LEASE
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED, MODIFIED

if TYPE_CHECKING:
    from kubestage.cluster.access import Moments
    from kubestage.cluster.api_server import ApiServer
    from kubestage.cluster.endpoints import Endpoint
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change
    from kubestage.store.store import Store

# Kinds whose status is patched; that of others is replaced.
_PATCHED: Final = frozenset({"Pod", "Node"})
# What kubelets write about their nodes.
_OF_NODES: Final = frozenset({"Node", "Lease"})
_LEASE_EVERY_NS: Final = 10 * 1_000_000_000
_STATUS_EVERY_NS: Final = 300 * 1_000_000_000
# Scheduler and controller manager each renew the Lease that elects their leader. One that leads
# writes what it knows, and reads first only after a conflict.
_ELECTED: Final = 2
_ELECTION_EVERY_NS: Final = 2 * 1_000_000_000


class _KindEndpoints:
    """The endpoints of one kind, cached."""

    __slots__ = ("binding", "create", "delete", "read", "status", "update")

    def __init__(self, api: ApiServer, row: Kind) -> None:
        find = api.endpoints.find
        self.create = find("POST", row)
        self.update = find("PUT", row)
        self.delete = find("DELETE", row)
        self.status = find("PATCH" if row.kind in _PATCHED else "PUT", row, "status")
        self.read: Endpoint | None = find("GET", row) if row.kind == "Pod" else None
        self.binding = find("POST", row, "binding") if row.kind == "Pod" else self.update


class ComponentCalls:
    """Observes the store, and counts calls."""

    def __init__(self, store: Store, moments: Moments, api: ApiServer) -> None:
        self._store = store
        self._clock = store.clock
        self._api = api
        self._kinds: dict[tuple[str, str], _KindEndpoints] = {}
        self._beat_ns = store.clock.now_ns
        self._reads = ComponentReads(store, moments, api)
        # True while the changes are those of a call that is counted already.
        self.is_paused = False
        self._set_background()
        store.subscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.kind.kind in component_reads.KINDS:
            self._reads.on_change(change)
        if self.is_paused or self._is_emptied(change):
            return
        kind = change.kind
        known = self._kinds.get((kind.group, kind.kind))
        if known is None:
            known = self._kinds[kind.group, kind.kind] = _KindEndpoints(self._api, kind)
        endpoint = _endpoint(known, change)
        self._api.count(endpoint, self._clock.now_ns, _level(endpoint, change))
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
        if not self._reads.is_ending(metadata.get("namespace", "")):
            return False
        before = {} if change.old is None else change.old["metadata"]
        is_going = change.type == DELETED or "deletionTimestamp" in metadata
        return is_going and change.type != ADDED and "deletionTimestamp" not in before


def _level(endpoint: Endpoint, change: Change) -> str:
    """The priority level of a component's call."""
    kind = change.kind.kind
    if kind == "Pod":
        is_kubelets = endpoint.name.subresource == "status" or change.type == DELETED
        return SYSTEM if is_kubelets else WORKLOAD_HIGH
    if kind == "Event":
        return SYSTEM if change.new.get("reportingComponent") == "kubelet" else WORKLOAD_HIGH
    return NODE_HIGH if kind in _OF_NODES else WORKLOAD_HIGH


def _endpoint(known: _KindEndpoints, change: Change) -> Endpoint:
    """The endpoint of the call that a change stands for."""
    if change.type == ADDED:
        return known.create
    if change.type == DELETED:
        return known.delete
    if change.is_binding:
        return known.binding
    old, new = change.old, change.new
    assert old is not None, "what is modified was there"
    if old.get("status") is not new.get("status") and old.get("spec") is new.get("spec"):
        if known.read is not None:
            # A kubelet reads a pod before it writes its status.
            known.read.owed += 1
        return known.status
    if "deletionTimestamp" in new["metadata"] and "deletionTimestamp" not in old["metadata"]:
        return known.delete
    return known.update
