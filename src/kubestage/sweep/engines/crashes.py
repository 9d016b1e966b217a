"""Workers that die: how often a task is tried again, and the row if that does not help."""

from __future__ import annotations

import signal
from typing import Final

from kubestage.sweep.rows import Row, Task

ATTEMPTS: Final = 3
"""So many workers may die of a task before it counts as failed."""
CRASHED: Final = "the worker died"
"""How the error of such a row begins; it is computed again by ``--resume``."""


def row(task: Task, reason: str) -> Row:
    """The row of a task that no worker survives; its key is that of the task."""
    problem = f"{CRASHED} {ATTEMPTS} times: {reason}"
    return Row(task.index, "", task.parameters, task.seed, {}, problem)


def reason(code: int | None) -> str:
    """Why a process ended, by its exit code."""
    if code is None or code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
