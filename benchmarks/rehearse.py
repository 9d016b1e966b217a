"""How long rehearsals take on a large cluster: 1,000 nodes and 10,000 pods of 100 workloads.

Run it: ``python benchmarks/rehearse.py [REHEARSAL...]``. Both the time on the wall and that of the
processor are printed: on a machine that does other work, they differ.
"""

from __future__ import annotations

import pickle
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage import Stage
from kubestage.runs import rehearse
from kubestage.runs.rehearse import Cluster
from kubestage.testing import make_deployment, make_node, make_pod_disruption_budget

if TYPE_CHECKING:
    from collections.abc import Callable

NODES: Final = 1000
WORKLOADS: Final = 100
REPLICAS: Final = 100
ZONES: Final = "abc"


def main(names: list[str]) -> None:
    """Build the cluster once, then run each rehearsal on a copy."""
    begin = time.perf_counter()
    encoded = pickle.dumps(_cluster(), pickle.HIGHEST_PROTOCOL)
    print(f"{'cluster':<12} {time.perf_counter() - begin:>8.1f} s")
    for name, action in _rehearsals().items():
        if names and name not in names:
            continue
        cluster = Cluster(pickle.loads(encoded), "benchmark")
        wall, cpu = time.perf_counter(), time.process_time()
        answer = action(cluster)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{name:<12} {wall:>8.1f} s  {cpu:>8.1f} s cpu   {answer}")


def _cluster() -> Stage:
    stage = Stage()
    stage.add_scheduler(recording="none")
    stage.apply(
        make_node(f"n{each:04}", cpu="16", memory="64Gi", zone=ZONES[each % len(ZONES)])
        for each in range(NODES)
    )
    stage.add_controllers()
    stage.run("1ms")
    objects: list[dict[str, Any]] = []
    for each in range(WORKLOADS):
        objects.append(make_deployment(f"w{each}", replicas=REPLICAS, cpu="1", memory="2Gi"))
        objects.append(make_pod_disruption_budget(f"w{each}", max_unavailable="10%"))
    stage.apply(objects)
    stage.run("2m")
    return stage


def _rehearsals() -> dict[str, Callable[[Cluster], str]]:
    drains = rehearse.DrainOptions(parallel=10)
    return {
        "drain-one": lambda it: rehearse.drain(it, "n0000").answer,
        "drain-all": lambda it: rehearse.drain(it, "all", drains).answer,
        "zone-outage": lambda it: rehearse.outage(it, "zone/b").answer,
        "upgrade": lambda it: rehearse.upgrade(it, "all", rehearse.UpgradeOptions(surge=10)).answer,
        "grow": lambda it: rehearse.grow(it, "all=2x").answer,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
