"""Probes of kubelets: what the containers of a node use, polled repeatedly."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.measure.components import control_plane
from kubestage.measure.results import Series
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.cluster.access import Cluster, Page, Timer

_PAGE: Final = "stats/summary?only_cpu_and_memory=true"


class _Cpu(msgspec.Struct, rename="camel", gc=False):
    usage_nano_cores: int | None = None


class _Memory(msgspec.Struct, rename="camel", gc=False):
    working_set_bytes: int | None = None


class _Container(msgspec.Struct, rename="camel", gc=False):
    name: str = ""
    cpu: _Cpu | None = None
    memory: _Memory | None = None


class _PodRef(msgspec.Struct, gc=False):
    name: str = ""


class _Pod(msgspec.Struct, rename="camel", gc=False):
    pod_ref: _PodRef = msgspec.field(default_factory=_PodRef)
    containers: list[_Container] | None = None


class _Node(msgspec.Struct, rename="camel", gc=False):
    system_containers: list[_Container] | None = None


class _Summary(msgspec.Struct, gc=False):
    node: _Node = msgspec.field(default_factory=_Node)
    pods: list[_Pod] | None = None


class Usage:
    """What one container used, at each poll."""

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
    """Polls one node, each time a period after the last answer.

    Of the pods' containers those count whose name is among `containers`; those
    of the node's system always do. It is finished when it was stopped and no answer is due.
    """

    def __init__(
        self, cluster: Cluster, node: str, containers: frozenset[str], period_ns: int, delay_ns: int
    ) -> None:
        self.node = node
        self.usages: dict[str, Usage] = {}
        self.problem = ""
        self._cluster = cluster
        self._containers = containers
        self._period_ns = period_ns
        self._is_running = True
        self._is_requesting = False
        self._timer: Timer | None = None
        self._request_after(delay_ns)

    @property
    def is_finished(self) -> bool:
        """Whether it was stopped and no answer is due any more."""
        return not (self._is_running or self._is_requesting)

    def stop(self) -> None:
        """Stop requesting."""
        self._is_running = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _request_after(self, delay_ns: int) -> None:
        moments = self._cluster.moments
        self._timer = moments.at(moments.now_ns + delay_ns, self._request)

    def _request(self) -> None:
        self._is_requesting = True
        self._cluster.raw(control_plane.node_page(self.node, _PAGE), self._answered)

    def _answered(self, page: Page) -> None:
        self._is_requesting = False
        if page.code == HTTPStatus.OK:
            self._take(page.text)
        else:
            self.problem = f"node {self.node} answered {page.code}"
        if self._is_running:
            self._request_after(self._period_ns)

    def _take(self, text: str) -> None:
        try:
            summary = msgspec.json.decode(text, type=_Summary)
        except msgspec.DecodeError as error:
            self.problem = f"node {self.node} did not answer with a summary: {error}"
            return
        for pod in summary.pods or ():
            for container in pod.containers or ():
                if container.name in self._containers:
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
