"""What is kept between passes changes nothing: a pass that looks at everything finds the same.

The cluster changes step by step; at each step many passes go without some nodes, as rounds of
consolidation do. The twin prepares everything anew, and takes no pod for a plain one.
"""

from __future__ import annotations

import copy
import random
from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.karpenter import labels, provisioning
from kubestage.controllers.karpenter.scheduling import solving
from kubestage.controllers.karpenter.scheduling.options import Options, Placeholders
from kubestage.controllers.karpenter.scheduling.plain_shapes import PlainShapes
from kubestage.controllers.karpenter.scheduling.prepared_pools import PoolCache
from kubestage.controllers.karpenter.scheduling.simulation import Simulation
from kubestage.controllers.karpenter.scheduling.solving import Prepared
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from kubestage.replay.karpenter import shown
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import STANDARD
from tests.controllers.karpenter.scheduling.passes import NAMESPACE, anti_affinity, node, pod

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types import InstanceType
    from kubestage.controllers.karpenter.scheduling.queue import PodQueue
    from kubestage.controllers.karpenter.scheduling.results import Results
    from kubestage.controllers.karpenter.state.state_node import StateNode

ZONES = ("zone-1", "zone-2")
CPUS = ("200m", "700m", "1", "3")


class _World:
    """A cluster that changes by chance, with what its passes have kept."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.types: Sequence[InstanceType] = STANDARD
        self.options = Options(consolidating=bool(seed % 2))
        self.cache, self.placeholders = PoolCache(), Placeholders()
        self._count = 0
        limits = {"limits": {"cpu": str(self.draw.choice([8, 12, 16]))}} if seed % 3 == 0 else {}
        disruption = {"consolidateAfter": "1h", "consolidationPolicy": "WhenEmptyOrUnderutilized"}
        self.pools = [
            objects.node_pool("default", weight=1, disruption=disruption, **limits),
            objects.node_pool("second", {"taints": [{"key": "dedicated", "effect": "NoSchedule"}]}),
        ]
        self.cluster = ClusterState([NAMESPACE, *self.pools], objects.START_NS)
        for _ in range(self.draw.randint(2, 5)):
            self.add_node()
        for _ in range(self.draw.randint(3, 12)):
            self.add_pod()

    def change(self) -> None:
        """Something happens."""
        changes: list[Callable[[], None]] = [
            self.add_node, self.add_pod, self.add_pod, self.touch_pod, self.remove_pod,
            self.mark_node, self.settle_node, self.touch_pool, self.renew_types, self.add_daemons,
        ]  # fmt: skip
        self.draw.choice(changes)()

    def add_node(self) -> None:
        self._count += 1
        name = f"node-{self._count}"
        spec: Json = {}
        if self.draw.random() < 0.2:
            spec["taints"] = [{"key": "dedicated", "effect": "NoSchedule"}]
        zone, cpu = self.draw.choice(ZONES), self.draw.choice(["1", "2", "4"])
        for each in node(name, zone, cpu=cpu, **spec):
            self.cluster.update(each)

    def add_pod(self) -> None:
        self._count += 1
        draw, name = self.draw, f"pod-{self._count}"
        spec: Json = {}
        if draw.random() < 0.3:
            spec["nodeSelector"] = {labels.ZONE: draw.choice(ZONES)}
        if draw.random() < 0.2:
            spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
        if draw.random() < 0.02:
            spec["affinity"] = anti_affinity(labels.HOSTNAME)
        if draw.random() < 0.1:
            spec["volumes"] = [{"name": "token", "projected": {}}]
        made = pod(name, draw.choice(CPUS), **spec)
        nodes = self.cluster.nodes()
        if nodes and draw.random() < 0.8:
            made = objects.pod(name, draw.choice(nodes).name, cpu=draw.choice(CPUS))
            made["spec"].update(spec)
        self.cluster.update(made)

    def touch_pod(self) -> None:
        pods = self.cluster.objects.all("Pod")
        if pods:
            found = self.draw.choice(pods)
            self.cluster.update({**found, "status": {**found["status"], "seen": self._count}})

    def remove_pod(self) -> None:
        pods = self.cluster.objects.all("Pod")
        if pods:
            self.cluster.delete("Pod", self.draw.choice(pods)["metadata"]["name"], "default")

    def mark_node(self) -> None:
        found = self.draw.choice(self.cluster.nodes())
        self.cluster.mark_for_deletion([found.provider_id], marked=self.draw.random() < 0.5)

    def settle_node(self) -> None:
        claim = copy.deepcopy(self.draw.choice(self.cluster.nodes()).node_claim)
        assert claim is not None
        claim["status"]["lastPodEventTime"] = self.draw.choice(
            ["1999-12-31T23:30:00Z", "1999-12-31T10:00:00Z"]
        )
        self.cluster.update(claim)

    def touch_pool(self) -> None:
        """The status of a NodePool changes, and sometimes what it demands."""
        self._count += 1
        position = self.draw.randrange(len(self.pools))
        pool = copy.deepcopy(self.pools[position])
        pool["metadata"]["resourceVersion"] = str(self._count)
        pool["status"]["nodes"] = self._count
        if self.draw.random() < 0.4:
            pool["spec"]["weight"] = self.draw.randint(1, 9)
        self.pools[position] = pool
        self.cluster.update(pool)

    def renew_types(self) -> None:
        self.types = list(STANDARD[self.draw.randint(0, 2) :])

    def add_daemons(self) -> None:
        self._count += 1
        wants = {"requests": {"cpu": self.draw.choice(["100m", "300m"])}}
        self.cluster.update(
            {
                "apiVersion": "apps/v1",
                "kind": "DaemonSet",
                "metadata": {"name": "agent", "namespace": "default", "uid": "uid-agent"},
                "spec": {"template": {"metadata": {}, "spec": {
                    "containers": [{"name": "c", "resources": wants}]}}},
            }
        )  # fmt: skip

    def without(self, nodes: Sequence[StateNode], cache: PoolCache, last: int) -> tuple[Json, int]:
        """Where pods go if these nodes are gone, and how many names of new nodes are used up."""
        cluster, names = self.cluster, Placeholders(last)
        types = {each["metadata"]["name"]: self.types for each in self.pools}
        prepared = Prepared(cluster, cache.of(cluster, self.pools, types, self.options))
        pods = [
            *provisioning.pending_pods(cluster, self.options),
            *(each for found in nodes for each in found.reschedulable_pods),
        ]
        found = prepared.solve(pods, nodes, placeholders=names)
        found.truncate(self.options)
        return shown.results(found, labels.WELL_KNOWN), names.last


@pytest.mark.parametrize("seed", range(40))
def test_what_is_kept_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    world, plain, last = _World(seed), PlainShapes.of, 0
    for _ in range(12):
        world.change()
        nodes = world.cluster.nodes()
        for size in (1, 1, 2, 3):
            chosen = world.draw.sample(nodes, min(size, len(nodes)))
            missing = [each for each in nodes if each in chosen or each.marked_for_deletion]
            monkeypatch.setattr(PlainShapes, "of", plain)
            fast = world.without(missing, world.cache, last)
            monkeypatch.setattr(PlainShapes, "of", lambda *_: None)
            assert fast == world.without(missing, PoolCache(), last)
            last = fast[1]


def test_pods_that_wait_go_to_settling_nodes_and_others_do_not() -> None:
    """The rule that both ways of placing pods must know."""
    world = _World(1)
    cluster = ClusterState([NAMESPACE, *world.pools], objects.START_NS)
    for name in ("node-a", "node-b"):
        for each in node(name):
            cluster.update(each)
    busy = copy.deepcopy(cluster.nodes()[1].node_claim)
    assert busy is not None
    busy["status"]["lastPodEventTime"] = "1999-12-31T23:59:00Z"
    cluster.update(busy)
    cluster.update(objects.pod("moved", "node-a"))
    world.cluster = cluster
    found, _ = world.without([cluster.nodes()[0]], PoolCache(), 0)
    assert [each["pods"] for each in found["newNodeClaims"]] == [["default/moved"]]
    cluster.update(pod("waiting"))
    found, _ = world.without([cluster.nodes()[0]], PoolCache(), 0)
    assert found["existingNodes"] == {"node-b": ["default/waiting"]}


def test_plain_pods_are_not_simulated_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same pods need the same new nodes, whatever happens to nodes and NodePools' status."""
    runs: list[None] = []

    class _Counted(Simulation):
        def run(self, queue: PodQueue) -> Results:
            runs.append(None)
            return super().run(queue)

    monkeypatch.setattr(solving, "Simulation", _Counted)
    world = _World(2)
    for number in range(3):
        world.cluster.update(pod(f"large-{number}", "3"))
    nodes = world.cluster.nodes()
    first = world.without(nodes, world.cache, 0)
    assert len(runs) == 1
    world.add_node()
    pool = copy.deepcopy(world.pools[0])
    pool["status"]["nodes"] = 7
    world.pools[0] = pool
    assert world.without(world.cluster.nodes(), world.cache, 0) == first
    assert len(runs) == 1
