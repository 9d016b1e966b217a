"""The answer of a rehearsed upgrade."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from kubestage.results.life import wording
from kubestage.runs.rehearse import sections, targets
from kubestage.runs.rehearse.result import Rehearsed
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.drain_result import BlockedPod, DrainedNode
    from kubestage.runs.rehearse.effects import Effects
    from kubestage.runs.rehearse.sections import Section


class UpgradeResult(Rehearsed, frozen=True, kw_only=True):
    """How the replacement of nodes went."""

    rehearsal: ClassVar[str] = "upgrade"
    VALUES: ClassVar[tuple[str, ...]] = (
        "blocked", "notReplaced", "extraNodes", "lostData", "unowned",
    )  # fmt: skip

    total: int
    """How many nodes were to be replaced."""
    replaced: Sequence[str]
    peak_extra_nodes: int
    """How many more nodes there were at a time than at the beginning."""
    nodes: Sequence[DrainedNode]
    blocked: Sequence[BlockedPod] = ()
    lost_data: Sequence[str] = ()
    unowned: Sequence[str] = ()

    def details(self) -> Json:
        """Nodes, time, and what was in the way."""
        return {
            "totalNodes": self.total,
            "replaced": list(self.replaced),
            "peakExtraNodes": self.peak_extra_nodes,
            "nodes": msgspec.to_builtins(list(self.nodes)),
            "blocked": msgspec.to_builtins(list(self.blocked)),
            "lostData": list(self.lost_data),
            "unowned": list(self.unowned),
        }

    def more_sections(self) -> list[Section]:
        """Nodes, and what was in the way."""
        return [sections.nodes(self.nodes), sections.blocked(self.blocked)]

    def values(self) -> dict[str, float]:
        """Numbers for conditions."""
        return {
            "blocked": max((each.seconds for each in self.blocked), default=0.0),
            "notReplaced": self.total - len(self.replaced),
            "extraNodes": self.peak_extra_nodes,
            "lostData": len(self.lost_data),
            "unowned": len(self.unowned),
        }


def sentence(subject: str, total: int, replaced: int, extra: int, took: float) -> str:
    """How it went, in one sentence."""
    time = wording.span(took)
    peak = f"at most {plural(extra, 'extra node')} at a time" if extra else "no extra node"
    if replaced == total:
        return f"{targets.capitalized(subject)} replaced in {time}, with {peak}."
    return f"The upgrade stopped after {time}: {replaced:,} of {plural(total, 'node')} replaced."


def worst_moment(effects: Effects) -> str:
    """When the most workloads were below desired, in words; empty if none ever was."""
    worst = effects.worst
    if worst is None:
        return ""
    number = plural(len(worst.workloads), "workload")
    at = wording.span(worst.at_seconds)
    return f"worst moment: {number} below desired at {at}"
