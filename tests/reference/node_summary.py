"""The page ``stats/summary`` of a node, made of dicts field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet import usage
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.usage import ContainerUsage
    from kubestage.controllers.kubelet.node import Node
    from kubestage.sim.clock import Clock

_MIB: Final = 1024 * 1024
_SYSTEM: Final = {
    "kubelet": (0.02, 0.001, 50 * _MIB, _MIB // 2),
    "runtime": (0.02, 0.002, 40 * _MIB, 2 * _MIB),
}


def summary(node: Node | None, name: str, clock: Clock, plane: list[ContainerUsage]) -> Json:
    """The page ``stats/summary``; `plane` are containers of the control plane that run there."""
    time = timestamps.format_time(clock.unix_ns)
    start = timestamps.format_time(clock.epoch_ns)
    pods: list[Json] = []
    cores, memory, running = 0.0, 0.0, 0
    for each in plane:
        called, _, container = each.name.partition("/")
        reference = {"name": called, "namespace": "kube-system", "uid": called}
        cpu_ns = each.cpu_cores * clock.now_ns
        stats = _stats(container, start, time, each.cpu_cores, cpu_ns, each.memory_bytes)
        pods.append({"podRef": reference, "startTime": start, "containers": [stats]})
        cores, memory = cores + each.cpu_cores, memory + each.memory_bytes
    for pod in () if node is None else node.pods.values():
        if pod.is_over or pod.node is not node:
            continue
        running += 1
        containers = []
        for one in pod.running():
            held = usage.memory_of(one, clock.now_ns)
            since = timestamps.format_time(clock.epoch_ns + one.started_ns)
            burnt = one.burnt + one.cpu * (clock.now_ns - one.since_ns)
            containers.append(_stats(one.plan.name, since, time, one.cpu, burnt, held))
            cores, memory = cores + one.cpu, memory + held
        namespace, _, called = pod.name.partition("/")
        reference = {"name": called, "namespace": namespace, "uid": pod.uid}
        since = containers[0]["startTime"] if containers else time
        pods.append({"podRef": reference, "startTime": since, "containers": containers})
    return {"node": _node(name, clock, (cores, memory), running), "pods": pods}


def _node(name: str, clock: Clock, of_pods: tuple[float, float], running: int) -> Json:
    time = timestamps.format_time(clock.unix_ns)
    start = timestamps.format_time(clock.epoch_ns)
    cores, memory = of_pods
    system = [_stats("pods", start, time, cores, cores * clock.now_ns, memory)]
    for called, (idle, each, held, more) in _SYSTEM.items():
        own = idle + each * running
        system.append(_stats(called, start, time, own, own * clock.now_ns, held + more * running))
        cores, memory = cores + own, memory + held + more * running
    total = _stats("", start, time, cores, cores * clock.now_ns, memory)
    return {
        "nodeName": name,
        "systemContainers": system,
        "startTime": start,
        "cpu": total["cpu"],
        "memory": total["memory"],
    }


def _stats(
    name: str, start: str, time: str, cores: float, cpu_core_ns: float, memory: float
) -> Json:
    held = round(memory)
    return {
        "name": name,
        "startTime": start,
        "cpu": {
            "time": time,
            "usageNanoCores": round(cores * SECOND_NS),
            "usageCoreNanoSeconds": round(cpu_core_ns),
        },
        "memory": {
            "time": time,
            "usageBytes": held,
            "workingSetBytes": held,
            "rssBytes": held,
        },
    }
