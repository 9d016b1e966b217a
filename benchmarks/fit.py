"""How long it takes to find out what would make a pod fit.

A full cluster of 1,000 nodes and 10,000 pods, and three pods that wait: one that is too large, one
with rules that no node fulfils together, and one whose anti-affinity is in the way. Each advice is
made of a new copy of the cluster.

Run as ``python benchmarks/fit.py [NODES [PODS]]``.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from kubestage.objects import gvk
from kubestage.runs import fit
from kubestage.runs.fit import cluster_copy, cluster_image
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

_ZONE = "topology.kubernetes.io/zone"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def cluster(nodes: int, pods: int) -> Stage:
    """A cluster whose nodes have a little room left."""
    stage = Stage()
    stage.load(
        [
            make_node(f"n{each}", cpu="8", memory="32Gi", zone=f"z{each % 3}")
            for each in range(nodes)
        ]
    )
    scheduler = stage.add_scheduler()
    for each in range(pods):
        labels = {"app": f"a{each % 50}"}
        stage.store.create(make_pod(f"p{each}", cpu="700m", memory="2Gi", labels=labels))
    scheduler.run_until_idle()
    return stage


def waiting() -> dict[str, Json]:
    """The pods that wait."""
    term = {"labelSelector": {"matchLabels": {"app": "a1"}}, "topologyKey": _ZONE}
    apart = {"podAntiAffinity": {_REQUIRED: [term]}}
    return {
        "too large": make_pod("large", cpu="7"),
        "rules that no node fulfils": make_pod(
            "picky", cpu="7", node_selector={"disk": "ssd"}, affinity=apart
        ),
        "anti-affinity": make_pod("apart", cpu="500m", labels={"app": "a1"}, affinity=apart),
    }


def main() -> None:
    """Print a line for each pod."""
    nodes, pods = (*map(int, sys.argv[1:]), *(1000, 10000)[len(sys.argv) - 1 :])
    stage = cluster(nodes, pods)
    print(f"{nodes:,} nodes, {pods:,} pods")
    for name, pod in waiting().items():
        created = stage.store.create(pod)
        assert stage.scheduler is not None
        stage.scheduler.run_until_idle()
        created = stage.store.read(gvk.POD)[f"default/{created['metadata']['name']}"]
        started = time.perf_counter()
        copy = cluster_copy.ClusterCopy(cluster_image.image_of(stage), created)
        copied = time.perf_counter() - started
        started = time.perf_counter()
        advice = fit.advise(stage, created)
        took = time.perf_counter() - started
        assert copy.key == advice.key
        print(f"{name}: {took:.2f} s, {copied:.2f} s of it for the copy; "
              f"{len(advice.changes)} changes")  # fmt: skip


if __name__ == "__main__":
    main()
