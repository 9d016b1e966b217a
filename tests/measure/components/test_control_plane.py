"""Where the control plane is found."""

from __future__ import annotations

import pytest

from kubestage.cluster import components
from kubestage.measure.components import control_plane
from tests.measure.components.measured import node


def test_a_label_or_a_taint_makes_a_node_one_of_the_control_plane() -> None:
    taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    nodes = [node("a"), node("b", role=True), node("c", taints=[taint])]
    assert control_plane.masters(nodes, is_stage=False) == ["b", "c"]
    assert control_plane.masters(nodes, is_stage=True) == ["b", "c"]


@pytest.mark.parametrize(
    ("name", "is_master"),
    [("master", True), ("x-master", True), ("x-master-abc", True), ("master-1", False)],
)
def test_old_names_of_masters_are_known(name: str, is_master: bool) -> None:
    assert control_plane.is_called_master(name) == is_master


def test_a_stage_has_a_master_that_nobody_registered() -> None:
    assert control_plane.masters([node("a")], is_stage=False) == []
    assert control_plane.masters([node("a")], is_stage=True) == [components.MASTER]
    named = [node("a"), node("my-master")]
    assert control_plane.masters(named, is_stage=True) == ["my-master"]


def test_the_containers_of_a_stages_control_plane_are_those_it_tells_of() -> None:
    found = sorted(container for _, container in components.CONTAINERS.values())
    assert sorted(control_plane.COMPONENTS) == found
    assert control_plane.STAGE_ETCD[0] == components.CONTAINERS["etcd"][0]
