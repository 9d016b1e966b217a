"""Which nodes are worth a simulation of their removal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import node_state, utilization

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.utilization import Utilization
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World

DISABLED_ANNOTATION: Final = "ScaleDownDisabledAnnotation"


class Eligibility:
    """Checks what can be known of a node without trying anything."""

    def __init__(self, settings: NodeAutoscalerSettings) -> None:
        self._settings = settings

    def check(self, world: World, snapshot: Snapshot, name: str) -> tuple[str, Utilization | None]:
        """Why a node is not even to be thought of, empty if it is; and how much of it is used."""
        node = snapshot.node(name)
        if node is None:
            return "UnexpectedError", None
        if node_state.is_being_deleted(node, world.now_ns):
            return "CurrentlyBeingDeleted", None
        if is_disabled(node):
            return DISABLED_ANNOTATION, None
        options = world.options[world.group_names[name]]
        used = utilization.of_node(world, snapshot.pods(name), node, self._settings)
        if used is None:
            return "UnexpectedError", None
        if not self._settings.scale_down_unready_enabled and not node_state.is_ready(node):
            return "ScaleDownUnreadyDisabled", None
        threshold = options.scale_down_utilization_threshold
        if world.provider.gpu_of(node) is not None:
            threshold = options.scale_down_gpu_utilization_threshold
        return "NotUnderutilized" if used.share > threshold else "", used


def is_disabled(node: Json) -> bool:
    """Whether a node says that it is not to be removed."""
    annotations = node["metadata"].get("annotations") or {}
    return annotations.get(node_state.SCALE_DOWN_DISABLED) == "true"
