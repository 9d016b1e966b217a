"""Strategic merge patches on kinds of ours, which are custom resources with known fields."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import patches, schema
from kubestage.objects.patches import PatchError, PatchType

SCENARIO = ("simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1", "Scenario")


def _apply(original: dict[str, Any], patch: dict[str, Any]) -> Any:
    return patches.apply(PatchType.STRATEGIC, original, patch, schema.own_struct(*SCENARIO))


def _events(*events: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"events": list(events)}}


@pytest.mark.parametrize("name", ["events", "operations"])
def test_events_merge_by_id(name: str) -> None:
    original = {"spec": {name: [{"id": "a", "step": 1}, {"id": "b", "step": 2}]}}
    patched = _apply(original, {"spec": {name: [{"id": "b", "step": 3}, {"id": "c"}]}})
    assert sorted(patched["spec"][name], key=lambda event: event["id"]) == [
        {"id": "a", "step": 1},
        {"id": "b", "step": 3},
        {"id": "c"},
    ]


def test_events_are_deleted_by_id() -> None:
    patched = _apply(_events({"id": "a"}, {"id": "b"}), _events({"id": "a", "$patch": "delete"}))
    assert patched == _events({"id": "b"})


def test_an_event_without_id_cannot_be_merged() -> None:
    with pytest.raises(PatchError, match="does not contain declared merge key: id"):
        _apply(_events({"id": "a"}), _events({"step": 1}))


def _creating(obj: dict[str, Any]) -> dict[str, Any]:
    return _events({"id": "a", "createOperation": {"object": obj}})


def test_within_an_object_all_merges_as_json_does() -> None:
    original = _creating(
        {"kind": "Pod", "metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"x": [{"name": 1}]}}
    )
    change = {"metadata": {"labels": {"a": None, "c": "3"}}, "spec": {"x": [{"name": 2}]}}
    assert _apply(original, _creating(change)) == _creating(
        {"kind": "Pod", "metadata": {"labels": {"b": "2", "c": "3"}}, "spec": {"x": [{"name": 2}]}}
    )


def _timeline(**steps: Any) -> dict[str, Any]:
    return {"status": {"scenarioResult": {"timeline": steps}}}


def test_the_events_of_each_step_of_a_timeline_merge_by_id() -> None:
    original = _timeline(**{"1": [{"id": "a", "step": 1}], "2": [{"id": "b"}]})
    patch = _timeline(**{"1": [{"id": "a", "operation": "Done"}], "3": [{"id": "c"}]})
    assert _apply(original, patch) == _timeline(
        **{
            "1": [{"id": "a", "step": 1, "operation": "Done"}],
            "2": [{"id": "b"}],
            "3": [{"id": "c"}],
        }
    )


def test_the_attempts_at_a_pod_are_replaced() -> None:
    def told(*attempts: int) -> dict[str, Any]:
        result = {"scheduleResult": [{"attempt": number} for number in attempts]}
        return _timeline(**{"1": [{"id": "a", "podScheduled": result}]})

    assert _apply(told(1, 2), told(3)) == told(3)


def test_a_field_that_the_kind_does_not_have_is_refused_when_it_is_merged() -> None:
    original = {"spec": {"evnts": {"a": 1}}}
    with pytest.raises(PatchError, match="unable to find api field in struct ScenarioSpec"):
        _apply(original, {"spec": {"evnts": {"a": 2}}})


def test_only_kinds_of_ours_have_a_struct_that_way() -> None:
    found = schema.own_struct(*SCENARIO)
    assert found is not None
    assert found.name == "simulation/v1alpha1.Scenario"
    assert schema.kind_struct(*SCENARIO) is None
    assert schema.own_struct(SCENARIO[0], "Widget") is None
    assert schema.own_struct("v1", "Pod") is None
