"""How a recorded world of an autoscaler compares: its steps, its decisions, and what differs."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field of a step that is not as recorded.

    It `counts` unless the real program's own order is random there.
    """

    step: int
    time: float
    field: str
    path: str
    expected: Any
    got: Any
    counts: bool = True

    def __str__(self) -> str:
        where = f"step {self.step} ({self.time:g} s) {self.field}{self.path}"
        return f"{where}: expected {self.expected!r}, got {self.got!r}"


@dataclasses.dataclass(slots=True)
class WorldReport:
    """How one world went."""

    name: str
    category: str
    steps: int = 0
    decisions: int = 0
    identical: int = 0
    differences: list[FieldDifference] = dataclasses.field(default_factory=list)

    @property
    def is_same(self) -> bool:
        """Whether nothing differs that counts."""
        return not any(each.counts for each in self.differences)


def refused(file_name: str, problem: str) -> WorldReport:
    """The report on a world that cannot be played."""
    name = file_name.partition(".")[0]
    report = WorldReport(name, name.rpartition("-")[0] or name)
    report.differences.append(FieldDifference(0, 0.0, "world", "", "to be played", problem))
    return report
