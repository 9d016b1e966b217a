"""The components of a staged cluster as measurements see them: metrics and usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster import node_stats, storage_metrics
from kubestage.cluster.usage import (
    APISERVER,
    CONTROL_PLANE,
    CONTROLLER_MANAGER,
    ETCD,
    SCHEDULER,
    ContainerUsage,
    ControlPlaneUsage,
)
from kubestage.controllers.kubelet.loop import KubeletController
from kubestage.errors import InputError
from kubestage.metrics.families import Gauge, NumberFamily, number
from kubestage.objects import gvk

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from kubestage.cluster.api_server import ApiServer
    from kubestage.cluster.component_calls import ComponentCalls
    from kubestage.cluster.watchers import Watchers
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.runner import Runner
    from kubestage.metrics.families import Family
    from kubestage.metrics.scraper import Metrics
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.store.log import Change
    from kubestage.store.store import Store

KUBELET, CADVISOR, SYSTEM_CONTAINERS = "kubelet", "cadvisor", "system-containers"
COMPONENTS: Final = (*CONTROL_PLANE, KUBELET, CADVISOR, SYSTEM_CONTAINERS)
"""The components with metrics; the last has the containers outside of the namespaces of loads."""
OF_LOADS: Final = "test-"
"""The prefix of the namespaces that a load creates, by default."""
MASTER: Final = "master"
"""The name of the node of the control plane, where the stage has none."""
CONTAINERS: Final = {
    APISERVER: ("kube-apiserver", "kube-apiserver"),
    CONTROLLER_MANAGER: ("kube-controller-manager", "kube-controller-manager"),
    ETCD: ("etcd-server", "etcd-container"),
    SCHEDULER: ("kube-scheduler", "kube-scheduler"),
}
"""The pods of the control plane (the name of the node follows), and their containers."""

_ROLES: Final = frozenset(
    {"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}
)


class Components:
    """Reads the numbers of all components on request."""

    def __init__(
        self,
        store: Store,
        api: ApiServer,
        calls: ComponentCalls,
        watchers: Watchers,
        *,
        scheduler: Scheduler | None = None,
        controllers: Runner | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.store = store
        self.usages = ControlPlaneUsage(store, api, scheduler, controllers)
        self._api = api
        self._calls = calls
        self._watchers = watchers
        self._scheduler = scheduler
        self._controllers = controllers
        self.board = None if metrics is None else metrics.board
        # NOTE: as every page of a node asks for it, searching all nodes took half of a large load.
        self._master = ""
        store.subscribe(self._on_node, frozenset({("", "Node")}))
        self._families: dict[str, Callable[[], list[Family]]] = {
            APISERVER: self._of_api_server,
            CONTROLLER_MANAGER: self._of_controllers,
            ETCD: self._of_etcd,
            SCHEDULER: self._of_scheduler,
            KUBELET: self._of_kubelets,
            CADVISOR: self._of_containers,
            SYSTEM_CONTAINERS: self._of_system_containers,
        }

    @property
    def kubelet(self) -> KubeletController | None:
        """The kubelet of all nodes, if the stage has one."""
        loops = () if self._controllers is None else self._controllers.controllers
        # NOTE: asked for with every page of a node, and to tell the class of a loop takes long.
        named = (loop for loop in loops if loop.name == KubeletController.name)
        return next((loop for loop in named if isinstance(loop, KubeletController)), None)

    @property
    def master(self) -> str:
        """The name of the node of the control plane."""
        if not self._master:
            self._master = next(
                (
                    name
                    for name, node in self.store.read(gvk.NODE).items()
                    if is_master(name)
                    or not _ROLES.isdisjoint(node["metadata"].get("labels") or ())
                ),
                MASTER,
            )
        return self._master

    def _on_node(self, _change: Change) -> None:
        self._master = ""

    def families(self, component: str) -> Iterable[Family]:
        """The metrics of a component, up to date."""
        found = self._families.get(component)
        if found is None:
            raise InputError(
                f"there is no component {component!r}", fix=f"use one of {', '.join(COMPONENTS)}"
            )
        return found()

    def usage(self) -> list[ContainerUsage]:
        """What the control plane and all running pods use now."""
        found = self.control_plane()
        for node in node_stats.nodes_of(self.kubelet):
            found += node_stats.usage(node, self.store.clock.now_ns)
        return found

    def control_plane(self) -> list[ContainerUsage]:
        """What the control plane uses now."""
        self._calls.beat()
        self._api.settle()
        master, usages = self.master, self.usages
        return [
            ContainerUsage(
                f"{CONTAINERS[component][0]}-{master}/{CONTAINERS[component][1]}",
                usages.cores(component),
                usages.memory_bytes(component),
            )
            for component in CONTROL_PLANE
        ]

    def _process(self, component: str) -> list[Family]:
        usages = self.usages
        return [
            number(
                "process_cpu_seconds_total",
                "Total user and system CPU time spent in seconds.",
                usages.cpu_seconds(component),
                kind="counter",
            ),
            number(
                "process_resident_memory_bytes",
                "Resident memory size in bytes.",
                usages.memory_bytes(component),
            ),
            number(
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
                self.store.clock.epoch_ns * 1e-9,
            ),
        ]

    def _of_api_server(self) -> list[Family]:
        self._calls.beat()
        self._api.settle()
        now_ns = self.store.clock.now_ns
        in_flight = Gauge(
            "apiserver_current_inflight_requests",
            "STABLE",
            "Maximal number of currently used inflight request limit of this apiserver per request"
            " kind in last second.",
            ("request_kind",),
        )
        reads, writes = self._api.in_flight(now_ns)
        in_flight.put({("readOnly",): reads, ("mutating",): writes})
        in_line = Gauge(
            "apiserver_current_inqueue_requests",
            "ALPHA",
            "Maximal number of queued requests in this apiserver per request kind in last second.",
            ("request_kind",),
        )
        reads, writes = self._api.in_line(now_ns)
        in_line.put({("readOnly",): reads, ("mutating",): writes})
        return [
            *self._api.endpoints.families(),
            in_flight,
            in_line,
            *(() if self._api.levels is None else self._api.levels.families(now_ns)),
            *storage_metrics.of_api_server(self.store),
            *self._watchers.families(),
            *self._process(APISERVER),
        ]

    def _of_scheduler(self) -> list[Family]:
        own = [] if self._scheduler is None else list(self._scheduler.metrics.families())
        return [*own, *self._process(SCHEDULER)]

    def _of_controllers(self) -> list[Family]:
        families = self._process(CONTROLLER_MANAGER)
        if self._controllers is not None:
            syncs = number(
                "kubestage_controller_syncs_total",
                "Number of syncs of all controllers.",
                self._controllers.syncs,
                kind="counter",
            )
            failures = NumberFamily(
                "kubestage_controller_failures_total",
                "Number of failed syncs, by controller.",
                ("name",),
                {(name,): float(count) for name, count in self._controllers.failures.items()},
                kind="counter",
            )
            families += [syncs, failures]
        return families

    def _of_etcd(self) -> list[Family]:
        self._calls.beat()
        self._api.settle()
        database_bytes = self.usages.database_bytes
        own = storage_metrics.of_etcd(self.store, database_bytes, self._api.endpoints)
        return [*own, *self._process(ETCD)]

    def _of_kubelets(self) -> list[Family]:
        return node_stats.kubelet_families(node_stats.nodes_of(self.kubelet))

    def _of_containers(self) -> list[Family]:
        return self._containers_on(node_stats.nodes_of(self.kubelet))

    def _of_system_containers(self) -> list[Family]:
        """The containers outside of the namespaces of loads, where nearly all are inside."""
        collection = self.store.collection(gvk.POD)
        others = [each for each in collection.namespaces if not each.startswith(OF_LOADS)]
        included = {key for namespace in others for key in collection.keys(namespace)}
        names = {collection.objects[key]["spec"].get("nodeName") for key in included}
        nodes = node_stats.nodes_of(self.kubelet) if included else ()
        return self._containers_on([node for node in nodes if node.name in names], included)

    def _containers_on(
        self, nodes: Sequence[Node], included: Container[str] | None = None
    ) -> list[Family]:
        clock = self.store.clock
        pods = node_stats.pods_of(nodes, clock.now_ns)
        if included is not None:
            pods = {key: pods[key] for key in pods if key in included}
        plane = {
            f"kube-system/{CONTAINERS[component][0]}-{self.master}": (
                CONTAINERS[component][1],
                self.usages.cpu_seconds(component),
                self.usages.memory_bytes(component),
            )
            for component in CONTROL_PLANE
        }
        return node_stats.cadvisor_families(pods, plane, clock.epoch_ns)


def is_master(name: str) -> bool:
    """Whether a node has the name of a control plane: ``...master`` or ``...master-xyz``."""
    return name.endswith("master") or (len(name) >= 10 and name[:-3].endswith("master-"))
