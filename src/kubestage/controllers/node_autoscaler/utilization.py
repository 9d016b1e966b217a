"""How much of a node its pods request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.node_autoscaler import node_state, pod_state
from kubestage.golang import formatting
from kubestage.objects.views import node as node_views

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.views.pod import PodView

_CPU: Final = "cpu"
_MEMORY: Final = "memory"


class Utilization(NamedTuple):
    """The share of the resource that is used most, and of each."""

    resource: str
    share: float
    cpu: float = 0.0
    memory: float = 0.0
    gpu: float = 0.0

    def __str__(self) -> str:
        """As cluster-autoscaler shows it: CPU, memory, GPU, devices, and what is used most."""
        shares = " ".join(map(formatting.show, (self.cpu, self.memory, self.gpu, 0)))
        return f"{{{shares} {self.resource} {formatting.show(self.share)}}}"

    @property
    def is_of_gpu(self) -> bool:
        """Whether the node is one with GPUs, of which nothing else counts."""
        return self.resource in node_state.GPUS


def of_node(
    world: World, pods: Iterable[PodView], node: Json, settings: NodeAutoscalerSettings
) -> Utilization | None:
    """What pods ask for of what a node of a group offers."""
    options = world.options[world.group_names[node["metadata"]["name"]]]
    offered, gpu = node_views.of(node).allocatable, world.provider.gpu_of(node)
    ignores = options.ignore_daemonsets_utilization
    return _measured(offered, gpu, _split(pods, settings, world.now_ns, ignores))


def node_utilization(
    offered: Resource, pods: Iterable[PodView], settings: NodeAutoscalerSettings, now_ns: int
) -> Utilization | None:
    """What pods ask for of what a node offers; None if it offers no CPU or no memory."""
    split = _split(pods, settings, now_ns, settings.ignore_daemonsets_utilization)
    return _measured(offered, node_state.gpu_of(offered), split)


def _measured(
    offered: Resource, gpu: str | None, split: tuple[list[PodView], list[PodView]]
) -> Utilization | None:
    if gpu is not None:
        offered_gpus = offered.scalars.get(gpu, 0)
        share = _share(gpu, offered_gpus, *split) if offered_gpus else 0.0
        return Utilization(gpu, share, gpu=share)
    if not offered.milli_cpu or not offered.memory:
        return None
    cpu = _share(_CPU, offered.milli_cpu, *split)
    memory = _share(_MEMORY, offered.memory, *split)
    resource, share = (_CPU, cpu) if cpu > memory else (_MEMORY, memory)
    return Utilization(resource, share, cpu, memory)


def _split(
    pods: Iterable[PodView],
    settings: NodeAutoscalerSettings,
    now_ns: int,
    ignores_daemons: bool,
) -> tuple[list[PodView], list[PodView]]:
    """The pods that count, and those that count as part of the node itself."""
    counted, left_out = [], []
    for pod in pods:
        if (ignores_daemons and pod_state.is_daemon(pod)) or (
            settings.ignore_mirror_pods_utilization and pod_state.is_mirror(pod)
        ):
            left_out.append(pod)
        elif not pod_state.is_overdue(pod, now_ns):
            counted.append(pod)
    return counted, left_out


def _share(resource: str, offered: int, counted: list[PodView], left_out: list[PodView]) -> float:
    left = offered - _sum(resource, left_out)
    requested = _sum(resource, counted)
    if left:
        return requested / left
    return float("inf") if requested and offered else 0.0


def _sum(resource: str, pods: list[PodView]) -> int:
    if resource == _CPU:
        return sum(pod.requests.milli_cpu for pod in pods)
    if resource == _MEMORY:
        return sum(pod.requests.memory for pod in pods)
    return sum(pod.requests.scalars.get(resource, 0) for pod in pods)
