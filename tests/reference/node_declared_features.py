"""NodeDeclaredFeatures, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo


def filter_node(pod: PodView, node: NodeInfo) -> Status:
    spec = pod.raw["spec"]
    declared = node.view.raw["status"].get("declaredFeatures") or []
    actions = [
        rule["action"]
        for container in [*spec["containers"], *(spec.get("initContainers") or [])]
        for rule in container.get("restartPolicyRules") or []
    ]
    lacking = unresolvable("node(s) didn't match Pod's required features")
    if "RestartAllContainers" in actions and "RestartAllContainersOnContainerExits" not in declared:
        return lacking
    own_users = spec.get("hostUsers") is False
    if spec.get("hostNetwork") and own_users and "UserNamespacesHostNetworkSupport" not in declared:
        return lacking
    return SUCCESS
