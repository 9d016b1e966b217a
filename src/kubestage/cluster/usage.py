"""The CPU and memory that the components of the control plane use: a model of few constants.

CPU follows work: core time of calls for the API server, writes for etcd, attempts for the
scheduler, syncs for the controllers. Memory follows what is held: objects and nodes. The constants
are those of docs/control-plane-profiles.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.cluster.api_server import ApiServer
    from kubestage.controllers.runner import Runner
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.store.store import Store

APISERVER, ETCD = "apiserver", "etcd"
SCHEDULER, CONTROLLER_MANAGER = "scheduler", "controller-manager"
CONTROL_PLANE: Final = (APISERVER, CONTROLLER_MANAGER, ETCD, SCHEDULER)

_KIB: Final = 1024
_MIB: Final = 1024 * _KIB


class ContainerUsage(msgspec.Struct, frozen=True):
    """What a container uses now; its name is ``<pod>/<container>``."""

    name: str
    cpu_cores: float
    memory_bytes: int


class Constants(msgspec.Struct, frozen=True, kw_only=True):
    """What a component uses: idle, for each unit of work, and for each object that it holds."""

    idle_cores: float
    work_seconds: float
    memory_bytes: int
    object_bytes: int
    node_bytes: int


CONSTANTS: Final = {
    APISERVER: Constants(
        idle_cores=0.05,
        work_seconds=0.0,
        memory_bytes=300 * _MIB,
        object_bytes=16 * _KIB,
        node_bytes=256 * _KIB,
    ),
    ETCD: Constants(
        idle_cores=0.02,
        work_seconds=0.0002,
        memory_bytes=60 * _MIB,
        object_bytes=4 * _KIB,
        node_bytes=0,
    ),
    SCHEDULER: Constants(
        idle_cores=0.005,
        work_seconds=0.001,
        memory_bytes=40 * _MIB,
        object_bytes=8 * _KIB,
        node_bytes=20 * _KIB,
    ),
    CONTROLLER_MANAGER: Constants(
        idle_cores=0.02,
        work_seconds=0.001,
        memory_bytes=60 * _MIB,
        object_bytes=8 * _KIB,
        node_bytes=20 * _KIB,
    ),
}
DATABASE_BYTES: Final = 20 * _MIB
DATABASE_OBJECT_BYTES: Final = 2_500
"""The size of an empty database of etcd on disk, and what each object adds."""


_WINDOW_S: Final = 10.0


class ControlPlaneUsage:
    """The model, on the numbers of a stage."""

    def __init__(
        self,
        store: Store,
        api: ApiServer,
        scheduler: Scheduler | None,
        controllers: Runner | None,
    ) -> None:
        self._store = store
        self._api = api
        self._scheduler = scheduler
        self._controllers = controllers
        self._first_revision = store.revision
        self._started_ns = store.clock.now_ns
        # When the usage of a component was read, and its value: the last two times.
        self._readings: dict[str, list[tuple[int, float]]] = {}

    @property
    def objects(self) -> int:
        """How many objects there are."""
        return self._store.object_count

    @property
    def database_bytes(self) -> int:
        """How large etcd's database is."""
        return DATABASE_BYTES + DATABASE_OBJECT_BYTES * self.objects

    def cpu_seconds(self, component: str) -> float:
        """What a component has used since the start."""
        constants = CONSTANTS[component]
        passed_s = (self._store.clock.now_ns - self._started_ns) * 1e-9
        worked = self._api.cpu_ns * 1e-9 if component == APISERVER else 0.0
        worked += constants.work_seconds * self._work(component)
        return constants.idle_cores * passed_s + worked

    def cores(self, component: str) -> float:
        """What a component uses on average since it was last read, or since the start.

        A moment's work is spread over some time, as when the counters of a machine are read.
        """
        now_ns = self._store.clock.now_ns
        used = self.cpu_seconds(component)
        readings = self._readings.setdefault(component, [(self._started_ns, 0.0)])
        if readings[-1][0] < now_ns:
            readings.append((now_ns, used))
            del readings[:-2]
        (since_ns, before), (until_ns, after) = readings[0], readings[-1]
        passed_s = (until_ns - since_ns) * 1e-9
        idle_cores = CONSTANTS[component].idle_cores
        worked = after - before - idle_cores * passed_s
        return idle_cores + worked / max(passed_s, _WINDOW_S)

    def memory_bytes(self, component: str) -> int:
        """What a component holds now."""
        constants, read = CONSTANTS[component], self._store.read
        nodes = len(read(gvk.NODE))
        held = len(read(gvk.POD)) if component == SCHEDULER else self.objects
        return constants.memory_bytes + constants.object_bytes * held + constants.node_bytes * nodes

    def _work(self, component: str) -> int:
        if component == ETCD:
            return self._store.revision - self._first_revision
        if component == SCHEDULER and self._scheduler is not None:
            metrics = self._scheduler.metrics
            if metrics.settle is not None:
                metrics.settle()
            return sum(metrics.schedule_attempts.values.values())
        if component == CONTROLLER_MANAGER and self._controllers is not None:
            return self._controllers.syncs
        return 0
