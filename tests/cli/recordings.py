"""Small recorded cases, made by replaying them once."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

from kubestage.scheduler.replay.runner import Runner
from kubestage.testing import make_node, make_pod


def recorded(name: str = "small-000", category: str = "small") -> dict[str, Any]:
    """Two nodes, a pod that fits on both and one that fits nowhere, and what came of it."""
    case: dict[str, Any] = {
        "name": name,
        "category": category,
        "objects": [
            make_node("a", cpu="2"),
            make_node("b", cpu="4"),
            make_pod("web", cpu="1"),
            make_pod("huge", cpu="64"),
        ],
    }
    runner = Runner(case)
    attempts = list(runner.attempts())
    case["expected"] = {
        "order": runner.order,
        "profiles": runner.profile_plugins(),
        "attempts": attempts,
        "finalAssignments": {
            each["pod"]: each["selected"] for each in attempts if each["selected"]
        },
        "preempted": [],
        "unscheduled": [each["pod"] for each in attempts if not each["selected"]],
    }
    copied: dict[str, Any] = json.loads(json.dumps(case))
    return copied


def write(case: dict[str, Any], path: str) -> None:
    """Write a case, packed if its name says so."""
    data = json.dumps(case).encode()
    pathlib.Path(path).write_bytes(gzip.compress(data) if path.endswith(".gz") else data)
