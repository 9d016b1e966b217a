"""The page ``stats/summary`` of a node: what it and its containers use.

NOTE: kubelets are polled every few seconds during a load, which took a fourteenth of one with 500
nodes (benchmarks/load.py). Of structs, the page of 30 pods takes 30 us, of dicts 52 us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.controllers.kubelet.containers import RUNNING
from kubestage.golang import times
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.cluster.usage import ContainerUsage
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.pod import Pod
    from kubestage.sim.clock import Clock

_MIB: Final = 1024 * 1024
# What the kubelet and the container runtime of a node use: idle, and for each pod that runs.
_SYSTEM: Final = {
    "kubelet": (0.02, 0.001, 50 * _MIB, _MIB // 2),
    "runtime": (0.02, 0.002, 40 * _MIB, 2 * _MIB),
}
_encoder: Final = msgspec.json.Encoder()


class _Cpu(msgspec.Struct, rename="camel", gc=False):
    time: str
    usage_nano_cores: int
    usage_core_nano_seconds: int


class _Memory(msgspec.Struct, rename="camel", gc=False):
    time: str
    usage_bytes: int
    working_set_bytes: int
    rss_bytes: int


class _Container(msgspec.Struct, rename="camel", gc=False):
    name: str
    start_time: str
    cpu: _Cpu
    memory: _Memory


class _Reference(msgspec.Struct, gc=False):
    name: str
    namespace: str
    uid: str


class _Pod(msgspec.Struct, rename="camel", gc=False):
    pod_ref: _Reference
    start_time: str
    containers: list[_Container]


class _Node(msgspec.Struct, rename="camel", gc=False):
    node_name: str
    system_containers: list[_Container]
    start_time: str
    cpu: _Cpu
    memory: _Memory


class _Page(msgspec.Struct, gc=False):
    node: _Node
    pods: list[_Pod]


class Total(NamedTuple):
    """What something uses in all: cores and bytes, by so many pods."""

    cores: float
    memory: float
    pods: int

    def of_node(self) -> Total:
        """That of a node whose pods use this."""
        cores, memory, pods = self
        for idle, each, held, more in _SYSTEM.values():
            cores, memory = cores + (idle + each * pods), memory + held + more * pods
        return Total(cores, memory, pods)


def summary(node: Node | None, name: str, clock: Clock, plane: list[ContainerUsage]) -> bytes:
    """The page, as JSON; `plane` are containers of the control plane that run there."""
    pods: list[_Pod] = []
    cores, memory, running = 0.0, 0.0, 0
    now_ns, epoch_ns, when = clock.now_ns, clock.epoch_ns, times.rfc3339
    time, start = when(clock.unix_ns), when(epoch_ns)
    for each in plane:
        called, _, container = each.name.partition("/")
        cpu, held = each.cpu_cores, each.memory_bytes
        stats = _container(container, start, time, cpu, cpu * now_ns, held)
        pods.append(_Pod(_Reference(called, "kube-system", called), start, [stats]))
        cores, memory = cores + cpu, memory + held
    for pod in () if node is None else running_on(node):
        running += 1
        containers = []
        for one in (*pod.inits, *pod.containers) if pod.inits else pod.containers:
            if one.state == RUNNING:
                plan, cpu, started_ns = one.plan, one.cpu, one.started_ns
                holds = plan.memory.at(one.memory, now_ns - started_ns)
                burnt = one.burnt + cpu * (now_ns - one.since_ns)
                began = when(epoch_ns + started_ns)
                containers.append(_container(plan.name, began, time, cpu, burnt, holds))
                cores, memory = cores + cpu, memory + holds
        since = containers[0].start_time if containers else time
        pods.append(_Pod(_Reference(pod.pod_name, pod.namespace, pod.uid), since, containers))
    page = _Page(_node(name, clock, Total(cores, memory, running)), pods)
    return _encoder.encode(page)


def running_on(node: Node) -> list[Pod]:
    """The pods that run on a node."""
    return [pod for pod in node.pods.values() if not pod.is_over and pod.node is node]


def total_of(node: Node, now_ns: int) -> Total:
    """What the pods of a node use in all."""
    cores = memory = 0.0
    pods = running_on(node)
    for pod in pods:
        for one in pod.running():
            cores += one.cpu
            memory += one.plan.memory.at(one.memory, now_ns - one.started_ns)
    return Total(cores, memory, len(pods))


def _node(name: str, clock: Clock, of_pods: Total) -> _Node:
    now_ns = clock.now_ns
    time, start = times.rfc3339(clock.unix_ns), times.rfc3339(clock.epoch_ns)
    cores, memory, pods = of_pods
    system = [_container("pods", start, time, cores, cores * now_ns, memory)]
    for called, (idle, each, held, more) in _SYSTEM.items():
        own = idle + each * pods
        system.append(_container(called, start, time, own, own * now_ns, held + more * pods))
    cores, memory, _ = of_pods.of_node()
    all_of_it = _container("", start, time, cores, cores * now_ns, memory)
    return _Node(name, system, start, all_of_it.cpu, all_of_it.memory)


def _container(
    name: str, start: str, time: str, cores: float, core_ns: float, memory: float
) -> _Container:
    held = round(memory)
    cpu = _Cpu(time, round(cores * SECOND_NS), round(core_ns))
    return _Container(name, start, cpu, _Memory(time, held, held, held))
