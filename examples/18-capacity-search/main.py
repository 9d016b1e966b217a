"""How many nodes does a shop need? Found by trying: every size is a schedule of its own.

Run as ``python main.py``. Each trial schedules all 1,000 pods on so many nodes and looks whether
any was left over; bisection finds the smallest cluster that takes them all.
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


def one_to_a_node(app: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
    anti = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return {"affinity": {"podAntiAffinity": anti}}


def anywhere(app: str) -> dict[str, Any]:
    return {}


def left_over(nodes: int, cpu: str, rule: Callable[[str], dict[str, Any]]) -> int:
    """How many pods find no node in a cluster of this size."""
    stage = Stage()
    scheduler = stage.add_scheduler()
    for number in range(nodes):
        name = f"node-{number:04d}"
        labels = {HOST: name, ZONE: f"zone-{number % 3}"}
        stage.store.load(make_node(name, cpu=cpu, memory="64Gi", labels=labels))
    for replica in range(REPLICAS):
        for app in range(APPS):
            name, cpu_asked = f"app-{app}", f"{100 + 50 * (app % 7)}m"
            pod = make_pod(
                f"{name}-{replica}",
                labels={"app": name},
                cpu=cpu_asked,
                memory="256Mi",
                **rule(name),
            )
            stage.store.create(pod)
    scheduler.run_until_idle()
    return sum(scheduler.queue.counts().values())


def smallest(cpu: str, rule: Callable[[str], dict[str, Any]]) -> int:
    """The size of the smallest cluster in which nothing is left over."""
    too_few, enough = 0, MOST_NODES
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if left_over(middle, cpu, rule):
            too_few = middle
        else:
            enough = middle
    return enough


def main() -> None:
    print(f"{APPS * REPLICAS:,} pods of {APPS} apps\n")
    print(f"{'rule':<20}{'8 CPUs':>10}{'16 CPUs':>10}{'32 CPUs':>10}")
    for rule in (anywhere, spread_over_zones, one_to_a_node):
        sizes = [smallest(cpu, rule) for cpu in ("8", "16", "32")]
        told = rule.__name__.replace("_", " ")
        print(f"{told:<20}" + "".join(f"{size:>10}" for size in sizes))


if __name__ == "__main__":
    main()
