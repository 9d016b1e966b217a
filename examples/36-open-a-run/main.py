"""Two kept runs opened again: a moment of the past, and the first decision that differs."""

from __future__ import annotations

import pathlib
import tempfile

from kubestage import run
from kubestage.objects import timestamps
from kubestage.runs import RunOptions
from kubestage.runs.opening import first_difference, open_runs

EXAMPLES = pathlib.Path(__file__).parents[1]
SCENARIO = str(EXAMPLES / "14-scenario" / "scenario.yaml")
SCHEDULER = str(EXAMPLES / "14-scenario" / "scheduler.yaml")

with tempfile.TemporaryDirectory() as folder:
    default, packing = f"{folder}/default", f"{folder}/packing"
    run(SCENARIO, RunOptions(out=default))
    run(SCENARIO, RunOptions(out=packing, config=SCHEDULER))
    runs = open_runs([default, packing])

for each in runs:
    history = each.history
    print(f"{each.name}: {len(history.changes)} changes, {len(each.attempts.rows)} attempts")
    middle = timestamps.parse_time("2026-01-01T00:00:02.5Z")
    pods = history.objects_at(middle)["", "pods"].values()
    placed = sum("nodeName" in pod["spec"] for pod in pods)
    print(f"  after 2.5 s {placed} of {len(pods)} pods had a node")

difference = first_difference(*runs)
assert difference is not None
print(f"they part in: {difference.what}")
for each, row in zip(runs, (difference.first, difference.second), strict=True):
    assert row is not None
    assert row.explanation is not None
    points = row.explanation["totals"][row.decision.node]
    print(f"  {each.name}: {row.decision.pod} goes to {row.decision.node} with {points} points")
