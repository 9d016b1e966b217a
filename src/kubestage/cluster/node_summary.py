"""The page ``stats/summary`` of a node: what it and its containers use, as JSON.

NOTE: kubelets are polled every few seconds during a load. To put the page together as objects and
to encode those took a fourteenth of its time; as text it takes a third of that
(benchmarks/load.py).
"""

from __future__ import annotations

from json.encoder import encode_basestring as _quoted
from typing import TYPE_CHECKING, Final, NamedTuple

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


def summary(node: Node | None, name: str, clock: Clock, plane: list[ContainerUsage]) -> str:
    """The page; `plane` are containers of the control plane that run there."""
    pods: list[str] = []
    cores, memory, running = 0.0, 0.0, 0
    now_ns, epoch_ns = clock.now_ns, clock.epoch_ns
    time, start = times.rfc3339(clock.unix_ns), times.rfc3339(epoch_ns)
    for each in plane:
        called, _, container = each.name.partition("/")
        used = each.cpu_cores, each.cpu_cores * now_ns, each.memory_bytes
        stats = _stats(container, start, time, *used)
        pods.append(_pod(called, "kube-system", called, start, stats))
        cores, memory = cores + each.cpu_cores, memory + each.memory_bytes
    for pod in () if node is None else running_on(node):
        running += 1
        since, containers = "", []
        for one in (*pod.inits, *pod.containers) if pod.inits else pod.containers:
            if one.state != RUNNING:
                continue
            plan, cpu, started_ns = one.plan, one.cpu, one.started_ns
            held = plan.memory.at(one.memory, now_ns - started_ns)
            burnt = one.burnt + cpu * (now_ns - one.since_ns)
            began = times.rfc3339(epoch_ns + started_ns)
            containers.append(_stats(plan.name, began, time, cpu, burnt, held))
            since = since or began
            cores, memory = cores + cpu, memory + held
        stats = ",".join(containers)
        pods.append(_pod(pod.pod_name, pod.namespace, pod.uid, since or time, stats))
    own = _node(name, clock, Total(cores, memory, running))
    return f'{{"node":{own},"pods":[{",".join(pods)}]}}'


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


def _node(name: str, clock: Clock, of_pods: Total) -> str:
    now_ns = clock.now_ns
    time, start = times.rfc3339(clock.unix_ns), times.rfc3339(clock.epoch_ns)
    system = [_stats("pods", start, time, of_pods.cores, of_pods.cores * now_ns, of_pods.memory)]
    for called, (idle, each, held, more) in _SYSTEM.items():
        own, pods = idle + each * of_pods.pods, of_pods.pods
        system.append(_stats(called, start, time, own, own * now_ns, held + more * pods))
    total = of_pods.of_node()
    used = _used(time, total.cores, total.cores * now_ns, total.memory)
    return (
        f'{{"nodeName":{_quoted(name)},"systemContainers":[{",".join(system)}],'
        f'"startTime":"{start}",{used}}}'
    )


def _pod(name: str, namespace: str, uid: str, since: str, containers: str) -> str:
    return (
        f'{{"podRef":{{"name":{_quoted(name)},"namespace":{_quoted(namespace)},'
        f'"uid":{_quoted(uid)}}},"startTime":"{since}","containers":[{containers}]}}'
    )


def _stats(name: str, start: str, time: str, cores: float, core_ns: float, memory: float) -> str:
    used = _used(time, cores, core_ns, memory)
    return f'{{"name":{_quoted(name)},"startTime":"{start}",{used}}}'


def _used(time: str, cores: float, core_ns: float, memory: float) -> str:
    held = round(memory)
    return (
        f'"cpu":{{"time":"{time}","usageNanoCores":{round(cores * SECOND_NS)},'
        f'"usageCoreNanoSeconds":{round(core_ns)}}},"memory":{{"time":"{time}",'
        f'"usageBytes":{held},"workingSetBytes":{held},"rssBytes":{held}}}'
    )
