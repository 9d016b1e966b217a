"""The mix of pods of Karpenter's own scheduling benchmark, beside its own floor.

Karpenter fails its benchmark below 100 pods a second, with 400 instance types. Run it with
``python benchmarks/karpenter_floor.py``; the pods are of the same five kinds and sizes: plain ones,
spread over zones, spread over hosts, together in a zone, and each alone on its host.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import sys
import time
from typing import TYPE_CHECKING, Final

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from benchmarks import karpenter
from kubestage.controllers.karpenter import labels, provisioning
from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.controllers.karpenter.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

FLOOR: Final = 100
"""Pods a second, below which Karpenter's benchmark fails."""

COUNTS: Final = (50, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
KINDS: Final = ("plain", "zone spread", "host spread", "zone affinity", "host anti-affinity")
_CPU_MILLIS: Final = (100, 250, 500, 1000, 1500)
_MEMORY_MEBIS: Final = (100, 256, 512, 1024, 2048, 4096)
_VALUES: Final = "abcdefg"


def pods(count: int) -> Iterator[Json]:
    """So many waiting pods, as many of each kind."""
    draw = random.Random(42)
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    for number in range(count):
        own, spec = _constraints(KINDS[number * len(KINDS) // count], draw)
        requests = {
            "cpu": f"{draw.choice(_CPU_MILLIS)}m",
            "memory": f"{draw.choice(_MEMORY_MEBIS)}Mi",
        }
        name = f"pod-{number:05}"
        yield {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "namespace": "default",
                "uid": f"uid-{draw.getrandbits(64):016x}",
                "labels": own,
                "creationTimestamp": "2000-01-01T00:00:00Z",
            },
            "spec": {
                "schedulerName": "default-scheduler",
                "containers": [{"name": "c", "image": "app", "resources": {"requests": requests}}],
                **spec,
            },
            "status": {"phase": "Pending", "conditions": [condition]},
        }


def _constraints(kind: str, draw: random.Random) -> tuple[dict[str, str], Json]:
    """The labels of a pod of some kind, and what it demands."""
    own = {"my-label": draw.choice(_VALUES)}
    field = "requiredDuringSchedulingIgnoredDuringExecution"
    if kind.endswith("spread"):
        return own, {
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": labels.ZONE if kind.startswith("zone") else labels.HOSTNAME,
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": {"matchLabels": {"my-label": draw.choice(_VALUES)}},
                }
            ]
        }
    if kind == "zone affinity":
        own = {"my-affinity": draw.choice(_VALUES)}
        term = {"labelSelector": {"matchLabels": own}, "topologyKey": labels.ZONE}
        return own, {"affinity": {"podAffinity": {field: [term]}}}
    if kind == "host anti-affinity":
        own = {"app": "nginx"}
        term = {"labelSelector": {"matchLabels": own}, "topologyKey": labels.HOSTNAME}
        return own, {"affinity": {"podAntiAffinity": {field: [term]}}}
    return own, {}


def one_pass(count: int) -> str:
    """A pass over so many pods on an empty cluster."""
    offered, (pool, *_) = karpenter.instance_types(), karpenter.node_pools()
    cluster = ClusterState(
        [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}, *pods(count)]
    )
    options = Options(well_known=labels.WELL_KNOWN | {karpenter.FAMILY})
    began = time.process_time()
    found = provisioning.schedule(cluster, [pool], {pool["metadata"]["name"]: offered}, options)
    took = time.process_time() - began
    return (
        f"{count:6} pods, {len(offered)} types: {count / took:7.0f} pods/s (floor {FLOOR}), "
        f"{len(found.new_node_claims)} new nodes, {len(found.pod_errors)} pods nowhere"
    )


def main() -> None:
    """Measure every count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=COUNTS[-1], help="leave out larger counts")
    most = parser.parse_args().most
    for count in COUNTS:
        if count <= most:
            print(one_pass(count))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
