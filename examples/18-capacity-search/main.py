"""How many nodes does a shop need? A search that schedules the pods on each size.

Run as ``python main.py``. Each trial schedules all 1,000 pods on a number of nodes and counts
the pending ones; bisection finds the smallest cluster on which all pods fit.
"""

from collections.abc import Callable
from typing import Any

from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
APPS = 40
REPLICAS = 25
MOST_NODES = 64


def spread_over_zones(app: str) -> dict[str, Any]:
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
    }
    return {"topology_spread_constraints": [constraint]}


def one_per_node(app: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
    anti = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return {"affinity": {"podAntiAffinity": anti}}


def no_constraint(app: str) -> dict[str, Any]:
    return {}


def pending(nodes: int, cpu: str, rule: Callable[[str], dict[str, Any]]) -> int:
    """How many pods find no node in a cluster of this size."""
    stage = Stage()
    scheduler = stage.add_scheduler()
    for number in range(nodes):
        name = f"node-{number:04d}"
        labels = {HOST: name, ZONE: f"zone-{number % 3}"}
        stage.store.load(make_node(name, cpu=cpu, memory="64Gi", labels=labels))
    for replica in range(REPLICAS):
        for app in range(APPS):
            name, cpu_request = f"app-{app}", f"{100 + 50 * (app % 7)}m"
            pod = make_pod(
                f"{name}-{replica}",
                labels={"app": name},
                cpu=cpu_request,
                memory="256Mi",
                **rule(name),
            )
            stage.store.create(pod)
    scheduler.run_until_idle()
    return sum(scheduler.queue.counts().values())


def smallest(cpu: str, rule: Callable[[str], dict[str, Any]]) -> int:
    """The size of the smallest cluster without a pending pod."""
    too_few, enough = 0, MOST_NODES
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if pending(middle, cpu, rule):
            too_few = middle
        else:
            enough = middle
    return enough


def main() -> None:
    print(f"{APPS * REPLICAS:,} pods of {APPS} apps\n")
    print(f"{'rule':<20}{'8 CPUs':>10}{'16 CPUs':>10}{'32 CPUs':>10}")
    for rule in (no_constraint, spread_over_zones, one_per_node):
        sizes = [smallest(cpu, rule) for cpu in ("8", "16", "32")]
        name = rule.__name__.replace("_", " ")
        print(f"{name:<20}" + "".join(f"{size:>10}" for size in sizes))


if __name__ == "__main__":
    main()
