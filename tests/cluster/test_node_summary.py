"""The summary of a node is that of its reference, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.cluster import node_stats, node_summary
from kubestage.cluster.usage import ContainerUsage
from kubestage.controllers.kubelet.loop import KubeletController
from tests.cluster import stages
from tests.cluster.stages import Heard
from tests.reference import node_summary as reference

if TYPE_CHECKING:
    from kubestage.controllers.kubelet.node import Node
    from kubestage.stage import Stage

USAGE = {
    "kubestage.dev/cpu-usage": "normal(250m,20m)",
    "kubestage.dev/memory-usage": "64Mi+10Mi/m",
}
SIDECAR = {"name": "helper", "image": "helper", "restartPolicy": "Always"}
PLANE = [ContainerUsage("etcd-server-master/etcd-container", 0.123456789, 123_456_789)]


def running(seconds: int) -> tuple[Stage, list[Node]]:
    stage, cluster = stages.alive()
    for name, inits in (("web", []), ("job", [SIDECAR])):
        used = stages.deployment(name, 5)
        template: dict[str, Any] = used["spec"]["template"]
        template["metadata"]["annotations"] = USAGE
        template["spec"]["initContainers"] = inits
        cluster.call(stages.create(used), Heard().answer)
    stage.run(seconds * 1_000_000_000 + 1)
    controllers = stage.controllers
    assert controllers is not None
    (kubelet,) = (each for each in controllers.controllers if isinstance(each, KubeletController))
    return stage, node_stats.nodes_of(kubelet)


@pytest.mark.parametrize("seconds", [0, 1, 3, 70])
def test_the_page_is_that_of_the_reference(seconds: int) -> None:
    stage, nodes = running(seconds)
    assert len(nodes) == 3
    for node in nodes:
        for plane in ([], PLANE):
            expected = reference.summary(node, node.name, stage.clock, plane)
            page = node_summary.summary(node, node.name, stage.clock, plane)
            assert page == msgspec.json.encode(expected)


def test_a_node_without_a_kubelet_has_its_plane() -> None:
    stage, _ = running(3)
    page = node_summary.summary(None, 'a"b', stage.clock, PLANE)
    assert page == msgspec.json.encode(reference.summary(None, 'a"b', stage.clock, PLANE))


def test_totals_are_those_of_the_page() -> None:
    stage, nodes = running(70)
    for node in nodes:
        found = reference.summary(node, node.name, stage.clock, [])["node"]
        total = node_summary.total_of(node, stage.clock.now_ns)
        assert total.pods
        cores, held, _ = total.of_node()
        assert round(cores * stage.clock.now_ns) == found["cpu"]["usageCoreNanoSeconds"]
        assert round(held) == found["memory"]["workingSetBytes"]
