"""The first node that is bought or removed in one living run, and not so in another."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from kubestage.results.life.life import Life

ADDED = "added"
REMOVED = "removed"


class NodeStep(msgspec.Struct, frozen=True, rename="camel"):
    """A node that came or went; `reason` is why, if that is known."""

    at_seconds: float
    what: str
    node: str
    pool: str
    instance_type: str
    capacity_type: str
    zone: str
    per_hour: float | None
    reason: str

    @property
    def deed(self) -> tuple[float, str, str, str, str]:
        """What makes it the same as one of another run, whose nodes have other names."""
        kind = self.instance_type or self.pool
        return self.at_seconds, self.what, kind, self.capacity_type, self.zone


class NodeDivergence(msgspec.Struct, frozen=True):
    """Where two runs part; `same` steps before it are equal. None: that run goes no further."""

    same: int
    first: NodeStep | None
    second: NodeStep | None


def steps(life: Life) -> list[NodeStep]:
    """All nodes that came or went, in order."""
    found = []
    for row in life.rows("lifetimes"):
        kind = (row["instanceType"], row["capacityType"], row["zone"], row["perHour"])
        begin, end = row["fromSeconds"], row["toSeconds"]
        if begin > 0:
            step = NodeStep(begin, ADDED, row["node"], row["pool"], *kind, row["whyAdded"])
            found.append(step)
        if end is not None:
            step = NodeStep(end, REMOVED, row["node"], row["pool"], *kind, row["whyRemoved"])
            found.append(step)
    return sorted(found, key=lambda each: each.deed)


def divergence(first: Life, second: Life) -> NodeDivergence | None:
    """The first step that differs; None if none does."""
    pairs = itertools.zip_longest(steps(first), steps(second))
    for same, (one, other) in enumerate(pairs):
        if one is None or other is None or one.deed != other.deed:
            return NodeDivergence(same, one, other)
    return None
