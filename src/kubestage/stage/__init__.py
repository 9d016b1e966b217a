"""The stage: one simulated cluster as a value, the only place where the rooms meet."""

from __future__ import annotations

from kubestage.stage.collections import few_collections
from kubestage.stage.manifests import rank
from kubestage.stage.options import SchedulerOptions
from kubestage.stage.stage import Stage

__all__ = ["SchedulerOptions", "Stage", "few_collections", "rank"]
