"""Probes of kubelets: what the containers of a node use, asked for again and again."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.measure.components import control_plane
from kubestage.measure.outcome import Series
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.cluster.access import Cluster, Page, Timer

_PAGE: Final = "stats/summary?only_cpu_and_memory=true"


class _Cpu(msgspec.Struct, rename="camel"):
    usage_nano_cores: int | None = None


class _Memory(msgspec.Struct, rename="camel"):
    working_set_bytes: int | None = None


class _Container(msgspec.Struct, rename="camel"):
    name: str = ""
    cpu: _Cpu | None = None
    memory: _Memory | None = None


class _PodRef(msgspec.Struct):
    name: str = ""


class _Pod(msgspec.Struct, rename="camel"):
    pod_ref: _PodRef = msgspec.field(default_factory=_PodRef)
    containers: list[_Container] | None = None


class _Node(msgspec.Struct, rename="camel"):
    system_containers: list[_Container] | None = None


class _Summary(msgspec.Struct):
    node: _Node = msgspec.field(default_factory=_Node)
    pods: list[_Pod] | None = None


class Usage:
    """What one container used, each time that somebody looked."""

    __slots__ = ("at_ns", "cpu", "memory")

    def __init__(self) -> None:
        self.at_ns: list[int] = []
        self.cpu: list[float] = []
        self.memory: list[int] = []

    def series(self, name: str) -> tuple[Series, Series]:
        """CPU and memory over time, for charts."""
        memory = [float(value) for value in self.memory]
        return (
            Series(f"CPU {name}", "cores", self.at_ns, self.cpu),
            Series(f"memory {name}", "bytes", self.at_ns, memory),
        )


class NodeProbe:
    """Asks one node, and again a period after each answer.

    Of the pods' containers those count whose name is among `wanted`; what the system of a node
    runs always does. It is `finished` when nothing is on its way after it has been stopped.
    """

    def __init__(
        self, cluster: Cluster, node: str, wanted: frozenset[str], period_ns: int, delay_ns: int
    ) -> None:
        self.node = node
        self.usages: dict[str, Usage] = {}
        self.problem = ""
        self._cluster = cluster
        self._wanted = wanted
        self._period_ns = period_ns
        self._is_running = True
        self._is_asking = False
        self._timer: Timer | None = None
        self._ask_in(delay_ns)

    @property
    def is_finished(self) -> bool:
        """Whether it was stopped and no answer is due any more."""
        return not (self._is_running or self._is_asking)

    def stop(self) -> None:
        """Ask no more."""
        self._is_running = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ask_in(self, delay_ns: int) -> None:
        moments = self._cluster.moments
        self._timer = moments.at(moments.now_ns + delay_ns, self._ask)

    def _ask(self) -> None:
        self._is_asking = True
        self._cluster.raw(control_plane.node_page(self.node, _PAGE), self._answered)

    def _answered(self, page: Page) -> None:
        self._is_asking = False
        if page.code == HTTPStatus.OK:
            self._take(page.text)
        else:
            self.problem = f"node {self.node} answered {page.code}"
        if self._is_running:
            self._ask_in(self._period_ns)

    def _take(self, text: str) -> None:
        try:
            summary = msgspec.json.decode(text, type=_Summary)
        except msgspec.DecodeError as error:
            self.problem = f"node {self.node} answered what is no summary: {error}"
            return
        for pod in summary.pods or ():
            for container in pod.containers or ():
                if container.name in self._wanted:
                    self._note(f"{pod.pod_ref.name}/{container.name}", container)
        for container in summary.node.system_containers or ():
            self._note(f"{self.node}/{container.name}", container)

    def _note(self, name: str, container: _Container) -> None:
        if container.cpu is None or container.memory is None:
            return
        usage = self.usages.get(name)
        if usage is None:
            usage = self.usages[name] = Usage()
        usage.at_ns.append(self._cluster.moments.now_ns)
        usage.cpu.append((container.cpu.usage_nano_cores or 0) / SECOND_NS)
        usage.memory.append(container.memory.working_set_bytes or 0)
