"""A scenario is completed with ids for its events, and with nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import defaulting


def _completed(spec: Any) -> Any:
    obj = {
        "apiVersion": "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
        "kind": "Scenario",
        "spec": spec,
    }
    return defaulting.stored(obj)["spec"]


@pytest.mark.parametrize("name", ["events", "operations"])
def test_events_without_id_get_one(name: str) -> None:
    done = {"step": 1, "doneOperation": {}}
    given = [done, {**done, "id": "mine"}, {**done, "id": ""}, {**done, "id": None}]
    completed = _completed({name: given})[name]
    assert [{**event, "id": None} for event in completed] == [{**done, "id": None}] * 4
    ids = [event["id"] for event in completed]
    assert ids[1] == "mine"
    assert len(set(ids)) == 4
    assert [each.split("-")[:2] for each in (ids[0], *ids[2:])] == [
        ["event", "0"],
        ["event", "2"],
        ["event", "3"],
    ]
    assert given[0] == done, "what came in stays as it was"


def test_ids_depend_on_what_is_said_and_not_on_the_order_of_the_words() -> None:
    one = _completed({"events": [{"step": 1, "operation": "Done"}]})["events"][0]["id"]
    same = _completed({"events": [{"operation": "Done", "step": 1}]})["events"][0]["id"]
    other = _completed({"events": [{"operation": "Done", "step": 2}]})["events"][0]["id"]
    assert one == same != other


def test_completing_twice_changes_nothing() -> None:
    once = _completed({"events": [{"step": 1}, {"id": "a"}], "stepDuration": "1s"})
    assert _completed(once) == once


@pytest.mark.parametrize("spec", [3, {"events": 3}, {"events": [3, None, {"id": [1]}]}])
def test_what_is_no_event_is_left_for_others_to_judge(spec: Any) -> None:
    assert _completed(spec) == spec


def test_a_scenario_without_spec_gets_an_empty_one() -> None:
    kind = {
        "apiVersion": "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
        "kind": "Scenario",
    }
    assert defaulting.stored(kind) == {**kind, "spec": {}}
