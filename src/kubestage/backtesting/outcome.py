"""What a backtest comes to: what was decided, what was seen at each sync, and a few numbers."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.aliases import Json

HPA: Final = "HorizontalPodAutoscaler"
VPA: Final = "VerticalPodAutoscaler"


class BacktestDecision(msgspec.Struct, frozen=True):
    """A decision of the autoscaler, so many seconds after the first row."""

    seconds: float
    metric: str
    """What it was decided by."""
    before: int | str
    """Replicas of an HPA, or an amount of a VPA."""
    after: int | str
    reason: str


class BacktestOutcome(msgspec.Struct, frozen=True):
    """One autoscaler's backtest."""

    name: str
    kind: str
    summary: Json
    decisions: list[BacktestDecision]
    looks: list[Json]
    """What the autoscaler saw at each sync; rows with the same fields."""
