"""TestMetrics: the usual measurements of the components of a cluster, as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure.bundles.bundle import Bundle, Part
from kubestage.measure.measurement import unknown_action
from kubestage.measure.params import with_action

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.measure.measurement import Context
    from kubestage.measure.params import FreeParams
    from kubestage.measure.results import Result

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
# The actions of parts that differ from the action of the bundle.
_ACTIONS: Final[dict[str, dict[Part, str]]] = {
    "start": {part: "start" for part in PARTS if part != _METRICS} | {_SCHEDULING: "reset"},
    "gather": dict.fromkeys(PARTS, "gather"),
    "pauseSystemPodMetrics": {_SYSTEM_PODS: "pause"},
    "unpauseSystemPodMetrics": {_SYSTEM_PODS: "unpause"},
}


class TestMetrics(Bundle):
    """Starts and gathers its parts in the order of ClusterLoader2."""

    # Keeps pytest from collecting this class.
    __test__ = False
    parts = PARTS
    actions = tuple(_ACTIONS)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._action = ""

    @classmethod
    def shares(cls, params: FreeParams) -> list[tuple[Part, Json]]:
        """Those parts that the action is for, each with its own action and component."""
        shares, values = [], with_action(params.values)
        for part, action in _ACTIONS.get(params.action, {}).items():
            component = {"componentName": part.component} if part.component else {}
            shares.append((part, {**values, "action": action, **component}))
        return shares

    def perform(self, params: FreeParams) -> Result:
        """Start, gather, or ignore restarts of system pods for a while."""
        if params.action not in _ACTIONS:
            raise unknown_action(params.action, *_ACTIONS)
        self._action = params.action
        return self.in_turn(params)

    def problem(self, part: Part, error: str) -> str:
        """Name the part."""
        return f"action {self._action} failed for {part.method} measurement: {error}"
