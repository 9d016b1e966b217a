"""A run that is over, as a cluster with its whole past."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.results.agreement import ReplayAgreement
    from kubestage.results.history.attempt_rows import RunAttempts
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.life.node_decisions import NodeDecisionRecord
    from kubestage.stage import Stage

RunKind = Literal["scenario", "living", "load", "rehearsal", "test"]


@dataclasses.dataclass(slots=True, kw_only=True)
class OpenedRun:
    """One cluster of a run: as it is at the end, and all that happened until then."""

    name: str
    """A short name, distinct among those that are opened together; fit for a URL."""
    title: str
    """What it is, for people."""
    kind: RunKind
    stage: Stage
    """The cluster at the end of the run; its time stands still."""
    history: ClusterHistory
    """Every change since the beginning."""
    attempts: RunAttempts
    """Every scheduling attempt, the first ones with explanations."""
    notes: Sequence[str] = ()
    """What the user should know about it."""
    plugins: Mapping[str, type[Any]] = dataclasses.field(default_factory=dict)
    """The scheduler's plugins that users wrote, by name."""
    settings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The settings of controllers that are not the default, by name."""
    has_controllers: bool = True
    """Whether controllers were at work."""
    agreement: ReplayAgreement | None = None
    """How far it agrees with its recording, if it is a replay."""
    node_decisions: NodeDecisionRecord | None = None
    """What was decided about its nodes, where that is known."""
    is_contender: bool = False
    """Whether it is one of a comparison."""
    explain: Callable[[Collection[int]], Mapping[int, Json]] | None = None
    """Explains attempts by number, by another repetition; None if the run cannot be repeated."""
