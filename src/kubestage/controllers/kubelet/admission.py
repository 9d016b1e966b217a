"""Whether a node accepts a pod that was bound to it, or refuses it, and with which message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import host_ports, resource_totals, taints
from kubestage.objects.label_requirement import SelectorError
from kubestage.objects.resource_totals import Resource
from kubestage.objects.taints import NO_EXECUTE

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.node import Node
    from kubestage.controllers.kubelet.plan import PodPlan


_OS_LABEL: Final = "kubernetes.io/os"
_OS: Final = "linux"


class Refusal(NamedTuple):
    """Why a node refuses a pod."""

    reason: str
    message: str


def admit(plan: PodPlan, labels: dict[str, str], node: Node) -> Refusal | None:
    """The first reason against a pod, in the order in which kubelets look for them.

    What would be cured by evicting pods is not: a critical pod is refused as any other.
    """
    return _unfit_for_system(plan, labels, node) or _lacks(plan, node) or _unwelcome(plan, node)


def _unfit_for_system(plan: PodPlan, labels: dict[str, str], node: Node) -> Refusal | None:
    if labels.get(_OS_LABEL, _OS) != _OS:
        text = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
        return Refusal("PodOSSelectorNodeLabelDoesNotMatch", text)
    if plan.os and plan.os != _OS:
        text = "Failed to admit pod as the OS field doesn't match node OS"
        return Refusal("PodOSNotSupported", text)
    if plan.strict_groups:
        features = (node.object.get("status") or {}).get("features") or {}
        if not features.get("supplementalGroupsPolicy"):
            text = "SupplementalGroupsPolicy=Strict is not supported in this node"
            return Refusal("SupplementalGroupsPolicyNotSupported", text)
    return None


def _lacks(plan: PodPlan, node: Node) -> Refusal | None:
    request, has = plan.scheduling.fit_request, node.view.allocatable
    # NOTE: what nearly always fits is seen at a glance (benchmarks/controllers.py).
    if (
        node.count < has.allowed_pod_number
        and request.milli_cpu <= has.milli_cpu - node.milli_cpu
        and request.memory <= has.memory - node.memory
        and not request.ephemeral_storage
        and not request.scalars
    ):
        return None
    used = Resource(node.milli_cpu, node.memory, node.storage, 0, node.scalars)
    # Extended resources that the node does not know are left to other components.
    unknown = [name for name in request.scalars if name not in has.scalars]
    lacking = resource_totals.fits(request, has, used, node.count, ignored=unknown)
    if not lacking:
        return None
    first = lacking[0]
    text = (
        f"Node didn't have enough resource: {first.resource}, requested: {first.requested}, "
        f"used: {first.used}, capacity: {first.capacity}"
    )
    return Refusal(f"OutOf{first.resource}", text)


def _unwelcome(plan: PodPlan, node: Node) -> Refusal | None:
    scheduling, view = plan.scheduling, node.view
    required = scheduling.required_node_affinity
    if not required.empty:
        try:
            matches = required.matches(node.name, view.labels)
        except SelectorError:
            matches = False
        if not matches:
            return _failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
    desired = scheduling.host_ports
    if desired:
        taken = [port for ports in node.ports.values() for port in ports]
        if host_ports.conflict(desired, taken):
            text = "node(s) didn't have free ports for the requested pod ports"
            return _failed("NodePorts", text)
    if view.taints and taints.find_untolerated_taint(
        view.taints, scheduling.tolerations, (NO_EXECUTE,)
    ):
        return _failed("TaintToleration", "node(s) had taints that the pod didn't tolerate")
    return None


def _failed(predicate: str, text: str) -> Refusal:
    return Refusal(predicate, f"Predicate {predicate} failed: {text}")
