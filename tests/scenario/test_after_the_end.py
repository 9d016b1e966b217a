"""What is kept of a cluster that lives on after its Scenarios: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import DEPLOYMENT, create, done, scenario

if TYPE_CHECKING:
    from kubestage import Stage


def _goes_on(stage: Stage) -> None:
    """Pods come and go, one finds no node."""
    stage.apply([make_deployment("web", replicas=3), make_pod("big", cpu="1000")])
    stage.run("1m")
    stage.store.patch(DEPLOYMENT, "web", {"spec": {"replicas": 0}}, namespace="default")
    stage.run("2m")


def _kept(stage: Stage) -> list[object]:
    controller = stage.scenarios
    assert controller is not None
    watch = controller.watch
    told = watch.timeline
    return [
        *told.records,
        *told.as_dict(),
        *watch.moving,
        *watch.unschedulable,
        *watch.ledger.untried,
    ]


@pytest.mark.parametrize("is_first", [True, False])
def test_nothing_is_kept_of_what_happens_while_no_scenario_is_under_way(is_first: bool) -> None:
    ended = () if is_first else (scenario(create(make_node("n1")), done(1)),)
    stage = building.stage_with(*ended, alive=True)
    stage.run_scenarios()
    assert stage.scenarios is not None
    assert stage.scheduler is not None
    if is_first:
        stage.apply([make_node("n1")])
    _goes_on(stage)
    assert _kept(stage) == []
    assert not stage.scheduler.record.listens


def test_a_scenario_after_that_is_told_as_if_it_were_the_first() -> None:
    events = [create(make_node("n1")), create(make_pod("p"), 1), done(2)]
    first = building.run(*events, alive=True)
    stage = building.stage_with(scenario(*events, name="before"), alive=True)
    stage.run_scenarios()
    _goes_on(stage)
    stage.store.create(scenario(*events))
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    assert [each["operation"] for each in building.happenings(stage)] == [
        each["operation"] for each in building.happenings(first)
    ]
    assert building.status(stage)["pods"] == building.status(first)["pods"]
