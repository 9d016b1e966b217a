"""How long rehearsals take on a large cluster: 1,000 nodes and 10,000 pods of 100 workloads.

Run it: ``python benchmarks/rehearse.py [--nodes N] [--pods N] [REHEARSAL...]``. Both the time on
the wall and that of the processor are printed: on a machine that does other work, they differ.
The report is what ``--out`` writes. ``open-manifests`` and ``open-dump`` are what the command line
does before a rehearsal.
"""

from __future__ import annotations

import argparse
import gc
import os
import pathlib
import pickle
import tempfile
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage import Stage
from kubestage.runs import rehearse
from kubestage.runs.rehearse import Cluster, saving, stage_copies
from kubestage.testing import make_deployment, make_node, make_pod_disruption_budget

if TYPE_CHECKING:
    from collections.abc import Callable

    Work = Callable[[Cluster], Any]

WORKLOADS: Final = 100
ZONES: Final = "abc"
DUMPED: Final = ("Node", "Pod", "ReplicaSet", "Deployment", "PodDisruptionBudget")


class Times(NamedTuple):
    """Seconds on the wall and of the processor."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:>7.1f} s {self.cpu:>7.1f} s cpu"


def main() -> None:
    """Build the cluster once, then run each rehearsal on a copy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="REHEARSAL")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pods", type=int, default=10_000)
    arguments = parser.parse_args()
    # As the command line does.
    gc.set_threshold(100_000, 50, 100)
    objects = _objects(arguments.nodes, arguments.pods)
    stage, took = timed(lambda: _cluster(objects))
    print(f"{'cluster':<15} {took}")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        _write_files(folder, objects, stage)
        encoded = pickle.dumps(stage, pickle.HIGHEST_PROTOCOL)
        for name, work in _rehearsals(folder).items():
            if not arguments.names or name in arguments.names:
                _measure(name, work, Cluster(pickle.loads(encoded), "benchmark"), folder)


def _measure(name: str, work: Work, cluster: Cluster, folder: pathlib.Path) -> None:
    result, took = timed(lambda: work(cluster))
    if isinstance(result, Cluster):
        print(f"{name:<15} {took}", flush=True)
        return
    _, saved = timed(lambda: saving.save(result, str(folder / name)))
    print(f"{name:<15} {took}   report {saved}   {result.answer}", flush=True)


def timed(work: Callable[[], Any]) -> tuple[Any, Times]:
    """What some work gives, and how long it takes."""
    wall, cpu = time.perf_counter(), _processor()
    found = work()
    return found, Times(time.perf_counter() - wall, _processor() - cpu)


def _processor() -> float:
    """The seconds that this process and those that it started have worked."""
    return sum(os.times()[:4])


def _objects(nodes: int, pods: int) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = [
        make_node(f"n{each:04}", cpu="16", memory="64Gi", zone=ZONES[each % len(ZONES)])
        for each in range(nodes)
    ]
    for each in range(WORKLOADS):
        replicas = pods // WORKLOADS
        objects.append(make_deployment(f"w{each}", replicas=replicas, cpu="1", memory="2Gi"))
        objects.append(make_pod_disruption_budget(f"w{each}", max_unavailable="10%"))
    return objects


def _cluster(objects: list[dict[str, Any]]) -> Stage:
    stage = Stage()
    stage.add_scheduler(recording="none")
    stage.apply(each for each in objects if each["kind"] == "Node")
    stage.add_controllers()
    stage.run("1ms")
    stage.apply(each for each in objects if each["kind"] != "Node")
    stage.run("2m")
    # As `open_cluster` leaves it.
    stage_copies.forget_history(stage)
    return stage


def _write_files(folder: pathlib.Path, objects: list[dict[str, Any]], stage: Stage) -> None:
    """Write the manifests, a dump as kubectl writes it, and two applications."""
    dumped = [
        obj
        for collection in stage.store.collections()
        if collection.kind.kind in DUMPED
        for obj in collection.objects.values()
    ]
    apps = {
        "small": make_deployment("app", replicas=30, cpu="2", memory="2Gi"),
        "huge": make_deployment("app", replicas=2, cpu="20", memory="2Gi"),
    }
    for name, items in {
        "manifests": objects,
        "dump": dumped,
        **{key: [app] for key, app in apps.items()},
    }.items():
        listed = {"apiVersion": "v1", "kind": "List", "items": items}
        (folder / f"{name}.json").write_bytes(msgspec.json.encode(listed))
        (folder / f"{name}.yaml").write_bytes(msgspec.yaml.encode(listed))


def _rehearsals(folder: pathlib.Path) -> dict[str, Work]:
    drains, upgrades = rehearse.DrainOptions, rehearse.UpgradeOptions
    return {
        "open-manifests": lambda _: rehearse.open_cluster(str(folder / "manifests.yaml")),
        "open-dump": lambda _: rehearse.open_cluster(str(folder / "dump.json")),
        "open-dump-yaml": lambda _: rehearse.open_cluster(str(folder / "dump.yaml")),
        "drain-one": lambda it: rehearse.drain(it, "n0000"),
        "drain-all": lambda it: rehearse.drain(it, "all"),
        "drain-10": lambda it: rehearse.drain(it, "all", drains(parallel=10)),
        "zone-outage": lambda it: rehearse.outage(it, "zone/b"),
        "upgrade": lambda it: rehearse.upgrade(it, "all"),
        "upgrade-10": lambda it: rehearse.upgrade(it, "all", upgrades(surge=10)),
        "grow": lambda it: rehearse.grow(it, "all=2x"),
        "fit": lambda it: rehearse.fit(it, str(folder / "small.json")),
        "fit-huge": lambda it: rehearse.fit(it, str(folder / "huge.json")),
        "survey": rehearse.survey,
    }


if __name__ == "__main__":
    main()
