"""What becomes of a recorded world where a replacement cannot be had, or a file is odd."""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.aliases import Json
from kubestage.replay import karpenter
from kubestage.replay.karpenter.disrupt_rounds import DisruptRounds
from tests.controllers.karpenter import objects

ZONE = "topology.kubernetes.io/zone"


def _type(cpu: int, *offerings: tuple[str, str, float, bool]) -> Json:
    capacity = {"cpu": str(cpu), "memory": f"{cpu * 4}Gi", "pods": "110"}
    names = ("zone", "capacityType", "price", "available")
    return {
        "name": f"m.{cpu}",
        "arch": "amd64",
        "os": ["linux"],
        "labels": {},
        "capacity": capacity,
        "overhead": {},
        "offerings": [dict(zip(names, each, strict=True)) for each in offerings],
    }


def _world(types: list[Json], *listed: Json, **more: Any) -> karpenter.World:
    world = {
        "name": "w",
        "category": "disrupt-spot",
        "kind": "disrupt",
        "options": {},
        "instanceTypes": types,
        "objects": list(listed),
        "steps": [],
        **more,
    }
    return karpenter.read(msgspec.json.encode(world))


def test_nodes_stay_if_their_replacement_is_to_be_had_nowhere() -> None:
    """An on-demand node may go for a spot node alone, of which there is none in its zone."""
    pool = objects.node_pool(
        template={"requirements": [objects.capacity_types("spot", "on-demand")]}
    )
    stated = objects.labels("m.8")
    pod = objects.pod("a-0", "a")
    pod["spec"]["nodeSelector"] = {ZONE: "zone-1"}
    types = [
        _type(2, ("zone-1", "on-demand", 0.1, True), ("zone-1", "spot", 0.05, False)),
        _type(8, ("zone-1", "on-demand", 0.4, True)),
    ]
    machine = objects.node_claim("a", stated), objects.node("a", stated, "8", "32Gi")
    rounds = DisruptRounds(_world(types, pool, *machine, pod))
    for seconds in (0, 30):
        step = rounds.play(seconds)
        (command,) = step["commands"]
        assert (command["decision"], command["candidates"]) == ("replace", ["a"])
        assert "applied" not in step
