"""Whose pods count, and what is done for a cluster without nodes."""

from __future__ import annotations

from typing import Any

from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.replay.cluster_autoscaler import flags
from kubestage.testing import make_node
from tests.controllers.node_autoscaler.clusters import (
    make_group,
    make_web,
    nodes,
    staged,
    target,
    told,
)

OTHER = "other-scheduler"


def test_pods_that_no_scheduler_has_tried_count_only_if_theirs_is_bypassed() -> None:
    def size(**settings: Any) -> int:
        stage = staged(make_group(), make_web(6, scheduler_name=OTHER), **settings)
        stage.run("15s")
        return target(stage)

    assert size() == 0
    assert size(bypassed_scheduler_names=("third",)) == 0
    assert size(bypassed_scheduler_names=(OTHER,)) == 2


def test_nobody_waits_for_more_pods_where_a_scheduler_is_bypassed() -> None:
    stage = staged(make_group(), make_web(6), bypassed_scheduler_names=(OTHER,))
    stage.run("1s")
    assert target(stage) == 2


def test_pods_of_schedulers_that_are_not_allowed_do_not_count() -> None:
    stage = staged(make_group(), make_web(6), allowed_scheduler_names=(OTHER,))
    stage.run("15s")
    assert target(stage) == 0
    allowed = staged(make_group(), make_web(6), allowed_scheduler_names=("default-scheduler",))
    allowed.run("15s")
    assert target(allowed) == 2


def test_a_cluster_without_nodes_is_left_alone_if_it_is_to_be() -> None:
    stage = staged(make_group(), make_web(6), scale_up_from_zero=False)
    stage.run("2m")
    assert nodes(stage) == []
    assert told(stage, "ClusterUnhealthy") == ["Cluster has no nodes."]
    stage.apply([make_node("old", cpu="1", memory="1Gi")])
    stage.run("3m")
    assert len(nodes(stage)) == 2


def test_flags_without_a_decision_change_nothing() -> None:
    stated = {"scale-down-candidates-pool-ratio": "0.5", "scale-up-from-zero": "false"}
    found = flags.settings_of({**stated, "bypassed-scheduler-names": [OTHER]})
    assert found == NodeAutoscalerSettings(
        scale_up_from_zero=False, bypassed_scheduler_names=(OTHER,)
    )
