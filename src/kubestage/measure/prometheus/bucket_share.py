"""What share of a histogram's events is within a bucket, over windows of ten minutes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.golang import floats
from kubestage.measure.prometheus.query_measurement import InstantQuery, Violation, duration_text
from kubestage.measure.results import Verdict

if TYPE_CHECKING:
    from kubestage.measure.prometheus.query_measurement import MeasuredTime

ALL: Final = "+Inf"
_WINDOW_NS: Final = 600_000_000_000

Buckets = dict[str, int]
"""Counts by the upper bounds of buckets."""


def windows(query: str, measured: MeasuredTime) -> list[InstantQuery]:
    """A query, in which ``%v`` stands for a time, over each window of the time measured."""
    found: list[InstantQuery] = []
    before_ns = measured.began_ns
    while not found or before_ns < measured.ended_ns:
        at_ns = min(before_ns + _WINDOW_NS, measured.ended_ns)
        found.append(InstantQuery(query.replace("%v", duration_text(at_ns - before_ns)), at_ns))
        before_ns = at_ns
    return found


class Demand(msgspec.Struct, frozen=True):
    """At least so many percent of the events within a bucket."""

    bucket: float
    percentile: float

    @classmethod
    def of(cls, bucket: float, percentile: float, default: Demand) -> Demand:
        """What is required; a zero stands for the default."""
        return cls(bucket or default.bucket, percentile or default.percentile)

    @property
    def bound(self) -> str:
        """The bucket as its label writes it."""
        return floats.text(self.bucket)

    def share(self, buckets: Buckets) -> float | None:
        """How many percent are within the bucket; None of no events at all."""
        total = buckets.get(ALL, 0)
        return buckets.get(self.bound, 0) / total * 100 if total else None

    def violation(self, metric: str, start: str, word: str, buckets: Buckets) -> Violation | None:
        """In ClusterLoader2's words, why the share is too small."""
        share = self.share(buckets)
        if share is None or share >= self.percentile:
            return None
        listed = " ".join(f"{key}:{buckets[key]}" for key in sorted(buckets))
        return Violation(
            metric,
            f"{start} for {self.bound}s {word} is within {math.floor(share)}%, expected "
            f"{math.floor(self.percentile)}%, buckets:\nmap[{listed}]",
        )

    def verdict(self, name: str, shares: list[float | None], *, is_enforced: bool) -> Verdict:
        """On the smallest share."""
        known = [share for share in shares if share is not None]
        worst = min(known, default=None)
        return Verdict(
            name=f"{name} within {self.bound}s",
            passed=worst is None or worst >= self.percentile,
            value=worst,
            threshold=self.percentile,
            unit="%",
            samples=len(known),
            is_upper=False,
            is_enforced=is_enforced,
        )
