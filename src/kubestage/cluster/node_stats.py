"""What nodes report of themselves and of their containers, as a kubelet serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from kubestage.cluster import node_summary
from kubestage.cluster.usage import ContainerUsage
from kubestage.controllers.kubelet import usage as kubelet_usage
from kubestage.metrics.families import NumberFamily
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.controllers.kubelet.loop import KubeletController
    from kubestage.controllers.kubelet.node import Node
    from kubestage.metrics.families import Family
    from kubestage.metrics.samples import Used
    from kubestage.sim.clock import Clock

_CPU: Final = "Cumulative cpu time consumed by the {} in core-seconds"
_MEMORY: Final = "Current working set of the {} in bytes"
_ERROR: Final = "1 if there was an error while getting container metrics, 0 otherwise"


def nodes_of(kubelet: KubeletController | None) -> list[Node]:
    """All nodes that can be reached."""
    return [] if kubelet is None else list(kubelet.nodes.ready.entities_in_stock())


def usage(node: Node, now_ns: int) -> list[ContainerUsage]:
    """What the containers of a node use now."""
    found = []
    for pod in node_summary.running_on(node):
        name = pod.name.partition("/")[2]
        for container in pod.running():
            memory = kubelet_usage.memory_of(container, now_ns)
            named = f"{name}/{container.plan.name}"
            found.append(ContainerUsage(named, container.cpu, round(memory)))
    return found


def pods_of(nodes: Iterable[Node], now_ns: int) -> dict[str, dict[str, Used]]:
    """By pod and container, what running ones have used since they were started."""
    return kubelet_usage.used(nodes, now_ns)


def kubelet_families(nodes: Iterable[Node]) -> list[Family]:
    """The metrics of kubelets; unlike those of others they have a label for the node."""
    pods: dict[tuple[str, ...], float] = {}
    containers: dict[tuple[str, ...], float] = {}
    for node in nodes:
        running = node_summary.running_on(node)
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
    total = node_summary.total_of(node, clock.now_ns).of_node()
    seconds = round(total.cores * clock.now_ns) / SECOND_NS
    held = round(total.memory)
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
