"""The documents' prohibitions and restrictions, one test a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.patches import PatchType
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, POD, add, create, done, scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage import Stage
    from kubestage.aliases import Json
    from kubestage.store.log import Change
    from kubestage.store.store import Store


OTHER_WEIGHTS = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      disabled: [{name: ImageLocality}]
"""


def test_a_scenario_is_started_by_the_controller_once_it_is_created() -> None:
    """When Scenario is created, the scenario is started by the controller."""
    stage = building.stage_with()
    assert stage.scenarios is not None
    assert not stage.scenarios.advance()
    stage.store.create(scenario(create(make_node("n1")), done()))
    assert stage.scenarios.advance()
    assert building.phase(stage) == "Running"


def test_scenarios_are_run_one_by_one() -> None:
    """The scenario is run one by one; multiple scenarios are never run at the same time."""
    names = ["c", "a", "b"]
    stage = building.stage_with(
        *(scenario(create(make_node("n1")), done(1), name=name) for name in names)
    )
    running: list[set[str]] = []

    def hear(change: Change) -> None:
        if change.kind.kind == "Scenario":
            running.append({name for name in names if building.phase(stage, name) == "Running"})

    stage.store.subscribe(hear)
    stage.run_scenarios()
    assert max(map(len, running)) == 1
    order = [next(iter(each)) for each in running if each]
    assert list(dict.fromkeys(order)) == names
    assert {building.phase(stage, name) for name in names} == {"Succeeded"}


@pytest.mark.parametrize("last", [done(1), building.delete(POD, "nobody", 1)])
def test_the_next_scenario_is_run_when_the_current_one_has_ended(last: Json) -> None:
    """The next is run after the current one becomes "Failed" or "Succeeded"."""
    stage = building.stage_with(
        scenario(create(make_node("n1")), last), scenario(done(), name="next")
    )
    assert stage.scenarios is not None
    seen = []
    while stage.scenarios.advance():
        seen.append((building.phase(stage), building.phase(stage, "next")))
    ended = "Succeeded" if last == done(1) else "Failed"
    assert seen == [
        ("Running", "Pending"),
        ("Running", "Pending"),
        (ended, "Pending"),
        (ended, "Running"),
        (ended, "Succeeded"),
    ]


def test_the_next_scenario_waits_for_one_that_is_paused() -> None:
    """A paused Scenario has neither Failed nor Succeeded."""
    stage = building.stage_with(scenario(create(make_node("n1"))), scenario(done(), name="next"))
    stage.run_scenarios()
    assert (building.phase(stage), building.phase(stage, "next")) == ("Paused", "Pending")
    add(stage, done(1))
    stage.run_scenarios()
    assert (building.phase(stage), building.phase(stage, "next")) == ("Succeeded", "Succeeded")


def _in_mid_run(*, paused: bool) -> Stage:
    events = [create(make_node("n1")), create(make_pod("p", labels={"x": "1"}))]
    if not paused:
        events.append(done(9))
    stage = building.stage_with(scenario(*events))
    assert stage.scenarios is not None
    for _ in range(3 if paused else 2):
        stage.scenarios.advance()
    assert building.phase(stage) == ("Paused" if paused else "Running")
    return stage


@pytest.mark.parametrize("paused", [False, True])
def test_a_change_of_the_scheduler_configuration_fails_the_scenario(paused: bool) -> None:
    """Users change the scheduler configuration via simulator API: Failed."""
    stage = _in_mid_run(paused=paused)
    stage.configure_scheduler(OTHER_WEIGHTS)
    assert building.phase(stage) == "Failed"
    assert building.message(stage) == (
        "the scheduler configuration was changed while the Scenario was "
        f"{'paused' if paused else 'running'}"
    )


def test_the_scheduler_may_be_configured_between_scenarios() -> None:
    """The action is prohibited during scenario execution only."""
    stage = building.run(create(make_node("n1")), create(make_pod("p")), done())
    stage.configure_scheduler(OTHER_WEIGHTS)
    assert building.phase(stage) == "Succeeded"
    stage.store.create(scenario(create(make_node("n2")), create(make_pod("q")), done(), name="b"))
    stage.run_scenarios()
    assert building.placements(stage) == {"q": "n2"}
    assert building.summary(stage, "b")[-1] == (0, "PodScheduled", "q")


def _create(store: Store) -> Any:
    return store.create(make_node("n2"))


def _load(store: Store) -> Any:
    return store.load(make_node("n2"))


def _delete(store: Store) -> Any:
    return store.delete(NODE, "n1")


def _delete_pod(store: Store) -> Any:
    return store.delete(POD, "p", options=DeleteOptions(grace_period_seconds=0))


def _patch(store: Store) -> Any:
    return store.patch(POD, "p", {"metadata": {"labels": {"x": "2"}}}, "default")


def _bind(store: Store) -> Any:
    return store.patch(
        NODE,
        "n1",
        [{"op": "add", "path": "/spec/unschedulable", "value": True}],
        patch_type=PatchType.JSON,
    )


@pytest.mark.parametrize("paused", [False, True])
@pytest.mark.parametrize(
    ("act", "told"),
    [
        (_create, "Node n2 was created by somebody else"),
        (_load, "Node n2 was created by somebody else"),
        (_delete, "Node n1 was deleted by somebody else"),
        (_delete_pod, "Pod default/p was changed by somebody else"),
        (_patch, "Pod default/p was changed by somebody else"),
        (_bind, "Node n1 was changed by somebody else"),
    ],
)
def test_a_change_of_a_resource_by_somebody_else_fails_the_scenario(
    act: Callable[[Store], Any], told: str, *, paused: bool
) -> None:
    """Create/delete/edit any resources: the scenario result would be unstable or invalid."""
    stage = _in_mid_run(paused=paused)
    act(stage.store)
    assert building.phase(stage) == "Failed"
    state = "paused" if paused else "running"
    assert building.message(stage) == f"{told} while the Scenario was {state}"
    before = building.status(stage)
    stage.run_scenarios()
    assert building.status(stage) == before


def test_a_scenario_that_failed_by_somebody_else_lets_the_next_one_run() -> None:
    """It has Failed, so the next one has its turn."""
    stage = _in_mid_run(paused=False)
    stage.store.create(scenario(create(make_node("n2")), done(), name="next"))
    stage.store.create(make_node("n9"))
    stage.run_scenarios()
    assert building.phase(stage, "next") == "Succeeded"
    assert list(stage.store.read(NODE)) == ["n2"]


def test_what_was_refused_does_not_fail_the_scenario() -> None:
    """Nothing was created, edited or deleted."""
    stage = _in_mid_run(paused=False)
    stage.store.create(make_node("n2"), dry_run=True)
    assert building.phase(stage) == "Running"


def test_scenarios_may_be_created_and_edited_by_others_meanwhile() -> None:
    """Events are added to the running one, and others are put in the line."""
    stage = _in_mid_run(paused=False)
    stage.store.create(scenario(done(), name="next"))
    add(stage, create(make_node("n2"), 3))
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"


def test_controllers_and_kubelets_are_not_somebody_else() -> None:
    """The cluster's own components are part of the simulation."""
    stage = building.run(create(make_node("n1")), create(make_deployment("web")), alive=True)
    stage.run("1h")
    assert building.phase(stage) == "Paused"
    add(stage, done(1))
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"


def test_resources_may_be_changed_when_no_scenario_is_under_way() -> None:
    """The actions are prohibited during scenario execution only."""
    stage = building.run(create(make_node("n1")), done())
    stage.store.create(make_node("n2"))
    assert building.phase(stage) == "Succeeded"
