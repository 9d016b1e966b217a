"""What volume plugins keep from one attempt to the next stays true whatever happens between."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.node_volume_limits import NodeVolumeLimits
from kubestage.scheduler.plugins.volume_binding import VolumeBinding
from kubestage.scheduler.plugins.volume_restrictions import VolumeRestrictions
from tests.reference import node_volume_limits, volume_binding, volume_restrictions
from tests.scheduler.plugins import clusters, storages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Handle


NODES = tuple(f"node-{number}" for number in range(12))
"""So many that those close to their limits are looked at together."""

CLAIMS = tuple(f"c{number}" for number in range(6))
VOLUMES = tuple(f"v{number}" for number in range(6))
CHANGES = (
    "claim", "volume", "gone", "class", "pod", "move", "attached", "attached", "driver", "capacity",
)  # fmt: skip
EPHEMERAL = {"name": "mine", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
DISK = {"name": "disk", "gcePersistentDisk": {"pdName": "d"}}
SEEDS = range(40)


class Changing:
    """A cluster in which anything changes by chance that a volume plugin may have relied on."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.made = 0
        self.over = clusters.columns(
            [
                clusters.node(name, labels={storages.ZONE: "ab"[row % 2], storages.HOST: name})
                for row, name in enumerate(NODES)
            ]
        )
        objects = [storages.csi_driver(), *map(self.claim, CLAIMS), *map(self.volume, VOLUMES)]
        objects += [self.storage_class(), storages.claim("alone-mine", owner="somebody")]
        objects += [self.driver(name) for name in NODES[1:]]
        self.handle = clusters.handle(objects)
        for row in range(len(NODES)):
            self.over.add_pod(row, self.pod())

    def claim(self, name: str) -> Json:
        modes = ["ReadWriteOncePod"] if self.chance.random() < 0.3 else ["ReadWriteOnce"]
        parts: Json = {"accessModes": modes, "volumeMode": "Filesystem"}
        if self.chance.random() < 0.5:
            return storages.bound_claim(name, self.chance.choice(VOLUMES), **parts)
        return storages.claim(name, size=self.chance.choice(["1Gi", "5Gi"]), **parts)

    def volume(self, name: str) -> Json:
        parts: Json = {"volumeMode": "Filesystem"}
        if self.chance.random() < 0.5:
            parts["terms"] = [storages.within(storages.ZONE, self.chance.choice("ab"))]
        if self.chance.random() < 0.2:
            parts["claimRef"] = storages.reference(self.chance.choice(CLAIMS))
        driver = f"{self.chance.choice(['disk', 'disk', 'other'])}.example.com"
        parts["csi"] = {"driver": driver, "volumeHandle": self.chance.choice(VOLUMES)}
        return storages.volume(name, size=self.chance.choice(["1Gi", "5Gi", "9Gi"]), **parts)

    def storage_class(self) -> Json:
        provisioners = ["disk.example.com", "other.example.com", "kubernetes.io/no-provisioner"]
        return storages.storage_class("waiting", self.chance.choice(provisioners))

    def driver(self, name: str) -> Json:
        return storages.csi_node(name, disk=self.chance.choice([None, 1, 2, 2, 3]), other=1)

    def pod(self, name: str = "") -> PodView:
        self.made += 1
        claims = self.chance.sample(CLAIMS, self.chance.choice([1, 1, 2]))
        more = [DISK] if self.chance.random() < 0.2 else []
        if not name and self.chance.random() < 0.05:
            return storages.using("alone", more=[EPHEMERAL])
        return storages.using(name or f"pod-{self.made}", *claims, more=more)

    def change(self) -> None:
        """One thing happens."""
        chance, client, over = self.chance, self.handle.client, self.over
        kind, row = chance.choice(CHANGES), chance.randrange(len(NODES))
        if kind == "claim":
            client.update(self.claim(chance.choice(CLAIMS)))
        elif kind == "volume":
            client.update(self.volume(chance.choice(VOLUMES)))
        elif kind == "gone":
            volumes = [*self.handle.lister.list("v1", "PersistentVolume")]
            if volumes:
                client.delete(chance.choice(volumes))
        elif kind == "class":
            client.update(self.storage_class())
        elif kind == "pod" and over.infos[row].pods:
            over.remove_pod(row, next(iter(over.infos[row].pods)))
        elif kind in ("pod", "move"):
            over.add_pod(row, self.pod())
        elif kind == "attached":
            volume = chance.choice([*VOLUMES, "missing"])
            client.update(storages.attachment(f"a{self.made}", NODES[row], volume))
        elif kind == "driver":
            client.update(self.driver(NODES[max(row, 1)]))
        else:
            reached = {"matchLabels": {storages.ZONE: chance.choice("ab")}}
            size = chance.choice(["2Gi", "6Gi"])
            pool = f"pool-{chance.randrange(2)}"
            client.update(storages.capacity(pool, capacity=size, nodeTopology=reached))

    def rounds(self) -> Sequence[PodView]:
        """Pods to be tried; after each something changes."""
        return [self.pod("incoming") for _ in range(12)]


@pytest.mark.parametrize("seed", SEEDS)
def test_limits_are_those_of_the_moment(seed: int) -> None:
    changing = Changing(seed)
    handle, over = changing.handle, changing.over
    plugin = NodeVolumeLimits({}, handle)
    for pod in changing.rounds():
        expected = [
            node_volume_limits.filter_node(handle.lister, pod, info.name, info.pods.values())
            for info in over.infos
        ]
        assert clusters.verdicts(plugin, pod, over) == expected
        changing.change()


def chosen(handle: Handle, plan: Any) -> tuple[list[tuple[str, str]], list[str]]:
    """Of what was planned for a node, what was written."""
    bindings = []
    for claim, name in plan.bindings:
        volume = handle.lister.get("v1", "PersistentVolume", name)
        assert volume is not None
        if (volume["spec"].get("claimRef") or {}).get("name") == claim:
            bindings.append((claim, name))
    waiting = [
        name
        for name in plan.provisions
        if (claim := handle.lister.get("v1", "PersistentVolumeClaim", name, "default")) is not None
        and storages.SELECTED in claim["metadata"]["annotations"]
    ]
    return bindings, waiting


@pytest.mark.parametrize("seed", SEEDS)
def test_volumes_are_offered_as_they_are_at_the_moment(seed: int) -> None:
    changing = Changing(seed)
    handle, over = changing.handle, changing.over
    plugin = VolumeBinding({}, handle)
    for pod in changing.rounds():
        expected = volume_binding.pre_filter(handle.lister, pod)
        state = CycleState()
        assert plugin.pre_filter(state, pod, over) == (expected, None)
        if expected.is_success:
            plans = [
                volume_binding.filter_node(handle.lister, pod, info.view) for info in over.infos
            ]
            assert clusters.verdicts(plugin, pod, over) == [plan.status for plan in plans]
            fitting = [row for row, plan in enumerate(plans) if plan.status.is_success]
            if fitting:
                row = changing.chance.choice(fitting)
                plugin.filter(state, pod, over, slice(None))
                assert plugin.reserve(state, pod, NODES[row]).is_success
                assert plugin.pre_bind(state, pod, NODES[row]).is_success
                assert chosen(handle, plans[row]) == (plans[row].bindings, plans[row].provisions)
        changing.change()


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_mounted_is_known_at_the_moment(seed: int) -> None:
    changing = Changing(seed)
    handle, over = changing.handle, changing.over
    plugin = VolumeRestrictions({}, handle)
    for pod in changing.rounds():
        everyone = [each for info in over.infos for each in info.pods.values()]
        expected, taken = volume_restrictions.pre_filter(handle.lister, pod, everyone)
        assert plugin.pre_filter(CycleState(), pod, over) == (expected, None)
        if expected.is_success:
            verdicts = [
                volume_restrictions.filter_node(pod, taken, info.pods.values())
                for info in over.infos
            ]
            assert clusters.verdicts(plugin, pod, over) == verdicts
        changing.change()
