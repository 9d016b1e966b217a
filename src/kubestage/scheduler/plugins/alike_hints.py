"""Pods that are alike, and the plugins whose queueing hints are the same for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.scheduler.plugins.default_preemption import DefaultPreemption
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.plugins.node_affinity import NodeAffinity
from kubestage.scheduler.plugins.node_declared_features import NodeDeclaredFeatures
from kubestage.scheduler.plugins.node_name import NodeName
from kubestage.scheduler.plugins.node_ports import NodePorts
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.plugins.node_unschedulable import NodeUnschedulable
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.plugins.scheduling_gates import SchedulingGates
from kubestage.scheduler.plugins.taint_toleration import TaintToleration

if TYPE_CHECKING:
    from kubestage.objects.views.plan import PodPlan
    from kubestage.objects.views.pod import PodView

_ANSWER_ALIKE: Final = frozenset(
    {
        DefaultPreemption,
        InterPodAffinity,
        NodeAffinity,
        NodeDeclaredFeatures,
        NodeName,
        NodePorts,
        NodeResourcesFit,
        NodeUnschedulable,
        PodTopologySpread,
        SchedulingGates,
        TaintToleration,
    }
)
"""Exactly these, whose hints see a pod's template, labels and owner, and whether it has changed
itself. The hints about volumes and devices see more, and what a user's do is not known.
"""


class Likeness(NamedTuple):
    """What such hints can see of a pod."""

    plan: PodPlan
    labels: frozenset[tuple[str, str]]
    owner: tuple[str, ...]


def likeness_of(pod: PodView) -> Likeness:
    """The likeness of a pod; one whose status bears on what it requests is like no other."""
    owner: tuple[str, ...] = ()
    if pod.requests is not pod.plan.usage.resource:
        owner = (pod.uid,)
    elif (found := pod.owner) is not None:
        owner = tuple([str(found.get(key)) for key in ("apiVersion", "kind", "name")])
    return Likeness(pod.plan, frozenset(pod.labels.items()), owner)


def answers_alike(plugin: object) -> bool:
    """Whether a plugin's hints give pods of one likeness the same answer.

    That holds for all but a pod that is itself what has changed.
    """
    return type(plugin) in _ANSWER_ALIKE
