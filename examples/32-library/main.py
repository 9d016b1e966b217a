"""From Python: run, explain, analyse, compare and load, as in a notebook."""

from __future__ import annotations

import pathlib
import tempfile

from kubestage import analyze, compare, explain, load, run
from kubestage.runs import CompareOptions, LoadOptions, RunOptions

EXAMPLES = pathlib.Path(__file__).parents[1]
SCENARIO = EXAMPLES / "14-scenario" / "scenario.yaml"
SCHEDULER = EXAMPLES / "14-scenario" / "scheduler.yaml"

with tempfile.TemporaryDirectory() as folder:
    options = RunOptions(config=str(SCHEDULER), out=folder)
    result = run(str(SCENARIO), options)
    print("run:", result.headline())

    explanation = explain(folder, "checkout-0")
    print("explain:", explanation.headline())

    preemptions = analyze(folder, "preemptions")
    print("analyze:", *preemptions.table().names)
    for row in preemptions.table().rows:
        print("        ", *row)

both = compare([SCENARIO], CompareOptions(configs=("default", str(SCHEDULER))))
print("compare:", both.headline())

tests = load(str(EXAMPLES / "25-load" / "load.yaml"), LoadOptions(nodes=3))
print("load:", tests.headline())
print("html:", tests._repr_html_().startswith("<"))
