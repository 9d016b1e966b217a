"""NodeDeclaredFeatures: some pods need what only newer nodes offer, and nodes declare it."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_REJECTED: Final = unresolvable("node(s) didn't match Pod's required features")
_RESTART_ALL: Final = "RestartAllContainersOnContainerExits"
_HOST_NETWORK_USERS: Final = "UserNamespacesHostNetworkSupport"
_features_of: Final[Callable[[NodeView], frozenset[str]]] = operator.attrgetter("declared_features")


class NodeDeclaredFeatures:
    """Rejects nodes that do not declare all features which the pod's spec relies on."""

    name = "NodeDeclaredFeatures"
    is_static = True

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        del columns
        required = required_features(pod.raw["spec"])
        state[self.name] = required
        return (SUCCESS if required else SKIP), None

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del pod
        required: frozenset[str] = state[self.name]
        codes = columns.derived((self.name, required), lambda whole: _rejected(whole, required))
        return None if codes is None else codes[rows]

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod, code
        return _REJECTED

    def events_to_register(self) -> Sequence[EventHint]:
        node_change = ActionType.ADD | ActionType.UPDATE_NODE_DECLARED_FEATURE
        return [
            EventHint(ClusterEvent(EventResource.NODE, node_change), _after_node_change),
            EventHint(ClusterEvent(EventResource.POD, ActionType.UPDATE), _after_pod_update),
        ]


def required_features(spec: dict[str, Any]) -> frozenset[str]:
    """What a node must offer for a pod spec to work there."""
    required = set()
    for kind in ("containers", "initContainers"):
        for container in spec.get(kind) or ():
            for rule in container.get("restartPolicyRules") or ():
                if rule.get("action") == "RestartAllContainers":
                    required.add(_RESTART_ALL)
    if spec.get("hostNetwork") and spec.get("hostUsers") is False:
        required.add(_HOST_NETWORK_USERS)
    return frozenset(required)


def _rejected(columns: Columns, required: frozenset[str]) -> Codes | None:
    groups = columns.groups(_features_of)
    verdicts = [not required <= declared for declared in groups.values]
    return np.array(verdicts, np.int32)[groups.codes] if any(verdicts) else None


def _after_node_change(
    pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    del pod
    return old is None or new is None or _declared(old) != _declared(new)


def _declared(node: dict[str, Any]) -> list[str]:
    return (node.get("status") or {}).get("declaredFeatures") or []


def _after_pod_update(pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    if old is None or new is None or new["metadata"].get("uid") != pod.uid:
        return False
    return required_features(old["spec"]) != required_features(new["spec"])
