"""The lists and watches of the cluster's components, derived from what they are interested in.

A component lists a kind when it starts, and watches it from then on; the server ends a watch after
five to ten minutes, and it is opened again. So do kubelets with the ConfigMaps and Secrets that
their pods mount. The namespace controller lists what is left in a namespace that ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.endpoints import CLUSTER, NAMESPACE, RESOURCE
from kubestage.cluster.listed import Listed
from kubestage.cluster.namespace_reads import NamespaceReads
from kubestage.cluster.priority_levels import SYSTEM, WORKLOAD_HIGH
from kubestage.controllers.kubelet import volume_calls
from kubestage.controllers.kubelet.references import CONFIG_MAP, SECRET
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED, MODIFIED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.cluster.access import Moments
    from kubestage.cluster.api_server import ApiServer
    from kubestage.cluster.endpoints import Endpoint
    from kubestage.controllers.kubelet.references import Target
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change
    from kubestage.store.store import Store

_WATCH_NS: Final = 450_000_000_000
"""How long a watch lasts on average."""
KINDS: Final = frozenset({"Namespace", "Node", "PersistentVolumeClaim", "Pod"})
"""The kinds whose changes make components read."""
# What a kubelet is interested in besides its own node and its own pods.
_OF_KUBELETS: Final = (
    ("v1", "Service"),
    ("storage.k8s.io/v1", "CSIDriver"),
    ("node.k8s.io/v1", "RuntimeClass"),
)
_OF_SCHEDULERS: Final = (
    ("v1", "Pod"), ("v1", "Node"), ("v1", "Namespace"), ("v1", "Service"),
    ("v1", "ReplicationController"), ("v1", "PersistentVolume"), ("v1", "PersistentVolumeClaim"),
    ("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet"), ("policy/v1", "PodDisruptionBudget"),
    ("storage.k8s.io/v1", "StorageClass"), ("storage.k8s.io/v1", "CSINode"),
    ("storage.k8s.io/v1", "CSIDriver"), ("storage.k8s.io/v1", "CSIStorageCapacity"),
)  # fmt: skip
_REFERRED: Final = {CONFIG_MAP: ("v1", "ConfigMap"), SECRET: ("v1", "Secret")}
_ONE: Final = Listed(1)
_DELETE_ALL: Final = "DELETECOLLECTION"
_ACCOUNT: Final = ("v1", "ServiceAccount")
# Kinds that describe a run, which no cluster has.
_OURS: Final = (".x-k8s.io", "kubestage.dev")


class ComponentReads:
    """Observes nodes, pods and namespaces, and counts what components read because of them."""

    def __init__(self, store: Store, moments: Moments, api: ApiServer) -> None:
        self._store = store
        self._clock = store.clock
        self._moments = moments
        self._api = api
        self._watches: dict[Endpoint, int] = {}
        self._open: dict[Endpoint, int] = {}
        self._beat_ns = store.clock.now_ns
        # By pod the node and what is mounted there; by node how many pods mount it.
        self._pods: dict[str, tuple[str, tuple[Target, ...]]] = {}
        self._mounted: dict[str, dict[Target, int]] = {}
        self.ending: set[str] = set()
        """The namespaces that the namespace controller empties, by its own calls."""
        self._namespaces = NamespaceReads(store, api)
        self._begin()

    def beat(self) -> None:
        """Count the watches that have ended since the last time, and were opened again."""
        now_ns = self._clock.now_ns
        passed_ns, self._beat_ns = now_ns - self._beat_ns, now_ns
        for endpoint, count in self._watches.items():
            watched_ns = self._open.get(endpoint, 0) + count * passed_ns
            ended, self._open[endpoint] = divmod(watched_ns, _WATCH_NS)
            if ended:
                endpoint.observe_watch(_WATCH_NS, ended)

    def on_change(self, change: Change) -> None:
        """Observe a change of one of `KINDS`."""
        kind = change.kind.kind
        if kind == "Pod":
            if change.type != MODIFIED:
                self._namespaces.on_pod(change)
            if change.is_binding or (change.type == ADDED and change.new["spec"].get("nodeName")):
                self._mount(change.key, change.new)
            elif change.type == DELETED and change.key in self._pods:
                self._unmount(change.key)
        elif kind == "Node":
            if change.type == ADDED:
                self._start_kubelet(change.key)
            elif change.type == DELETED:
                self._stop_kubelet(change.key)
        elif kind == "PersistentVolumeClaim":
            self._namespaces.on_claim(change)
        elif change.type == DELETED:
            self.ending.discard(change.key)
            self._namespaces.forget(change.key)
        elif "deletionTimestamp" in change.new["metadata"] and change.key not in self.ending:
            self._end_namespace(change.key)

    def _begin(self) -> None:
        """Watch what exists: it was listed before the start, and takes no time now.

        The controllers watch every kind but Events, for the garbage collector.
        """
        store = self._store
        for row in _served(store):
            if row.kind != "Event":
                self._watch(row, CLUSTER)
        for key in _OF_SCHEDULERS:
            self._watch(store.kind(key), CLUSTER)
        for name in store.read(gvk.NODE):
            self._start_kubelet(name, is_counted=False)

    def _start_kubelet(self, name: str, *, is_counted: bool = True) -> None:
        store = self._store
        self._mounted[name] = {}
        own_pods = Listed(0, len(store.read(gvk.POD)))
        rows = [(store.kind(gvk.NODE), RESOURCE, _ONE), (store.kind(gvk.POD), CLUSTER, own_pods)]
        rows += [(store.kind(key), CLUSTER, Listed(len(store.read(key)))) for key in _OF_KUBELETS]
        for row, scope, lists in rows:
            if is_counted:
                self._list(row, scope, lists)
            self._watch(row, scope)

    def _stop_kubelet(self, name: str) -> None:
        store = self._store
        self._watch(store.kind(gvk.NODE), RESOURCE, -1)
        for key in (gvk.POD, *_OF_KUBELETS):
            self._watch(store.kind(key), CLUSTER, -1)
        for kind, _ in self._mounted.pop(name, ()):
            self._watch(store.kind(_REFERRED[kind]), RESOURCE, -1)

    def _mount(self, key: str, pod: Json) -> None:
        """A kubelet lists and watches what a pod mounts, unless it watches that already."""
        spec = pod["spec"]
        found = volume_calls.watched_objects(pod)
        mounted = self._mounted.get(spec["nodeName"])
        if found and mounted is not None:
            self._pods[key] = (spec["nodeName"], found)
            for target in found:
                count = mounted[target] = mounted.get(target, 0) + 1
                if count == 1:
                    row = self._store.kind(_REFERRED[target[0]])
                    self._list(row, RESOURCE, _ONE)
                    self._watch(row, RESOURCE)
        if spec.get("volumes"):
            for _ in range(volume_calls.tokens(pod)):
                account = self._store.kind(_ACCOUNT)
                endpoint = self._api.endpoints.find("POST", account, "token")
                self._api.count(endpoint, self._clock.now_ns, SYSTEM)

    def _unmount(self, key: str) -> None:
        node, found = self._pods.pop(key)
        mounted = self._mounted.get(node)
        if mounted is None:
            return
        for target in found:
            mounted[target] -= 1
            if not mounted[target]:
                del mounted[target]
                self._watch(self._store.kind(_REFERRED[target[0]]), RESOURCE, -1)

    def _end_namespace(self, name: str) -> None:
        self.ending.add(name)
        rows = [row for row in _served(self._store) if row.namespaced]
        _Emptying(rows, self._moments, self._api).go_on()

    def _list(self, row: Kind, scope: str, lists: Listed) -> None:
        endpoint = self._api.endpoints.find("LIST", row, scope=scope)
        self._api.wait(endpoint, self._clock.now_ns, SYSTEM, lists)

    def _watch(self, row: Kind, scope: str, more: int = 1) -> None:
        endpoint = self._api.endpoints.find("WATCH", row, scope=scope)
        self._watches[endpoint] = self._watches.get(endpoint, 0) + more


class _Emptying:
    """The namespace controller deletes all of each kind, and lists what is left; one by one."""

    def __init__(self, rows: list[Kind], moments: Moments, api: ApiServer) -> None:
        self._moments = moments
        self._api = api
        self._left = [(verb, row) for row in reversed(rows) for verb in ("LIST", _DELETE_ALL)]

    def go_on(self) -> None:
        """Make the next call."""
        if self._left:
            verb, row = self._left.pop()
            endpoint = self._api.endpoints.find(verb, row, scope=NAMESPACE)
            ends_ns = self._api.wait(endpoint, self._moments.now_ns, WORKLOAD_HIGH)
            self._moments.at(ends_ns, self.go_on)


def _served(store: Store) -> Iterator[Kind]:
    """The kinds of Kubernetes and of its add-ons, each once."""
    return (row for row in store.kinds if row.stored_as is None and not row.group.endswith(_OURS))
