"""What nodes report of themselves and of their containers, as a kubelet serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from kubestage.cluster.usage import ContainerUsage
from kubestage.controllers.kubelet import usage as kubelet_usage
from kubestage.metrics.families import NumberFamily
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.loop import KubeletController
    from kubestage.controllers.kubelet.node import Node
    from kubestage.metrics.families import Family
    from kubestage.metrics.samples import Used
    from kubestage.sim.clock import Clock

_MIB: Final = 1024 * 1024
_CPU: Final = "Cumulative cpu time consumed by the {} in core-seconds"
_MEMORY: Final = "Current working set of the {} in bytes"
_ERROR: Final = "1 if there was an error while getting container metrics, 0 otherwise"
# What the kubelet and the container runtime of a node use: idle, and for each pod that runs.
_SYSTEM: Final = {
    "kubelet": (0.02, 0.001, 50 * _MIB, _MIB // 2),
    "runtime": (0.02, 0.002, 40 * _MIB, 2 * _MIB),
}


def nodes_of(kubelet: KubeletController | None) -> list[Node]:
    """All nodes that can be reached."""
    return [] if kubelet is None else list(kubelet.nodes.ready.entities_in_stock())


def usage(node: Node, now_ns: int) -> list[ContainerUsage]:
    """What the containers of a node use now."""
    found = []
    for pod in node.pods.values():
        if pod.is_over or pod.node is not node:
            continue
        name = pod.name.partition("/")[2]
        for container in pod.running():
            memory = kubelet_usage.memory_of(container, now_ns)
            named = f"{name}/{container.plan.name}"
            found.append(ContainerUsage(named, container.cpu, round(memory)))
    return found


def pods_of(nodes: Iterable[Node], now_ns: int) -> dict[str, dict[str, Used]]:
    """By pod and container, what running ones have used since they were started."""
    return kubelet_usage.used(nodes, now_ns)


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
            held = kubelet_usage.memory_of(one, clock.now_ns)
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


def kubelet_families(nodes: Iterable[Node]) -> list[Family]:
    """The metrics of kubelets; unlike those of others they have a label for the node."""
    pods: dict[tuple[str, ...], float] = {}
    containers: dict[tuple[str, ...], float] = {}
    for node in nodes:
        running = [pod for pod in node.pods.values() if not pod.is_over and pod.node is node]
        pods[node.name,] = len(running)
        containers[node.name, "running"] = sum(len(list(pod.running())) for pod in running)
    return [
        NumberFamily(
            "kubelet_running_pods",
            "Number of pods that have a running pod sandbox",
            ("node",),
            pods,
            stability="BETA",
        ),
        NumberFamily(
            "kubelet_running_containers",
            "Number of containers currently running",
            ("node", "container_state"),
            containers,
            stability="BETA",
        ),
    ]


def resource_families(node: Node, clock: Clock) -> list[Family]:
    """The page ``metrics/resource``: what a node, its pods and their containers use."""
    found = summary(node, node.name, clock, [])
    total = found["node"]
    seconds = total["cpu"]["usageCoreNanoSeconds"] / SECOND_NS
    held = total["memory"]["workingSetBytes"]
    pods = pods_of([node], clock.now_ns)
    of_pods: tuple[dict[tuple[str, ...], float], dict[tuple[str, ...], float]] = ({}, {})
    for key, containers in pods.items():
        namespace, _, pod = key.partition("/")
        used = containers.values()
        of_pods[0][namespace, pod] = sum(each.cpu_core_ns for each in used) / SECOND_NS
        of_pods[1][namespace, pod] = sum(each.memory_bytes for each in used)
    names = ("namespace", "pod")
    return [
        *cadvisor_families(pods, {}, clock.epoch_ns),
        _family("node_cpu_usage_seconds_total", _CPU.format("node"), (), {(): seconds}),
        _family("node_memory_working_set_bytes", _MEMORY.format("node"), (), {(): held}),
        _family("pod_cpu_usage_seconds_total", _CPU.format("pod"), names, of_pods[0]),
        _family("pod_memory_working_set_bytes", _MEMORY.format("pod"), names, of_pods[1]),
        _family("resource_scrape_error", _ERROR, (), {(): 0}),
    ]


def _family(
    name: str, text: str, labels: tuple[str, ...], samples: dict[tuple[str, ...], float]
) -> Family:
    kind: Literal["counter", "gauge"] = "counter" if name.endswith("_total") else "gauge"
    return NumberFamily(name, text, labels, samples, kind=kind, stability="STABLE")


def cadvisor_families(
    pods: Mapping[str, Mapping[str, Used]],
    plane: Mapping[str, tuple[str, float, int]],
    epoch_ns: int,
) -> list[Family]:
    """What containers have used, and since when they run."""
    cpu: dict[tuple[str, ...], float] = {}
    memory: dict[tuple[str, ...], float] = {}
    start: dict[tuple[str, ...], float] = {}
    for key, containers in pods.items():
        namespace, _, pod = key.partition("/")
        for name, used in containers.items():
            labels = (namespace, pod, name)
            cpu[labels] = used.cpu_core_ns / SECOND_NS
            memory[labels] = used.memory_bytes
            start[labels] = (epoch_ns + used.started_ns) / SECOND_NS
    for key, (container, seconds, held) in plane.items():
        namespace, _, pod = key.partition("/")
        labels = (namespace, pod, container)
        cpu[labels], memory[labels], start[labels] = seconds, held, epoch_ns / SECOND_NS
    names = ("namespace", "pod", "container")
    return [
        NumberFamily(
            "container_cpu_usage_seconds_total",
            "Cumulative cpu time consumed in seconds.",
            names,
            cpu,
            kind="counter",
        ),
        NumberFamily(
            "container_memory_working_set_bytes", "Current working set in bytes.", names, memory
        ),
        NumberFamily(
            "container_start_time_seconds",
            "Start time of the container since unix epoch in seconds.",
            names,
            start,
        ),
    ]
