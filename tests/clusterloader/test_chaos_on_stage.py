"""On a stage, a node that chaos silences is seen to be lost by the control plane."""

from __future__ import annotations

import random
from typing import Any

from kubestage import testing
from kubestage.clusterloader import config
from kubestage.clusterloader.chaos import Chaos
from kubestage.stage import Stage

MINUTE_NS = 60_000_000_000


def readiness(stage: Stage) -> dict[str, str]:
    """What the control plane holds of each node."""
    nodes: list[dict[str, Any]] = stage.store.list(("v1", "Node")).items
    return {
        node["metadata"]["name"]: next(
            each["status"] for each in node["status"]["conditions"] if each["type"] == "Ready"
        )
        for node in nodes
    }


def test_a_silenced_node_is_lost_and_comes_back() -> None:
    stage = Stage(seed=5)
    stage.load([testing.make_node(f"n{index}") for index in range(4)])
    stage.add_scheduler()
    stage.add_controllers()
    stage.run("1m")
    failure = config.NodeFailure(0.25, 5 * MINUTE_NS, 1e-9, 10 * MINUTE_NS)
    chaos = Chaos(config.ChaosMonkey(failure), stage.cluster(), random.Random(1))
    chaos.start()
    stage.run("4m")
    assert set(readiness(stage).values()) == {"True"}
    stage.run("5m")
    (killed,) = chaos.killed
    assert [name for name, ready in readiness(stage).items() if ready != "True"] == [killed]
    stage.run("7m")
    assert set(readiness(stage).values()) == {"True"}
    assert "rebootNode happened for node " + killed in chaos.summary()
    assert chaos.warnings == []
