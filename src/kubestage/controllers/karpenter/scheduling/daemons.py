"""The DaemonSets' pods that a node will get, and what they take."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts
from kubestage.controllers.karpenter.requirements import of_pods
from kubestage.controllers.karpenter.scheduling import preferences, tolerance
from kubestage.controllers.karpenter.scheduling.pod_shapes import has_claims
from kubestage.controllers.karpenter.state import pod_state, usage
from kubestage.controllers.karpenter.state.usage import PortUser
from kubestage.objects import pod_resources

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.requirements.requirements import Requirements
    from kubestage.controllers.karpenter.state.cluster_state import ClusterState
    from kubestage.objects.pod_resources import ResourceList
    from kubestage.objects.taints import Taint

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_OF_ITS_NODE: Final = frozenset({"nodeName", "hostname", "volumes"})


class DaemonPod:
    """The pod that a DaemonSet would make.

    As in the real one, what a future node makes it give up it does not get back in this pass: a
    toleration is added, and required terms that did not match are dropped.
    """

    def __init__(self, pod: Json) -> None:
        self._take(pod)

    def _take(self, pod: Json) -> None:
        self.pod = pod
        self.key = pod_state.key_of(pod)
        self.requirements = of_pods.strict(pod)
        self.tolerations = tolerance.tolerations_of(pod)

    def suits_node(self, taints: Sequence[Taint], node: Requirements) -> bool:
        """Whether it runs on a node that is there."""
        return tolerance.tolerates(taints, self.tolerations) and node.is_compatible(
            self.requirements
        )

    def suits(
        self,
        taints: Sequence[Taint],
        template: Requirements,
        instance_type: InstanceType,
        well_known: frozenset[str],
    ) -> bool:
        """Whether it would run on a future node of this type."""
        tolerating = preferences.tolerating(self.pod)
        if tolerating is not None:
            self._take(tolerating)
        if not tolerance.tolerates(taints, self.tolerations):
            return False
        while not (
            template.is_compatible(self.requirements, well_known)
            and instance_type.requirements.intersects(self.requirements)
        ):
            relaxed = preferences.without_first_required_term(self.pod)
            if relaxed is None:
                return False
            self._take(relaxed)
        return True


class DaemonGroup:
    """Instance types that get the same DaemonSets' pods, and what these take."""

    def __init__(self, pods: Sequence[DaemonPod]) -> None:
        self.types: list[InstanceType] = []
        own = [each.pod for each in pods]
        self.requests: ResourceList = amounts.quantities_of(own) if own else {}
        self.amounts: Amounts = amounts.of_quantities(self.requests)
        self.port_users = [
            PortUser(port, each.key) for each in pods for port in usage.host_ports_of(each.pod)
        ]


def pods_of(cluster: ClusterState) -> list[DaemonPod]:
    """One pod of each DaemonSet; those with ResourceClaims are left out."""
    found = []
    for daemon_set in cluster.objects.all("DaemonSet"):
        template = daemon_set["spec"]["template"]
        pod = cluster.daemon_pod(daemon_set) or _from_template(daemon_set)
        if not has_claims(pod["spec"]):
            found.append(DaemonPod(_with_required_terms(pod, template["spec"])))
    return found


def content_of(pods: Sequence[DaemonPod]) -> object:
    """What distinguishes DaemonSets' pods, other than what they and their nodes are called."""
    names = sorted(each.key for each in pods)
    return [(names.index(each.key), _content(each.pod)) for each in pods]


def groups_of(
    pods: Sequence[DaemonPod],
    taints: Sequence[Taint],
    template: Requirements,
    types: Iterable[InstanceType],
    well_known: frozenset[str],
) -> list[DaemonGroup]:
    """The types of a NodePool by the DaemonSets' pods they get, in the order of those names."""
    groups: dict[str, DaemonGroup] = {}
    for instance_type in types:
        suiting = [each for each in pods if each.suits(taints, template, instance_type, well_known)]
        key = ",".join(sorted(each.key for each in suiting))
        group = groups.get(key)
        if group is None:
            group = groups[key] = DaemonGroup(suiting)
        group.types.append(instance_type)
    return [groups[key] for key in sorted(groups)]


def _content(pod: Json) -> Json:
    """A pod without the node that its DaemonSet made it for."""
    found = {name: value for name, value in pod["spec"].items() if name not in _OF_ITS_NODE}
    found["labels"] = pod["metadata"].get("labels")
    if pod_resources.has_status_resources(pod):
        found["status"] = pod.get("status")
    affinity = found.get("affinity")
    if affinity:
        terms = [each.get("matchExpressions") for each in of_pods.required_terms(pod)]
        required = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: terms}
        found["affinity"] = {**affinity, "nodeAffinity": required}
    return found


def _from_template(daemon_set: Json) -> Json:
    """The pod as the template states it; limits stand in for requests that are left out."""
    metadata = daemon_set["metadata"]
    spec = copy.deepcopy(daemon_set["spec"]["template"]["spec"])
    for kind in ("containers", "initContainers"):
        for container in spec.get(kind) or ():
            resources = container.setdefault("resources", {})
            limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
            resources["requests"] = {**limits, **requests}
    own = {"name": metadata["name"], "namespace": metadata.get("namespace") or ""}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": spec}


def _with_required_terms(pod: Json, template: Json) -> Json:
    """The pod with the template's required node affinity, for its own names its node."""
    required = ((template.get("affinity") or {}).get("nodeAffinity") or {}).get(_REQUIRED)
    if required is None:
        return pod
    affinity = pod["spec"].get("affinity") or {}
    node_affinity = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: required}
    spec = {**pod["spec"], "affinity": {**affinity, "nodeAffinity": node_affinity}}
    return {**pod, "spec": spec}
