"""How long `kubestage check` takes: 200 nodes and 2,000 pods, base and head together.

Run it: ``python benchmarks/check.py [--nodes N] [--pods N]``. Each row is a check by the command
line, in a process of its own: start, reading, both sides, rules, figures, documents. The time on
the wall and that of the processor are printed; on a machine that does other work, they differ.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Any, Final

from kubestage import Stage
from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_node,
    make_pod_disruption_budget,
)

WORKLOADS: Final = 50
ZONES: Final = "abc"
DUMPED: Final = ("Node", "Pod", "ReplicaSet", "Deployment", "DaemonSet", "PodDisruptionBudget")
COMMAND: Final = [sys.executable, "-c", "from kubestage import cli; cli.main()", "check"]


def main() -> None:
    """Write a cluster and changes, and check each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--pods", type=int, default=2000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        replicas = (arguments.pods - arguments.nodes) // WORKLOADS
        before = _workloads(replicas)
        _write(folder / "nodes", _nodes(arguments.nodes))
        _write(folder / "dump", _dump(_nodes(arguments.nodes), before))
        _write(folder / "before", before)
        _write(folder / "after", _worse(before))
        # The first one compiles the scheduler's kernels, if they are not cached.
        for name, cluster, head in (
            ("warm up", "nodes", "before"),
            ("no change", "nodes", "before"),
            ("worse", "nodes", "after"),
            ("worse, on a dump", "dump", "after"),
        ):
            _measure(name, folder, cluster, head)


def _measure(name: str, folder: pathlib.Path, cluster: str, head: str) -> None:
    words = ["--base", "before", "--head", head, "-f", cluster, "-o", "json"]
    wall, processor = time.perf_counter(), _processor()
    done = subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    took = time.perf_counter() - wall, _processor() - processor
    if done.returncode > 1:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)["answer"]
    print(f"{name:<17} {took[0]:>6.1f} s {took[1]:>6.1f} s cpu   {answer}", flush=True)


def _processor() -> float:
    """The seconds that all processes which this one started have worked."""
    times = os.times()
    return times.children_user + times.children_system


def _nodes(number: int) -> list[dict[str, Any]]:
    return [
        make_node(f"n{each:04}", cpu="16", memory="64Gi", zone=ZONES[each % len(ZONES)])
        for each in range(number)
    ]


def _workloads(replicas: int) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = [make_daemon_set("agent", cpu="100m", memory="128Mi")]
    for each in range(WORKLOADS):
        objects.append(make_deployment(f"w{each}", replicas=replicas, cpu="1", memory="2Gi"))
        objects.append(make_pod_disruption_budget(f"w{each}", max_unavailable="10%"))
    return objects


def _worse(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Five workloads in one zone, five that need more, five whose budgets allow nothing."""
    found: list[dict[str, Any]] = json.loads(json.dumps(objects))
    deployments = [each for each in found if each["kind"] == "Deployment"]
    for each in deployments[:5]:
        each["spec"]["template"]["spec"]["nodeSelector"] = {"topology.kubernetes.io/zone": "a"}
    for each in deployments[5:10]:
        each["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "2"
    budgets = [each for each in found if each["kind"] == "PodDisruptionBudget"]
    for each in budgets[:5]:
        each["spec"]["maxUnavailable"] = 0
    return found


def _dump(nodes: list[dict[str, Any]], workloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cluster with all that runs on it, as kubectl would print it."""
    stage = Stage()
    stage.add_scheduler(recording="none")
    stage.apply(nodes)
    stage.add_controllers()
    stage.run("1ms")
    stage.apply(workloads)
    stage.run("2m")
    return [
        obj
        for collection in stage.store.collections()
        if collection.kind.kind in DUMPED
        for obj in collection.objects.values()
    ]


def _write(folder: pathlib.Path, objects: list[dict[str, Any]]) -> None:
    folder.mkdir()
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    (folder / "all.json").write_text(json.dumps(listed))


if __name__ == "__main__":
    main()
