"""Scenarios from the shell: a large one at each detail, and a small one with all imports.

Run it with ``python benchmarks/scenario.py``; each case says what it must stay under. Every case is
a process of its own, as a person would start it, and its memory is the peak of that process.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from kubestage.scenario import resource
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]
CPUS = ("100m", "250m", "500m", "1")
MEMORIES = ("128Mi", "512Mi", "1Gi")


def _create(step: int, obj: Json) -> Json:
    return {"step": step, "operation": "Create", "createOperation": {"object": obj}}


def scenario(nodes: int, pods: int, steps: int, cpu: str) -> Json:
    """Nodes at first, then pods of twelve sizes in equal parts over the steps."""
    events = [_create(0, make_node(f"node-{i:04}", cpu=cpu, memory="64Gi")) for i in range(nodes)]
    a_step = -(-pods // (steps - 1))
    for number in range(pods):
        pod = make_pod(f"pod-{number:05}", cpu=CPUS[number % 4], memory=MEMORIES[number % 3])
        events.append(_create(1 + number // a_step, pod))
    done = {"step": steps - 1, "operation": "Done", "doneOperation": {"done": True}}
    return {
        "apiVersion": resource.API_VERSION,
        "kind": resource.KIND,
        "metadata": {"name": f"{nodes}-nodes"},
        "spec": {"events": [*events, done]},
    }


def measure(*arguments: str) -> tuple[float, float]:
    """Seconds and peak MiB of one run."""
    began = time.perf_counter()
    process = os.posix_spawn(
        sys.executable,
        [*KUBESTAGE, "run", *arguments],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, code, usage = os.wait4(process, 0)
    assert code == 0, f"exit status {code}"
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also detail full, which takes minutes")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        cases = {
            "10 nodes, 30 pods": (scenario(10, 30, 4, "8"), [], "under 1 s"),
            "1,000 nodes, 10,000 pods, 20 steps": (
                scenario(1_000, 10_000, 20, "16"),
                ["--detail", "decisions"],
                "under 10 s and 1,536 MiB",
            ),
            "the same, kept with its report": (
                scenario(1_000, 10_000, 20, "16"),
                ["--detail", "decisions", "--out", str(place / "run")],
                "",
            ),
            "the same, 800 pods too many": (
                scenario(1_000, 10_000, 20, "4"),
                ["--detail", "decisions"],
                "",
            ),
        }
        if chosen.full:
            for pods in (500, 1_000, 2_000):
                cases[f"1,000 nodes, {pods:,} pods, full"] = (
                    scenario(1_000, pods, 4, "16"),
                    ["--detail", "full"],
                    "flat memory",
                )
        for name, (made, options, bound) in cases.items():
            path = place / "scenario.json"
            path.write_text(json.dumps(made))
            seconds, memory = measure(str(path), *options)
            print(f"{name:<40} {seconds:6.2f} s {memory:6.0f} MiB   {bound}")


if __name__ == "__main__":
    main()
