"""What theory claims of a queue, and whether replications bear it out."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.traffic.fast.compiling import COMPILED
from tests.traffic.queueing import trial

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.traffic.queueing.supply import System
    from tests.traffic.queueing.trial import Seen

REPLICATIONS: Final = 20
SEED: Final = 1
"""Of a hundred intervals one misses by chance; with this seed none does."""


class Effort(NamedTuple):
    """How many requests there are, as a part of what a row says, and what follows from that.

    `student` is Student's t for 19 degrees of freedom, `wider` how many times as wide as a row
    says an interval may be.
    """

    fewer: int
    student: float
    wider: float


FULL: Final = Effort(1, 2.860935, 1.0)
"""Intervals of 99 %."""

SMALL: Final = Effort(25, 3.883406, 8.0)
"""Where the kernel cannot be compiled: intervals of 99.9 %, for runs as short are less regular."""


class Claim(NamedTuple):
    """A figure that theory knows, how it is read off a run, and how exact it is to be.

    `within` is the widest that the interval may be to either side, as a part of the figure.
    """

    name: str
    expected: float
    within: float
    measure: Callable[[Seen], float]


class Row(NamedTuple):
    """A queue and all that is claimed of it; `customers` arrive in each replication."""

    system: System
    customers: int
    claims: list[Claim]


class Verdict(NamedTuple):
    """A claim, and the interval that the replications give."""

    claim: Claim
    got: float
    margin: float
    widest: float

    @property
    def is_narrow(self) -> bool:
        """Whether the interval says something."""
        return self.margin <= self.widest

    @property
    def is_inside(self) -> bool:
        """Whether theory's figure lies in the interval."""
        return abs(self.got - self.claim.expected) <= self.margin

    @property
    def holds(self) -> bool:
        """Whether replications bear the claim out."""
        return self.is_narrow and self.is_inside

    def __str__(self) -> str:
        claim = self.claim
        return (
            f"{claim.name}: {claim.expected:.6f} expected, {self.got:.6f} ± {self.margin:.6f} got, "
            f"at most ± {self.widest:.6f}"
        )


def judge(row: Row, *, seed: int = SEED) -> list[Verdict]:
    """Run a queue again and again, and compare all that is claimed of it."""
    effort = FULL if COMPILED.load() else SMALL
    first, customers = seed * REPLICATIONS, row.customers // effort.fewer
    runs = (trial.run(row.system, customers, first + at) for at in range(REPLICATIONS))
    values = [[claim.measure(seen) for claim in row.claims] for seen in runs]
    return [
        _verdict(claim, each, effort)
        for claim, each in zip(row.claims, zip(*values, strict=True), strict=True)
    ]


def _verdict(claim: Claim, values: tuple[float, ...], effort: Effort) -> Verdict:
    margin = effort.student * statistics.stdev(values) / math.sqrt(REPLICATIONS)
    widest = claim.within * claim.expected * effort.wider
    return Verdict(claim, statistics.fmean(values), margin, widest)
