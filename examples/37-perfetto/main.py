"""Runs a small cluster for five minutes, and saves the lives of its pods for Perfetto."""

from __future__ import annotations

import pathlib
import tempfile

from kubestage import run
from kubestage.runs import RunOptions, export

HERE = pathlib.Path(__file__).parent

with tempfile.TemporaryDirectory() as folder:
    out = pathlib.Path(folder, "rush")
    later = f"1m={HERE / 'urgent.yaml'}"
    run(str(HERE / "cluster.yaml"), RunOptions(run_for="5m", at=(later,), out=str(out)))
    trace = export.perfetto(out)
    file = pathlib.Path(folder, "rush.perfetto.json.gz")
    trace.save(file)
    print(f"{file.name}: {trace.headline()}")

print("\nphase          slices  seconds")
for phase, slices, seconds, _ in trace.table().rows:
    print(f"{phase:<14} {slices:>6}  {seconds:>7}")

print("\npreempted")
for event in trace.document["traceEvents"]:
    if event["ph"] == "i" and event["cat"] == "preemption":
        args = event["args"]
        print(f"{event['ts'] / 1e6:.3f} s: {args['pod']}, by {args['by']}")
