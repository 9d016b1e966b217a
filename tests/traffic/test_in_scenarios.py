"""A Scenario creates, patches and deletes Traffic at its steps, and autoscalers answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import Stage
from kubestage.scenario.resource import SCENARIO
from kubestage.testing import make_node
from tests.traffic import stages
from tests.traffic.test_skenario_examples import hpa

if TYPE_CHECKING:
    from kubestage.aliases import Json

LOAD = {"objectMeta": {"name": "load", "namespace": "default"}}
TYPE = {"typeMeta": {"apiVersion": stages.TRAFFIC[0], "kind": stages.TRAFFIC[1]}}


def create(step: int, obj: Json) -> Json:
    return {"step": step, "operation": "Create", "createOperation": {"object": obj}}


def scenario(*events: Json) -> Json:
    named = [{"id": str(at), **event} for at, event in enumerate(events)]
    return {
        "apiVersion": SCENARIO[0],
        "kind": SCENARIO[1],
        "metadata": {"name": "load"},
        "spec": {"events": named, "stepDuration": "1m"},
    }


def played(*events: Json) -> Stage:
    stage = Stage(seed=3)
    stage.add_scheduler()
    stage.add_controllers()
    stage.add_scenarios()
    end = {"step": 20, "operation": "Done", "doneOperation": {"done": True}}
    nodes = create(0, make_node("node-1", cpu="64", memory="256Gi"))
    stage.apply([scenario(nodes, *events, end)])
    stage.run_scenarios()
    status = stage.store.get(SCENARIO, "load")["status"]
    assert status["phase"] == "Succeeded", status
    return stage


def test_load_comes_changes_and_goes_at_steps_and_the_hpa_follows() -> None:
    patch = {
        "step": 8,
        "operation": "Patch",
        "patchOperation": {**TYPE, **LOAD, "patch": '{"spec":{"pattern":{"constant":{"rps":2}}}}'},
    }
    delete = {"step": 16, "operation": "Delete", "deleteOperation": {**TYPE, **LOAD}}
    stage = played(
        create(0, stages.deployment(1)),
        create(0, hpa()),
        create(2, stages.traffic({"constant": {"rps": 20}})),
        patch,
        delete,
    )
    assert stage.traffic is not None
    record = stage.traffic.records()["default/load"]
    assert record.arrived == pytest.approx(6 * 60 * 20 + 8 * 60 * 2, abs=3)
    assert stage.traffic.streams == {}
    sizes = [
        event["message"]
        for event in stage.store.list(("v1", "Event")).items
        if event["reason"] == "SuccessfulRescale"
    ]
    assert any("above target" in each for each in sizes)
    assert any("below target" in each for each in sizes)


def test_without_time_in_the_steps_nothing_arrives() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    stage.add_scenarios()
    made = scenario(
        create(0, make_node("node-1")),
        create(0, stages.deployment(1)),
        create(1, stages.traffic({"constant": {"rps": 1}}, startAfter="10m")),
        {"step": 2, "operation": "Done", "doneOperation": {"done": True}},
    )
    del made["spec"]["stepDuration"]
    stage.apply([made])
    stage.run_scenarios()
    assert stage.store.get(SCENARIO, "load")["status"]["phase"] == "Succeeded"
    assert stage.traffic is not None
    assert stage.traffic.records()["default/load"].arrived == 0
