"""Nodes that come and go: what they are, from when to when, for whom, and why they went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.results.life.recorder import LifeRecorder
from kubestage.testing import make_deployment, make_node
from tests.controllers.karpenter.lifecycle import stages
from tests.results.life.living import SECOND_NS, ended, recorded

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

TYPE = "node.kubernetes.io/instance-type"


def group(name: str = "small", **spec: object) -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": name},
        "spec": {
            "maxSize": 10,
            "provisionDelay": "30s",
            "price": 0.5,
            "template": {
                "metadata": {"labels": {TYPE: "m.small"}},
                "capacity": {"cpu": 2, "memory": "8Gi"},
            },
            **spec,
        },
    }


def followed(stage: Stage) -> LifeRecorder:
    recorder = LifeRecorder(stage.store, stage.environment, SECOND_NS, stage)
    recorder.start()
    return recorder


def grown_and_shrunk() -> Life:
    """Two web pods need a node each; later none is wanted any more."""
    stage, recorder = recorded(group(), make_deployment("web", replicas=2, cpu="1500m"))
    stage.run("2m")
    stages.scale(stage, 0)
    stage.run("20m")
    return ended(recorder)


def test_nodes_of_a_scale_up_say_for_how_many_pods_they_came_and_why_they_went() -> None:
    rows = grown_and_shrunk().rows("lifetimes")
    assert [row["whyAdded"] for row in rows] == ["for 2 pods", "for 2 pods"]
    assert [row["whyRemoved"] for row in rows] == ["ScaleDown", "ScaleDown"]
    assert {(row["pool"], row["instanceType"], row["perHour"]) for row in rows} == {
        ("small", "m.small", 0.5)
    }
    assert all(row["toSeconds"] > row["fromSeconds"] + 600 for row in rows)


def test_a_later_scale_up_is_not_for_the_pods_of_the_first() -> None:
    stage, recorder = recorded(group(), make_deployment("web", replicas=2, cpu="1500m"))
    stage.run("2m")
    stages.scale(stage, 5)
    stage.run("2m")
    why = [row["whyAdded"] for row in ended(recorder).rows("lifetimes")]
    assert why == ["for 2 pods"] * 2 + ["for 3 pods"] * 3


def test_the_summary_counts_what_the_table_lists() -> None:
    life = grown_and_shrunk()
    nodes = life.summary["nodes"]
    assert (nodes["added"], nodes["removed"], nodes["highest"], nodes["atEnd"]) == (2, 2, 2, 0)
    hours = sum(row["toSeconds"] - row["fromSeconds"] for row in life.rows("lifetimes")) / 3600
    assert life.summary["nodeHours"] == pytest.approx(hours, abs=1e-5)
    paid = sum(row["paidToSeconds"] - row["paidFromSeconds"] for row in life.rows("lifetimes"))
    # Each machine was requested 30 s before its node came.
    assert paid == pytest.approx(3600 * hours + 2 * 30)
    assert life.summary["cost"] == pytest.approx(paid / 3600 * 0.5, abs=1e-5)


def test_decisions_about_nodes_have_the_same_reasons() -> None:
    rows = grown_and_shrunk().rows("decisions")
    assert [row["reason"] for row in rows if row["decision"] == "node added"] == ["for 2 pods"] * 2
    assert [row["reason"] for row in rows if row["decision"] == "node removed"] == ["ScaleDown"] * 2


def test_a_node_of_karpenter_counts_for_its_pool_although_its_label_comes_later() -> None:
    stage = stages.staged(stages.make_web(6))
    recorder = followed(stage)
    stages.run(stage, 120)
    stages.scale(stage, 0)
    stages.run(stage, 120)
    life = ended(recorder)
    assert [each["group"] for each in life.summary["nodeGroups"]] == ["default"]
    (row,) = life.summary["nodeGroups"]
    assert (row["nodesAdded"], row["nodesRemoved"]) == (1, 1)
    (lived,) = life.rows("lifetimes")
    assert (lived["pool"], lived["instanceType"], lived["perHour"]) == ("default", "large", 0.4)
    assert (lived["whyAdded"], lived["whyRemoved"]) == ("for 6 pods", "Empty")


def test_a_node_that_replaces_others_says_so() -> None:
    stage = stages.staged(stages.make_web(6))
    recorder = followed(stage)
    stages.run(stage, 120)
    stages.scale(stage, 2)
    stages.run(stage, 600)
    first, second = ended(recorder).rows("lifetimes")
    assert first["whyRemoved"] == "Underutilized"
    assert second["whyAdded"] == "replaces nodes: Underutilized"


def test_nodes_that_stay_have_no_rows() -> None:
    stage, recorder = recorded(make_node("a"), make_node("b"))
    stage.run("10m")
    life = ended(recorder)
    assert life.rows("lifetimes") == []
    assert life.summary["nodes"]["atEnd"] == 2


def test_one_that_was_there_at_the_start_is_listed_from_the_beginning_on() -> None:
    stage, recorder = recorded(make_node("a"), make_node("b"))
    stage.run("10m")
    stage.store.delete(("v1", "Node"), "b")
    stage.run("10m")
    rows = {row["node"]: row for row in ended(recorder).rows("lifetimes")}
    assert (rows["a"]["fromSeconds"], rows["a"]["toSeconds"]) == (0, None)
    assert (rows["b"]["fromSeconds"], rows["b"]["toSeconds"]) == (0, 600)


def test_allocation_is_what_was_requested_of_what_was_there_over_time() -> None:
    stage, recorder = recorded(make_node("a", cpu="4", memory="8Gi"))
    stage.run("10m")
    stage.apply([make_deployment("web", replicas=1, cpu="2", memory="2Gi")])
    stage.run("10m")
    shares = ended(recorder).summary["allocation"]
    assert shares["cpu"] == pytest.approx(0.25, abs=1e-3)
    assert shares["memory"] == pytest.approx(0.125, abs=1e-3)


def test_waits_are_summed_up() -> None:
    stage, recorder = recorded(group(), make_deployment("web", replicas=2, cpu="1500m"))
    stage.run("5m")
    pending = ended(recorder).summary["health"]["pending"]
    assert pending["waitSecondsInSum"] == pytest.approx(2 * pending["longestWaitSeconds"])
    assert pending["waitSecondsInSum"] > 60
