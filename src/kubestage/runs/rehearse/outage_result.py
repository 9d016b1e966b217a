"""The answer of a rehearsed outage."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from kubestage.results.life import wording
from kubestage.runs.rehearse import sections, targets
from kubestage.runs.rehearse.result import Rehearsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.capacity import Capacity
    from kubestage.runs.rehearse.effects import Effects
    from kubestage.runs.rehearse.sections import Section


class OutageResult(Rehearsed, frozen=True, kw_only=True):
    """What nodes that fell silent did to a cluster."""

    rehearsal: ClassVar[str] = "outage"
    VALUES: ClassVar[tuple[str, ...]] = ("evicted",)

    nodes: Sequence[str]
    """Those that fell silent."""
    silent_seconds: float | None
    """For how long; None: forever."""
    missing: Capacity
    """What these nodes offered."""
    total: Capacity
    """What all nodes offered before."""
    evicted: int
    """How many pods controllers deleted because of it."""

    def details(self) -> Json:
        """The nodes, and what was missing without them."""
        return {
            "nodes": list(self.nodes),
            "silentSeconds": self.silent_seconds,
            "missingCapacity": msgspec.to_builtins(self.missing),
            "totalCapacity": msgspec.to_builtins(self.total),
            "evicted": self.evicted,
        }

    def more_sections(self) -> list[Section]:
        """What was missing, and how many pods waited."""
        rows = [
            ("silent nodes", f"{len(self.nodes):,}"),
            ("missing CPU", _share(self.missing.milli_cpu, self.total.milli_cpu)),
            ("missing memory", _share(self.missing.memory_bytes, self.total.memory_bytes)),
            ("pods evicted", f"{self.evicted:,}"),
            ("most pods pending", f"{self.effects.pending_peak:,}"),
        ]
        return [sections.section("Outage", ("WHAT", "AMOUNT"), rows)]

    def values(self) -> dict[str, float]:
        """Numbers for conditions."""
        return {"evicted": self.evicted}


def _share(part: int, whole: int) -> str:
    return f"{wording.share(part, whole)} of what all nodes offer"


def sentence(subject: str, silent_seconds: float | None, effects: Effects) -> str:
    """What it meant, in one sentence."""
    lasted = "forever" if silent_seconds is None else f"for {wording.span(silent_seconds)}"
    below = [each for each in effects.workloads if each.below_desired_seconds]
    start = f"{targets.capitalized(subject)} silent {lasted}"
    if not below:
        return f"{start}: no workload went below its desired replicas."
    total = len(effects.workloads)
    of = "the only workload" if total == 1 else f"{len(below):,} of {total:,} workloads"
    number = f"{of} went below desired"
    if effects.recovery_seconds is None:
        return f"{start}: {number}, and {'it does not' if total == 1 else 'not all'} recover."
    after = wording.span(effects.recovery_seconds)
    return f"{start}: {number}; {'it' if total == 1 else 'all'} had recovered after {after}."
