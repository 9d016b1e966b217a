from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.node_autoscaler import balancing
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.errors import InputError
from kubestage.testing import make_node
from tests.controllers.node_autoscaler.clusters import (
    make_group,
    make_web,
    nodes,
    staged,
    target,
    told,
)


def test_the_cluster_never_has_more_nodes_than_it_may() -> None:
    stage = staged(make_node("n1", cpu="1"), make_group(), make_web(40), max_nodes_total=4)
    stage.run("3m")
    assert len(nodes(stage)) == 3
    assert told(stage, "NotTriggerScaleUp") == [
        "pod didn't trigger scale-up: max total nodes in cluster reached"
    ]
    assert told(stage, "MaxNodesTotalReached") == ["Max total nodes in cluster reached: 4"]


@pytest.mark.parametrize(
    ("limits", "short"), [({"cores_total": "0:9"}, "cpu"), ({"memory_total": "0:40"}, "memory")]
)
def test_cores_and_memory_of_the_cluster_are_limited(limits: dict[str, Any], short: str) -> None:
    stage = staged(make_group(), make_web(40), **limits)
    stage.run("3m")
    assert len(nodes(stage)) == target(stage) == 2
    assert told(stage, "NotTriggerScaleUp") == [
        f'pod didn\'t trigger scale-up: 1 exceeded quota: "cluster-wide", resources: {short}'
    ]


def test_so_many_nodes_are_asked_for_at_once_at_most() -> None:
    flags = {"max_nodes_per_scaleup": 7, "frequent_loops_enabled": False}
    stage = staged(make_group(maxSize=100), make_web(100), **flags)
    stage.run("11s")
    assert target(stage) == 7


def test_similar_groups_grow_together_if_told_to() -> None:
    zones = {name: make_group(name, labels={"topology.kubernetes.io/zone": name}) for name in "abc"}
    other = make_group("other", cpu="2")
    stage = staged(*zones.values(), other, make_web(24), balance_similar_node_groups=True)
    stage.run("11s")
    assert [target(stage, name) for name in ("a", "b", "c", "other")] == [2, 2, 2, 0]


def test_groups_with_other_labels_are_not_similar() -> None:
    groups = [make_group(name, labels={"disk": name}) for name in "ab"]
    stage = staged(*groups, make_web(24), balance_similar_node_groups=True)
    stage.run("11s")
    assert sorted(target(stage, name) for name in "ab") == [0, 6]


def test_new_nodes_go_to_the_smallest_groups_first() -> None:
    grown = balancing.balanced([("a", 5, 10), ("b", 1, 10), ("c", 2, 3), ("d", 4, 4)], 6)
    assert {each.group: each.new for each in grown} == {"b": 6, "c": 3}
    grown = balancing.balanced([("a", 5, 10), ("b", 1, 10), ("c", 2, 3), ("d", 4, 4)], 7)
    assert {each.group: each.new for each in grown} == {"b": 6, "c": 3, "a": 6}


def test_after_a_full_group_the_turn_goes_on_from_the_one_that_took_its_place() -> None:
    grown = balancing.balanced([("a", 0, 10), ("b", 0, 2), ("c", 0, 10), ("d", 2, 10)], 21)
    assert {each.group: each.new for each in grown} == {"a": 7, "b": 2, "c": 7, "d": 7}


def test_no_more_is_dealt_than_groups_take() -> None:
    grown = balancing.balanced([("a", 1, 2), ("b", 0, 1)], 9)
    assert [str(each) for each in grown] == ["{b 0->1 (max: 1)}", "{a 1->2 (max: 2)}"]


@pytest.mark.parametrize(
    ("flags", "path"),
    [
        ({"expander": "least-wast"}, "node_autoscaler.expander"),
        ({"expander": "random,"}, "node_autoscaler.expander"),
        ({"cores_total": "10"}, "node_autoscaler.cores_total"),
        ({"memory_total": "9:3"}, "node_autoscaler.memory_total"),
        ({"scan_interval_ns": 0}, "node_autoscaler.scan_interval_ns"),
    ],
)
def test_flags_that_make_no_sense_are_refused(flags: dict[str, str], path: str) -> None:
    with pytest.raises(InputError) as refusal:
        NodeAutoscalerSettings(**flags)  # type: ignore[arg-type]
    assert refusal.value.path == path


def test_groups_that_are_full_come_first_in_what_is_told() -> None:
    grown = balancing.balanced([("a", 0, 9), ("b", 0, 1), ("c", 0, 9), ("d", 2, 9)], 6)
    assert [(each.group, each.new) for each in grown] == [("b", 1), ("a", 3), ("c", 2)]


def test_no_group_grows_if_all_are_full_or_larger_than_they_may_be() -> None:
    assert balancing.balanced([("a", 3, 3), ("b", 5, 3)], 2) == []
    grown = balancing.balanced([("b", 5, 3), ("a", 2, 9)], 2)
    assert [(each.group, each.new) for each in grown] == [("a", 4)]
