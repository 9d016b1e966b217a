"""What one scan of the autoscaler found out and did, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.balancing import Growth
    from kubestage.controllers.node_autoscaler.expanders import Choice
    from kubestage.controllers.node_autoscaler.utilization import Utilization
    from kubestage.objects.views.pod import PodView

SCALE_UP_SUCCESSFUL: Final = "ScaleUpSuccessful"
SCALE_UP_ERROR: Final = "ScaleUpError"
SCALE_UP_NO_OPTIONS: Final = "ScaleUpNoOptionsAvailable"
SCALE_UP_NOT_NEEDED: Final = "ScaleUpNotNeeded"
SCALE_UP_NOT_TRIED: Final = "ScaleUpNotTried"
SCALE_UP_IN_COOLDOWN: Final = "ScaleUpInCooldown"
SCALE_UP_LIMITED: Final = "ScaleUpLimitedByMaxNodesTotal"

SCALE_DOWN_NOT_TRIED: Final = "NotTried"
SCALE_DOWN_IN_COOLDOWN: Final = "InCooldown"
SCALE_DOWN_NO_CANDIDATES: Final = "NoCandidates"
SCALE_DOWN_NO_NODE_DELETED: Final = "NoNodeDeleted"
SCALE_DOWN_STARTED: Final = "NodeDeleteStarted"
SCALE_DOWN_ERROR: Final = "Error"


class NoScaleUp(msgspec.Struct, frozen=True):
    """A pod that no group could help: why each would not take it, or was skipped."""

    pod: PodView
    rejected: dict[str, tuple[str, ...]] = {}
    skipped: dict[str, tuple[str, ...]] = {}

    @property
    def message(self) -> str:
        """The reasons, counted, as Events of the pod state them."""
        counts: dict[str, int] = {}
        for reasons in (*self.rejected.values(), *self.skipped.values()):
            for reason in reasons:
                counts[reason] = counts.get(reason, 0) + 1
        return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))


class ScaleUpStatus(msgspec.Struct):
    """A decision on scale-up: groups that grow, pods that are helped now, later, or not at all.

    `awaiting` are pods that another group would help. `failed` are groups that could not grow.
    """

    result: str
    growths: list[Growth] = []
    triggered: list[PodView] = []
    remaining: list[NoScaleUp] = []
    awaiting: list[PodView] = []
    error: str = ""
    failed: list[str] = []

    @property
    def was_successful(self) -> bool:
        """Whether nodes were requested."""
        return self.result == SCALE_UP_SUCCESSFUL

    @property
    def was_tried(self) -> bool:
        """Whether groups were considered at all."""
        return self.result in (SCALE_UP_SUCCESSFUL, SCALE_UP_ERROR, SCALE_UP_NO_OPTIONS)


class Simulation(msgspec.Struct, frozen=True):
    """The removal of a node, tried on a copy; where its pods would go, by their uids."""

    node: str
    pods: list[PodView]
    is_possible: bool
    placements: dict[str, str] = {}


class Unremovable(msgspec.Struct, frozen=True):
    """A node that cannot go now, and why; a pod that is in its way, and why that is."""

    node: str
    reason: str
    blocking_pod: str = ""
    blocking_reason: str = ""


class StartedRemoval(msgspec.Struct, frozen=True):
    """A node that is on its way out from now on."""

    node: str
    group: str
    evicted: list[PodView]
    utilization: Utilization


class ScaleDownStatus(msgspec.Struct):
    """A decision on scale-down.

    `deletions` are those that have ended since the last scan, each with its result.
    """

    result: str = SCALE_DOWN_NOT_TRIED
    simulations: list[Simulation] = []
    unremovable: list[Unremovable] = []
    utilization: dict[str, Utilization] = {}
    started: list[StartedRemoval] = []
    deletions: dict[str, str] = {}


class Fit(msgspec.Struct, frozen=True):
    """Pods that were tried on the nodes that exist or come, and where those that fit were put."""

    pods: list[PodView]
    placements: dict[str, str]


class ScanResult(msgspec.Struct):
    """All of it. An error ends the scan where it occurs."""

    error: str = ""
    fit: Fit | None = None
    choices: list[Choice] = []
    scale_ups: list[ScaleUpStatus] = []
    scale_down: ScaleDownStatus = msgspec.field(default_factory=ScaleDownStatus)

    @property
    def was_productive(self) -> bool:
        """Whether nodes were requested, or are being removed."""
        return self.scale_down.result == SCALE_DOWN_STARTED or any(
            each.was_successful for each in self.scale_ups
        )
