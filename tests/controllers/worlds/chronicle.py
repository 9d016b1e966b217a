"""All that happens on a stage, with its times: to be compared between runs and processes."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from tests.controllers.worlds.world import World

if TYPE_CHECKING:
    from kubestage.stage import Stage
    from kubestage.store.log import Change

BUSY: tuple[tuple[Any, ...], ...] = (
    ("apply", "deployment", "web", {"replicas": 4}),
    ("apply", "deployment", "api", {"replicas": 3, "surge": 0, "unavailable": 0}),
    ("apply", "stateful_set", "db", {"replicas": 3, "storage": "fast"}),
    ("apply", "stateful_set", "log", {"replicas": 3, "storage": "late", "policy": "Parallel"}),
    ("apply", "daemon_set", "agent"),
    ("apply", "job", "sum", {"completions": 5, "parallelism": 2, "completionMode": "Indexed"}),
    ("apply", "job", "try", {"exit_code": 1, "parallelism": 2}),
    ("apply", "cron_job", "tick", {"schedule": "* * * * *"}),
    ("apply", "service", "web"),
    ("apply", "budget", "web", "minAvailable", 3),
    ("apply", "quota", "small", 100),
    ("settle_namespace", "side"),
)
"""Something of everything."""
EVENTFUL: tuple[tuple[Any, ...], ...] = (
    ("wait", "65s"),
    ("update", 0, 2),
    ("update", 1, 2),
    ("wait", "2s"),
    ("scale", 0, 6),
    ("evict_pod", 9),
    ("delete_pod", 3),
    ("silence", 1, True),
    ("wait", "7m"),
    ("undo", 1),
    ("silence", 1, False),
    ("delete_namespace", "side"),
    ("delete_node", 2),
    ("wait", "10m"),
)
"""Much happens to it, in a quarter of an hour."""


class Chronicle:
    """Keeps a digest of every change of a stage."""

    def __init__(self, stage: Stage) -> None:
        self._clock = stage.clock
        self._digest = hashlib.sha256()
        self.count = 0
        stage.store.subscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        self.count += 1
        told = (self._clock.now_ns, change.type, change.kind.kind, change.key, change.new)
        self._digest.update(json.dumps(told).encode())

    @property
    def digest(self) -> str:
        """Of all changes so far."""
        return self._digest.hexdigest()


def of_an_eventful_quarter(seed: int) -> str:
    """What a busy world is like after much has happened, as one word."""
    world = World(seed, nodes=6)
    chronicle = Chronicle(world.stage)
    world.perform([*BUSY, *EVENTFUL])
    return f"{chronicle.count}/{world.stage.environment.completed_count}/{chronicle.digest}"
