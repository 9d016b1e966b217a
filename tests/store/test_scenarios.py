"""Scenarios at the door of a store: completed, checked by their definition, patched by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import BadRequest, Invalid
from kubestage.objects.patches import PatchType
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


SCENARIO = ("simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1", "Scenario")
DONE: Json = {"step": 1, "operation": "Done", "doneOperation": {"done": True}}


def _scenario(*events: Json) -> Json:
    api_version, kind = SCENARIO
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "s"},
        "spec": {"events": list(events)},
    }


@pytest.fixture
def store() -> Store:
    return make_store()


def _steps(obj: Json) -> dict[str, int]:
    return {event["id"]: event["step"] for event in obj["spec"]["events"]}


def test_a_new_scenario_has_ids_and_no_status(store: Store) -> None:
    created = store.create({**_scenario(DONE, {**DONE, "id": "a"}), "status": {"phase": "Failed"}})
    first, second = (event["id"] for event in created["spec"]["events"])
    assert (first[:8], second) == ("event-0-", "a")
    assert "status" not in created
    assert created["metadata"]["generation"] == 1


def test_a_scenario_of_the_wrong_shape_is_refused_in_the_words_for_custom_resources(
    store: Store,
) -> None:
    with pytest.raises(Invalid) as refusal:
        store.create(_scenario(DONE, DONE, {**DONE, "step": "2"}))
    path = "spec.events[2].step"
    body = f'Invalid value: "string": {path} in body must be of type integer: "string"'
    group = SCENARIO[0].partition("/")[0]
    assert refusal.value.message == f'Scenario.{group} "s" is invalid: {path}: {body}'
    assert refusal.value.details["causes"] == [
        {"reason": "FieldValueTypeInvalid", "message": body, "field": path}
    ]


def test_a_scenario_that_cannot_run_is_taken_in(store: Store) -> None:
    assert store.create(_scenario({"step": 1}))["spec"]["events"][0]["step"] == 1


@pytest.mark.parametrize("patch_type", [PatchType.STRATEGIC, PatchType.MERGE])
def test_patches_change_events(store: Store, patch_type: PatchType) -> None:
    store.create(_scenario({**DONE, "id": "a"}))
    change = {"spec": {"events": [{**DONE, "id": "a", "step": 4}]}}
    patched = store.patch(SCENARIO, "s", change, patch_type=patch_type)
    assert _steps(patched) == {"a": 4}
    assert patched["metadata"]["generation"] == 2


def test_a_strategic_patch_adds_to_events_and_a_merge_patch_replaces_them(store: Store) -> None:
    store.create(_scenario({**DONE, "id": "a"}))
    more = {"spec": {"events": [{**DONE, "id": "b", "step": 2}]}}
    added = store.patch(SCENARIO, "s", more, patch_type=PatchType.STRATEGIC)
    assert _steps(added) == {"a": 1, "b": 2}
    assert _steps(store.patch(SCENARIO, "s", more)) == {"b": 2}


def test_a_json_patch_adds_an_event_which_gets_an_id(store: Store) -> None:
    store.create(_scenario({**DONE, "id": "a"}))
    operations = [{"op": "add", "path": "/spec/events/-", "value": {**DONE, "step": 2}}]
    patched = store.patch(SCENARIO, "s", operations, patch_type=PatchType.JSON)
    assert list(_steps(patched).values()) == [1, 2]
    assert patched["spec"]["events"][1]["id"].startswith("event-1-")


def test_a_list_that_is_sent_again_without_ids_gets_the_same_ones(store: Store) -> None:
    created = store.create(_scenario(DONE, {**DONE, "step": 2}))
    patched = store.patch(SCENARIO, "s", {"spec": _scenario(DONE, {**DONE, "step": 2})["spec"]})
    assert patched["spec"] == created["spec"]
    assert patched["metadata"]["generation"] == 1


def test_an_event_that_a_strategic_patch_does_not_name_is_refused(store: Store) -> None:
    store.create(_scenario({**DONE, "id": "a"}))
    with pytest.raises(BadRequest, match="does not contain declared merge key: id"):
        store.patch(SCENARIO, "s", {"spec": {"events": [DONE]}}, patch_type=PatchType.STRATEGIC)


@pytest.mark.parametrize("patch_type", [PatchType.STRATEGIC, PatchType.MERGE])
def test_after_success_no_patch_adds_an_event(store: Store, patch_type: PatchType) -> None:
    store.create(_scenario({**DONE, "id": "a"}))
    succeeded = store.patch(SCENARIO, "s", {"status": {"phase": "Succeeded"}}, subresource="status")
    change = {"spec": {"events": [{**DONE, "id": "a"}, {**DONE, "id": "b"}]}}
    with pytest.raises(Invalid, match='event "b" cannot be added: the scenario has Succeeded'):
        store.patch(SCENARIO, "s", change, patch_type=patch_type)
    with pytest.raises(Invalid, match='event "b" cannot be added: the scenario has Succeeded'):
        store.update({**succeeded, **change})
    labelled = store.patch(SCENARIO, "s", {"metadata": {"labels": {"a": "b"}}})
    assert labelled["status"] == {"phase": "Succeeded"}


def test_a_status_of_the_wrong_shape_is_refused(store: Store) -> None:
    store.create(_scenario())
    with pytest.raises(Invalid, match=r"status\.step: Invalid value: -1: step in body should be"):
        store.patch(SCENARIO, "s", {"status": {"step": -1}}, subresource="status")


def test_timelines_merge_by_id(store: Store) -> None:
    store.create(_scenario())

    def told(*names: str) -> Json:
        events = [{"id": name, "step": 1, "operation": "Done"} for name in names]
        return {"status": {"scenarioResult": {"timeline": {"1": events}}}}

    for names in (("a",), ("b",)):
        patched = store.patch(
            SCENARIO, "s", told(*names), patch_type=PatchType.STRATEGIC, subresource="status"
        )
    timeline = patched["status"]["scenarioResult"]["timeline"]
    assert {event["id"] for event in timeline["1"]} == {"a", "b"}


def test_a_recorded_scenario_keeps_its_status(store: Store) -> None:
    loaded = store.load({**_scenario(DONE), "status": {"phase": "Running"}})
    assert loaded["status"] == {"phase": "Running"}
