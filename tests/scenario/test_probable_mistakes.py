"""What is allowed and hardly meant is told as a doubt, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.scenario import resource
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario.building import DEPLOYMENT, NODE, POD, create, delete, done, patch, scenario

if TYPE_CHECKING:
    from kubestage.aliases import Json

SLEEP = {"spec": {"replicas": 0}}


def _told(*events: Json) -> list[tuple[str, str]]:
    found = resource.probable_mistakes(scenario(*events))
    return [(doubt.path or "", doubt.problem) for doubt in found]


def test_events_of_steps_after_the_end_are_never_run() -> None:
    late = create(make_node("n"), 3)
    assert _told(late, done(2), create(make_pod("p"), 2)) == [
        (
            "spec.events[0]",
            'is never run: event "done" (spec.events[1]) ends the scenario in step 2',
        )
    ]


def test_an_event_that_denies_the_end_does_not_end_it() -> None:
    denial = {**done(1), "doneOperation": {"done": False}}
    assert _told(denial, create(make_node("n"), 2)) == [
        ("spec.events[0].doneOperation.done", "only done: true ends a scenario")
    ]


def test_a_scenario_without_events_is_paused_at_once() -> None:
    assert _told() == [("spec", "there are no events: it will be Paused at once")]


@pytest.mark.parametrize(
    "event", [patch(DEPLOYMENT, "web", SLEEP, 1), delete(DEPLOYMENT, "web", 1)]
)
def test_what_nobody_created_cannot_be_changed(event: Json) -> None:
    other = create(make_deployment("wbe"))
    ((path, told),) = _told(other, event)
    assert path.endswith("Operation.objectMeta.name")
    assert told == 'Deployment "web" was not created by an event before'
    assert _told(create(make_deployment("web"), 2), event) == [(path, told)]
    assert _told(create(make_deployment("web"), 1), event) == []


def test_what_was_deleted_cannot_be_changed() -> None:
    web = make_deployment("web")
    events = [create(web), delete(DEPLOYMENT, "web", 1), patch(DEPLOYMENT, "web", SLEEP, 2)]
    ((_, told),) = _told(*events)
    assert (
        told == 'Deployment "web" was deleted by event "delete-deployment-web-1" (spec.events[1])'
    )


def test_what_controllers_make_may_be_there_without_an_event() -> None:
    stateful_pod = patch(POD, "db-0", {"metadata": {"labels": {"a": "b"}}})
    assert _told(stateful_pod, delete(("apps/v1", "ReplicaSet"), "web-5d9c")) == []


def test_names_that_are_made_up_in_the_run_may_be_any() -> None:
    node = make_node("n")
    node["metadata"] = {"generateName": "n-"}
    assert _told(create(node), delete(NODE, "n-abcde", 1)) == []


def test_the_same_object_is_not_created_twice() -> None:
    first = create(make_node("n"))
    again = {**create(make_node("n"), 1), "id": "again"}
    assert _told(first, again) == [
        (
            "spec.events[1].createOperation.object.metadata.name",
            'Node "n" is created by event "create-node-n-0" (spec.events[0]) already',
        )
    ]
    assert _told(first, delete(NODE, "n", 1), again) == []


def test_a_pod_may_be_gone_by_a_later_step() -> None:
    pod = create(make_pod("p"))
    assert _told(pod, create(make_pod("p"), 1)) == []
    assert len(_told(pod, {**pod, "id": "again"})) == 1
