"""Karpenter on a large cluster: passes of the provisioner.

Run it with ``python benchmarks/karpenter.py``; each case says what it must stay under.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.karpenter import amounts, labels, provisioning
from kubestage.controllers.karpenter.instance_types import types
from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.controllers.karpenter.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json

ZONES: Final = ("zone-a", "zone-b", "zone-c")
FAMILIES: Final = tuple(f"f{number:02}" for number in range(50))
SIZES: Final = (2, 4, 8, 16, 32, 48, 64, 96)
SMALL_SIZES: Final = (2, 4)
"""With these, pods need a thousand new nodes."""

FAMILY: Final = "bench.example/family"
LIMIT_SECONDS: Final = 2.0


def _requirements(values: dict[str, list[str]]) -> Requirements:
    return Requirements(requirement.new(key, requirement.IN, each) for key, each in values.items())


def instance_types(sizes: Sequence[int] = SIZES) -> list[InstanceType]:
    """50 families of some sizes, in 3 zones, on demand and spot."""
    found = []
    for number, family in enumerate(FAMILIES):
        for cpu in sizes:
            name = f"{family}.{cpu}"
            memory = cpu * (2, 4, 8)[number % 3]
            price = cpu * 0.04 * (1 + number / 100)
            offerings = [
                Offering(
                    _requirements({labels.ZONE: [zone], labels.CAPACITY_TYPE: [capacity_type]}),
                    price * (1 + at / 100) * (0.4 if capacity_type == labels.SPOT else 1),
                )
                for at, zone in enumerate(ZONES)
                for capacity_type in (labels.ON_DEMAND, labels.SPOT)
            ]
            own = {
                labels.INSTANCE_TYPE: [name],
                labels.ARCH: ["arm64" if number % 5 == 0 else "amd64"],
                labels.OS: ["linux"],
                labels.ZONE: list(ZONES),
                labels.CAPACITY_TYPE: [labels.ON_DEMAND, labels.SPOT],
                FAMILY: [family],
            }
            capacity = amounts.of(
                {
                    "cpu": str(cpu),
                    "memory": f"{memory}Gi",
                    "pods": "110",
                    "ephemeral-storage": "100Gi",
                }
            )
            overhead = amounts.of({"cpu": "200m", "memory": "500Mi"})
            found.append(types.new(name, _requirements(own), offerings, capacity, overhead))
    return found


def node_pools() -> list[Json]:
    """One NodePool without limits, and one of spot nodes that is preferred until it is full."""
    reference = {"group": "bench.example", "kind": "BenchClass", "name": "default"}
    pools = []
    for name, weight, limits in (("default", 0, {}), ("spot", 10, {"cpu": "20000"})):
        row: dict[str, Any] = {"key": labels.CAPACITY_TYPE, "operator": "In", "values": ["spot"]}
        if name == "default":
            row["values"] = ["on-demand", "spot"]
        spec = {"nodeClassRef": reference, "requirements": [row], "expireAfter": "720h"}
        pools.append(
            {
                "apiVersion": "karpenter.sh/v1",
                "kind": "NodePool",
                "metadata": {"name": name, "uid": f"uid-{name}"},
                "spec": {"weight": weight, "limits": limits, "template": {"spec": spec}},
            }
        )
    return pools


def _spec(shape: int) -> Json:
    """One of 50 shapes: sizes, zones, spreads and anti-affinity in turns."""
    labelled = {"matchLabels": {"app": f"app-{shape:02}"}}
    requests = {"cpu": f"{100 + 150 * (shape % 10)}m", "memory": f"{256 * (1 + shape % 7)}Mi"}
    spec: Json = {
        "schedulerName": "default-scheduler",
        "containers": [{"name": "c", "image": "app:v1", "resources": {"requests": requests}}],
    }
    kind = shape % 5
    if kind == 1:
        spec["nodeSelector"] = {labels.ZONE: ZONES[shape % 3]}
    elif kind == 2:
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": labels.ZONE,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": labelled,
            }
        ]
    elif kind == 3:
        terms = [{"key": labels.ARCH, "operator": "In", "values": ["arm64"]}]
        required = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
        field = "requiredDuringSchedulingIgnoredDuringExecution"
        spec["affinity"] = {"nodeAffinity": {field: required}}
    elif kind == 4:
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": 5,
                "topologyKey": labels.HOSTNAME,
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": labelled,
            }
        ]
    return spec


def pod_of(name: str, shape: int, **status: Any) -> Json:
    """A pod of one of the shapes."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "labels": {"app": f"app-{shape:02}"},
            "creationTimestamp": "2000-01-01T00:00:00Z",
        },
        "spec": _spec(shape),
        "status": status,
    }


def cluster(nodes: int, pending: int, bound: int) -> ClusterState:
    """Nodes with so many pods each, and pods that wait."""
    return ClusterState(_objects(nodes, pending, bound))


def _objects(nodes: int, pending: int, bound: int) -> Iterator[Json]:
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    for number in range(pending):
        yield pod_of(f"pending-{number:05}", number % 50, phase="Pending", conditions=[condition])
    for number in range(nodes):
        name = f"node-{number:04}"
        room = {"cpu": "15800m", "memory": "60Gi", "pods": "110", "ephemeral-storage": "100Gi"}
        own = {
            labels.NODE_POOL: "default",
            labels.HOSTNAME: name,
            labels.ZONE: ZONES[number % 3],
            labels.CAPACITY_TYPE: labels.ON_DEMAND,
            labels.INSTANCE_TYPE: "f01.16",
            labels.ARCH: "amd64",
            labels.OS: "linux",
            FAMILY: "f01",
            labels.NODE_REGISTERED: "true",
            labels.NODE_INITIALIZED: "true",
        }
        status = {"providerID": f"bench://{name}", "capacity": room, "allocatable": room}
        yield {
            "apiVersion": "karpenter.sh/v1",
            "kind": "NodeClaim",
            "metadata": {"name": name, "labels": own},
            "spec": {},
            "status": status,
        }
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": own},
            "spec": {"providerID": f"bench://{name}"},
            "status": {"capacity": room, "allocatable": room},
        }
        for position in range(bound):
            pod = pod_of(
                f"bound-{number:04}-{position:02}", (number + position) % 50, phase="Running"
            )
            pod["spec"]["nodeName"] = name
            yield pod


def one_pass(sizes: Sequence[int]) -> str:
    """500 nodes with 20 pods each, 5,000 pending pods of 50 shapes, types of these sizes."""
    state, offered, pools = cluster(500, 5_000, 20), instance_types(sizes), node_pools()
    by_pool = {pool["metadata"]["name"]: offered for pool in pools}
    options = Options(strict_reservations=True, well_known=labels.WELL_KNOWN | {FAMILY})
    state.nodes()
    began = time.process_time()
    found = provisioning.schedule(state, pools, by_pool, options)
    took = time.process_time() - began
    placed = sum(len(each.pods) for each in found.existing_nodes)
    new = sum(len(each.pods) for each in found.new_node_claims)
    return (
        f"one pass, {len(offered)} types: {took:.2f} s of CPU (limit {LIMIT_SECONDS:.0f} s): "
        f"{placed} pods on existing nodes, {new} on {len(found.new_node_claims)} new ones, "
        f"{len(found.pod_errors)} nowhere"
    )


def measure() -> None:
    """Print what each case takes."""
    print(one_pass(SIZES))
    print(one_pass(SMALL_SIZES))


def main() -> None:
    """Measure, or profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="show where the time goes")
    if parser.parse_args().profile:
        profile = cProfile.Profile()
        profile.runcall(measure)
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)
    else:
        measure()


if __name__ == "__main__":
    main()
