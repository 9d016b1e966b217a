"""Karpenter on a large cluster: rounds of the disruption loop.

Run it with ``python benchmarks/karpenter_rounds.py``; each case says what it must stay under.
"""

from __future__ import annotations

import argparse
import cProfile
import functools
import pstats
import time
from typing import TYPE_CHECKING, Any, Final

import karpenter

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.disruption import rounds, validation
from kubestage.controllers.karpenter.disruption.context import Context
from kubestage.controllers.karpenter.scheduling.options import Placeholders
from kubestage.controllers.karpenter.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types import InstanceType

NODES: Final = 500
TYPE: Final = "f00.16"
CREATED: Final = "2000-01-01T00:00:00Z"
NOW_NS: Final = 946_771_200 * 10**9
LIMIT_SECONDS: Final = 5.0


class Cloud:
    """Offers the types of the benchmark."""

    well_known = labels.WELL_KNOWN | {karpenter.FAMILY}
    reserved_labels: frozenset[str] = frozenset()
    reservation_label = ""

    def __init__(self) -> None:
        self._types = karpenter.instance_types()

    def types_of(self, node_pool: Json) -> list[InstanceType]:
        """The types."""
        del node_pool
        return self._types

    def drift_reason(self, node_claim: Json) -> str:
        """No NodeClaim drifts."""
        del node_claim
        return ""


def _node_pool() -> Json:
    reference = {"group": "bench.example", "kind": "BenchClass", "name": "default"}
    row = {"key": labels.CAPACITY_TYPE, "operator": "In", "values": ["on-demand"]}
    disruption = {
        "consolidateAfter": "0s",
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "budgets": [{"nodes": "100%"}],
    }
    template = {"spec": {"nodeClassRef": reference, "requirements": [row]}}
    return {
        "kind": "NodePool",
        "metadata": {"name": "default", "uid": "uid-default"},
        "spec": {"template": template, "disruption": disruption},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }


def _machine(name: str, zone: str) -> Iterator[Json]:
    room = {"cpu": "15800m", "memory": "31Gi", "pods": "110", "ephemeral-storage": "100Gi"}
    own = {
        labels.NODE_POOL: "default",
        labels.ZONE: zone,
        labels.CAPACITY_TYPE: labels.ON_DEMAND,
        labels.INSTANCE_TYPE: TYPE,
        labels.ARCH: "arm64",
        labels.OS: "linux",
        karpenter.FAMILY: "f00",
    }
    ready = {labels.HOSTNAME: name, labels.NODE_REGISTERED: "true", labels.NODE_INITIALIZED: "true"}
    conditions = [
        {"type": kind, "status": "True", "lastTransitionTime": CREATED}
        for kind in ("Consolidatable", "Initialized", "Launched", "Ready")
    ]
    status: Json = {"capacity": room, "allocatable": room, "conditions": conditions}
    yield {
        "kind": "NodeClaim",
        "metadata": {"name": name, "labels": own, "creationTimestamp": CREATED},
        "spec": {},
        "status": {**status, "providerID": f"bench://{name}"},
    }
    yield {
        "kind": "Node",
        "metadata": {"name": name, "labels": {**own, **ready}, "creationTimestamp": CREATED},
        "spec": {"providerID": f"bench://{name}"},
        "status": status,
    }


def _objects(pods: int) -> Iterator[Json]:
    """Nodes with pods of the shapes that suit their zone, spread as they demand."""
    yield {"kind": "Namespace", "metadata": {"name": "default"}}
    yield _node_pool()
    for number in range(NODES):
        name, zone = f"node-{number:04}", karpenter.ZONES[number % 3]
        yield from _machine(name, zone)
        for position in range(pods):
            # Twenty pods in a row request 15.5 cores.
            shape = _suitable((number // 3 + position) % 50, zone)
            yield _bound(f"pod-{number:04}-{position:02}", name, shape)


def _suitable(shape: int, zone: str) -> int:
    """A shape of the same size for this zone: every fifth demands one."""
    while shape % 5 == 1 and karpenter.ZONES[shape % 3] != zone:
        shape = (shape + 10) % 50
    return shape


def _bound(name: str, node: str, shape: int) -> Json:
    pod: dict[str, Any] = karpenter.pod_of(name, shape, phase="Running")
    pod["spec"]["nodeName"] = node
    return pod


def _round(pods: int) -> str:
    """One round, with the look at a command after a while."""
    cluster = ClusterState(_objects(pods), NOW_NS)
    context = Context(cluster, Cloud(), Placeholders())
    methods = rounds.methods(context)
    cluster.nodes()
    began = time.process_time()
    current = rounds.Round(context, methods)
    outcome = current.advance()
    while outcome is None:
        cluster.now_ns += validation.DELAY_NS
        outcome = current.advance()
    took = time.process_time() - began
    shown = [f"{each.decision} {len(each.candidates)} nodes" for each in outcome.commands]
    return f"{took:.2f} s of CPU (limit {LIMIT_SECONDS:.0f} s): {', '.join(shown) or 'nothing'}"


CASES: Final = {
    "full: no node can go, and each is tried": functools.partial(_round, 20),
    "half full: many nodes go at once": functools.partial(_round, 9),
}


def main() -> None:
    """Measure, or profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="show where the time goes")
    is_profiled = parser.parse_args().profile
    for name, case in CASES.items():
        if is_profiled:
            profile = cProfile.Profile()
            print(f"{name}: {profile.runcall(case)}")
            pstats.Stats(profile).sort_stats("tottime").print_stats(35)
        else:
            print(f"{name}: {case()}")


if __name__ == "__main__":
    main()
