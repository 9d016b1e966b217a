"""A step lets the cluster come to rest: controllers and kubelets take part in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.results import analysis
from kubestage.scenario import phases
from kubestage.scenario.settings import Settings
from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_job,
    make_node,
    make_pod,
    make_stateful_set,
)
from kubestage.units import SECOND_NS
from tests.scenario import building
from tests.scenario.building import DEPLOYMENT, NODE, POD, create, delete, done, patch, scenario

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json
    from kubestage.store.log import Change


NEW_IMAGE = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:2.0"}]}}}}


def _nodes(count: int = 2) -> list[Json]:
    return [create(make_node(f"n{i}")) for i in range(count)]


def _seconds(stage: Stage) -> float:
    return stage.clock.now_ns / SECOND_NS


def _phases(stage: Stage) -> set[str]:
    return {pod["status"]["phase"] for pod in stage.store.list(POD).items}


def test_controllers_settle_before_scheduling_starts() -> None:
    """Workload controllers are part of a step: pods are there when scheduling begins."""
    stage = building.stage_with(
        scenario(*_nodes(), create(make_deployment("web", replicas=5))), alive=True
    )
    made: list[int] = []

    def hear(change: Change) -> None:
        step_status = (change.new.get("status") or {}).get("stepStatus") or {}
        if change.kind.kind == "Scenario" and step_status.get("phase") == phases.SCHEDULING:
            made.append(len(stage.store.read(POD)))

    stage.store.subscribe(hear)
    stage.run_scenarios()
    assert made[0] == 5


def test_pods_run_when_their_step_is_over() -> None:
    """What was bound is started by the kubelets within the step."""
    stage = building.run(*_nodes(), create(make_deployment("web", replicas=3)), alive=True)
    assert _phases(stage) == {"Running"}
    assert stage.store.get(DEPLOYMENT, "web")["status"]["readyReplicas"] == 3


def test_a_rollout_completes_within_its_step() -> None:
    """Old pods go and new ones come, round after round, until all are new."""
    stage = building.run(
        *_nodes(3),
        create(make_deployment("web", replicas=6)),
        patch(DEPLOYMENT, "web", NEW_IMAGE, 1),
        alive=True,
    )
    status = stage.store.get(DEPLOYMENT, "web")["status"]
    assert (status["replicas"], status["updatedReplicas"], status["readyReplicas"]) == (6, 6, 6)
    images = {pod["spec"]["containers"][0]["image"] for pod in stage.store.list(POD).items}
    assert images == {"app:2.0"}
    told = [what for step, what, _ in building.summary(stage) if step == 1]
    assert (told.count("PodScheduled"), told.count("Delete")) == (6, 6)


def test_a_stateful_set_comes_up_one_by_one_within_its_step() -> None:
    """Each pod is scheduled only when the one before it runs."""
    stage = building.run(*_nodes(), create(make_stateful_set("db", replicas=4)), alive=True)
    told = [name for _, what, name in building.summary(stage) if what == "PodScheduled"]
    assert told == ["db-0", "db-1", "db-2", "db-3"]
    assert _phases(stage) == {"Running"}


def test_a_daemon_set_reaches_the_nodes_of_the_same_step() -> None:
    stage = building.run(create(make_daemon_set("agent")), *_nodes(3), alive=True)
    assert sorted(filter(None, building.placements(stage).values())) == ["n0", "n1", "n2"]


def test_victims_end_within_the_step_of_their_preemption() -> None:
    """The preemptor has its node before the step is over, however long its victims take."""
    slow = make_pod("low", cpu="3", annotations={"kubestage.dev/terminate-delay": "25s"})
    stage = building.run(
        building.importance(),
        *_nodes(1),
        create(slow),
        create(building.important("boss", cpu="3"), 1),
        done(1),
        alive=True,
    )
    assert building.placements(stage) == {"boss": "n0"}
    told = building.results(stage, "PodScheduled")["boss"]
    assert [row["result"] for row in told["scheduleResult"]] == ["unschedulable", "scheduled"]
    assert _seconds(stage) >= 25


def test_victims_go_at_once_where_there_are_no_kubelets() -> None:
    """Without kubelets pods neither start nor end, and nobody is waited for."""
    stage = building.run(
        building.importance(),
        *_nodes(1),
        create(make_pod("low", cpu="3")),
        create(building.important("boss", cpu="3"), 1),
        done(1),
    )
    assert building.placements(stage) == {"boss": "n0"}
    assert _seconds(stage) < 1


@pytest.mark.parametrize(
    "annotations",
    [{"kubestage.dev/image-error": "no such image"}, {"kubestage.dev/launch-delay": "2400h"}],
)
def test_a_pod_that_never_starts_does_not_hold_a_step_for_ever(annotations: dict[str, str]) -> None:
    """The step waits for it with patience, and then goes on."""
    stuck = make_pod("stuck", annotations=annotations)
    settings = Settings(patience_ns=30 * SECOND_NS)
    stage = building.run(
        *_nodes(), create(stuck), create(make_pod("p"), 1), done(1), alive=True, settings=settings
    )
    assert building.phase(stage) == "Succeeded"
    assert stage.store.get(POD, "stuck")["status"]["phase"] == "Pending"
    assert stage.store.get(POD, "p")["status"]["phase"] == "Running"
    assert _seconds(stage) < 120


def test_patience_ends_even_where_many_pods_never_start() -> None:
    """It is counted from the last pod that moved, and those that are stuck do not move."""
    stuck = make_pod("web", annotations={"kubestage.dev/image-error": "no such image"})
    stage = building.run(
        *_nodes(), create(make_deployment("web", replicas=20, pod=stuck)), done(1), alive=True
    )
    assert building.phase(stage) == "Succeeded"
    assert _seconds(stage) < 2 * 300 + 60


def test_a_pod_that_never_ends_does_not_hold_a_step_for_ever() -> None:
    """A finalizer that nobody takes away."""
    held = make_pod("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    stage = building.run(*_nodes(), create(held), delete(POD, "held", 1), done(2), alive=True)
    assert building.phase(stage) == "Succeeded"
    assert "deletionTimestamp" in stage.store.get(POD, "held")["metadata"]


def test_pods_that_crash_again_and_again_do_not_hold_a_step_for_ever() -> None:
    crashing = {"kubestage.dev/run-duration": "1s", "kubestage.dev/exit-code": "1"}
    stage = building.run(
        *_nodes(), create(make_pod("p", annotations=crashing)), done(1), alive=True
    )
    assert building.phase(stage) == "Succeeded"
    assert _seconds(stage) < 300


def test_a_job_is_started_and_not_waited_for() -> None:
    """A pod that runs is at rest: without time in the steps, nobody waits for its end."""
    long = make_pod("work", annotations={"kubestage.dev/run-duration": "10h"})
    long["spec"]["restartPolicy"] = "Never"
    stage = building.run(*_nodes(), create(make_job("work", pod=long)), done(1), alive=True)
    assert _phases(stage) == {"Running"}
    assert _seconds(stage) < 60


def test_a_step_without_anything_to_wait_for_takes_hardly_any_time() -> None:
    stage = building.run(
        *_nodes(5), *(create(make_node(f"m{i}"), i) for i in range(20)), alive=True
    )
    assert building.phase(stage) == "Paused"
    assert _seconds(stage) < 60


def test_controllers_react_to_what_scheduling_brings_about() -> None:
    """The pods of a scaled down workload go in the step, and their room is taken in it."""
    stage = building.run(
        create(make_node("n0", cpu="2")),
        create(make_deployment("web", replicas=2, cpu="1")),
        create(make_pod("waits", cpu="1"), 1),
        patch(DEPLOYMENT, "web", {"spec": {"replicas": 1}}, 2),
        done(2),
        alive=True,
    )
    assert building.node_of(stage, "waits") == "n0"
    assert building.results(stage, "PodScheduled")["waits"]["boundAt"] == 2


def test_a_node_that_is_deleted_takes_its_pods_along_in_time() -> None:
    """Pods of a node that is gone are collected by a controller, and replaced elsewhere."""
    stage = building.run(
        *_nodes(2),
        create(make_deployment("web", replicas=4)),
        delete(NODE, "n0", 1),
        step_duration="10m",
        alive=True,
    )
    assert set(building.placements(stage).values()) == {"n1"}
    assert len(building.placements(stage)) == 4


def test_pods_of_a_node_that_is_deleted_are_gone_within_the_step() -> None:
    """They are collected after a while, and the step waits for that."""
    stage = building.run(
        create(make_node("n1")),
        create(make_pod("p")),
        delete(NODE, "n1", 1),
        done(1),
        alive=True,
    )
    assert building.phase(stage) == "Succeeded"
    assert building.placements(stage) == {}
    assert (1, "Delete", "p") in building.summary(stage)


def test_what_a_kubelet_finds_on_its_node_is_told() -> None:
    """A node that was created with its name alone offers what its kubelet says."""
    bare = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    stage = building.run(create(bare), create(make_pod("p", cpu="1"), 1), done(1), alive=True)
    (row, *_) = [
        each
        for each in analysis.table(building.status(stage), "allocation").records()
        if (each["step"], each["resource"]) == (1, "cpu")
    ]
    assert row["allocatable"] > row["requested"] == 1000


def test_a_namespace_that_was_deleted_is_gone_at_the_end_of_the_step() -> None:
    """Its controller gives it a few seconds; its pods go, and its name is free again."""
    pod = make_pod("p", namespace="team")
    leave = delete(("v1", "Namespace"), "team", 1)
    del leave["deleteOperation"]["objectMeta"]["namespace"]
    stage = building.run(*_nodes(1), create(pod), leave, create(pod, 2), done(3), alive=True)
    assert building.phase(stage) == "Succeeded"
    assert [(step, what) for step, what, name in building.summary(stage) if name == "p"] == [
        (0, "Create"),
        (0, "PodScheduled"),
        (1, "Delete"),
        (2, "Create"),
        (2, "PodScheduled"),
    ]


def test_a_namespace_that_cannot_go_is_waited_for_only_as_long_as_patience_lasts() -> None:
    """Something in it has a finalizer that nobody removes, while others go on every minute."""
    metadata = {"name": "held", "namespace": "team", "finalizers": ["example.com/held"]}
    held = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    tick: Json = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"}}
    template = {"spec": make_job("tick")["spec"]}
    tick["spec"] = {"schedule": "* * * * *", "jobTemplate": template}
    leave = delete(("v1", "Namespace"), "team", 1)
    del leave["deleteOperation"]["objectMeta"]["namespace"]
    stage = building.run(
        *_nodes(1),
        create(tick),
        create(held),
        leave,
        done(2),
        alive=True,
        settings=Settings(patience_ns=30 * SECOND_NS),
    )
    assert building.phase(stage) == "Succeeded"
    assert "team" in stage.store.read(("v1", "Namespace"))
    assert 5 <= _seconds(stage) <= 30
