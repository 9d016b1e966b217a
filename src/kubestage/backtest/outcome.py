"""What a backtest comes to: what was decided, what was seen at each look, and a few numbers."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.aliases import Json

HPA: Final = "HorizontalPodAutoscaler"
VPA: Final = "VerticalPodAutoscaler"


class Decision(msgspec.Struct, frozen=True):
    """Something that the autoscaler would have done, so many seconds after the first row.

    `metric` says what it went by. `before` and `after` are replicas of an HPA, amounts of a VPA.
    """

    seconds: float
    metric: str
    before: int | str
    after: int | str
    reason: str


class Outcome(msgspec.Struct, frozen=True):
    """One autoscaler's backtest. `looks` are rows with the same fields each."""

    name: str
    kind: str
    summary: Json
    decisions: list[Decision]
    looks: list[Json]
