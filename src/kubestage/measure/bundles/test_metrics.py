"""TestMetrics: all that is usually asked of the components of a cluster, in one mention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure.bundles.bundle import Bundle, Part
from kubestage.measure.measurement import unknown_action

if TYPE_CHECKING:
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result
    from kubestage.measure.params import FreeParams

_ETCD: Final = Part("EtcdMetrics")
_SCHEDULING: Final = Part("SchedulingMetrics")
_METRICS: Final = Part("MetricsForE2E")
_USAGE: Final = Part("ResourceUsageSummary")
_SYSTEM_PODS: Final = Part("SystemPodMetrics")
_OOMS: Final = Part("ClusterOOMsTracker")
_PROFILES: Final = tuple(
    Part(kind, component)
    for component in (
        "etcd",
        "etcd-events",
        "kube-apiserver",
        "kube-scheduler",
        "kube-controller-manager",
    )
    for kind in ("CPUProfile", "MemoryProfile", "BlockProfile")
)
PARTS: Final = (_ETCD, _SCHEDULING, _METRICS, _USAGE, *_PROFILES, _SYSTEM_PODS, _OOMS)
# What the parts are asked to do where that is not what the bundle is asked to do.
_ACTIONS: Final[dict[str, dict[Part, str]]] = {
    "start": {part: "start" for part in PARTS if part != _METRICS} | {_SCHEDULING: "reset"},
    "gather": dict.fromkeys(PARTS, "gather"),
    "pauseSystemPodMetrics": {_SYSTEM_PODS: "pause"},
    "unpauseSystemPodMetrics": {_SYSTEM_PODS: "unpause"},
}


class TestMetrics(Bundle):
    """Begins and gathers its parts in the order of the original."""

    # Test runners take classes of this name for theirs.
    __test__ = False
    parts = PARTS

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._action = ""

    def perform(self, params: FreeParams) -> Result:
        """Start, gather, or leave out of account what restarts system pods meanwhile."""
        actions = _ACTIONS.get(params.action)
        if actions is None:
            raise unknown_action(params.action, *_ACTIONS)
        self._action = params.action
        mentions = []
        for part, action in actions.items():
            component = {"componentName": part.component} if part.component else {}
            mentions.append((part, {**params.given, "action": action, **component}))
        return self.in_turn(mentions, params.given)

    def problem(self, part: Part, error: str) -> str:
        """Which part it was."""
        return f"action {self._action} failed for {part.method} measurement: {error}"
