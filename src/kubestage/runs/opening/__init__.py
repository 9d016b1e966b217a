"""Kept runs opened again: each as a cluster with its whole past.

A Scenario and a living cluster are repeated, which gives the same run; of a rehearsal and a load
the recorded history is read. Here belongs how that is done; what people see of it is the business
of `server` and `ui`. ::

    from kubestage.runs.opening import open_runs

    before, after = open_runs(["runs/before", "runs/after"])
    print(len(before.history.changes), before.stage.now)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.opening.differing import first_difference
    from kubestage.runs.opening.finding import open_runs
    from kubestage.runs.opening.opened_run import OpenedRun, RunKind
    from kubestage.runs.opening.run_recorder import RunRecorder

__all__ = ["OpenedRun", "RunKind", "RunRecorder", "first_difference", "open_runs"]

__getattr__ = lazy.exports(__name__)
