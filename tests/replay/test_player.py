from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage import replay
from kubestage.replay.cluster import LabCluster
from tests.golden import controllers
from tests.replay import scenarios

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.replay import RecordedScenario


NAME = "rs-create-scale"


def tampered(number: int, **changes: Any) -> RecordedScenario:
    """A recorded scenario, one of its steps changed."""
    scenario = controllers.scenarios()[NAME]
    steps = list(scenario.steps)
    steps[number] = msgspec.structs.replace(steps[number], **changes)
    return msgspec.structs.replace(scenario, steps=steps)


def with_status(scenario: RecordedScenario, **status: Any) -> Json:
    state = dict(scenario.steps[0].state)
    (name,) = state["ReplicaSet"]
    found = state["ReplicaSet"][name]
    changed = {**found, "status": {**found["status"], **status}}
    return {**state, "ReplicaSet": {name: changed}}


def told(result: replay.ReplayResult) -> list[tuple[int, str, str]]:
    return [(each.step, each.kind, each.path) for each in result.differences]


def test_what_is_the_same_has_no_differences() -> None:
    result = replay.play(controllers.scenarios()[NAME])
    assert result.is_same
    assert not result.trace_differences


def test_one_field_of_one_object_is_one_difference() -> None:
    scenario = controllers.scenarios()[NAME]
    result = replay.play(tampered(0, state=with_status(scenario, readyReplicas=99)))
    (found,) = result.differences
    assert (found.step, found.kind) == (0, "state")
    assert found.path == "ReplicaSet/rs/status/readyReplicas"
    assert found.expected == 99
    assert str(found).startswith("step 0 state ReplicaSet/rs/status/readyReplicas: expected 99")


def test_an_event_or_refusal_that_does_not_come_is_a_difference() -> None:
    event = {
        "object": "ReplicaSet/rs",
        "type": "Normal",
        "reason": "Odd",
        "message": "odd",
        "source": "x",
        "count": 1,
    }
    result = replay.play(tampered(3, events=[event]))
    assert told(result) == [(3, "events", "ReplicaSet/rs")]
    refusal = {"code": 404, "reason": "NotFound", "message": "?", "causes": []}
    assert told(replay.play(tampered(1, errors=[refusal]))) == [(1, "errors", "")]


def test_a_step_that_differs_does_not_disturb_the_next() -> None:
    scenario = controllers.scenarios()[NAME]
    result = replay.play(tampered(0, state=with_status(scenario, replicas=99)))
    assert {each.step for each in result.differences} == {0}


def test_a_trace_that_differs_is_told_apart() -> None:
    result = replay.play(tampered(0, trace={}))
    assert result.is_same
    assert {each.kind for each in result.trace_differences} == {"trace"}


NAMESPACE = {
    "Namespace": {
        "$NS": {
            "labels": {"kubernetes.io/metadata.name": "$NS"},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        }
    }
}


def waiting_job(**recorded: Any) -> RecordedScenario:
    """A Job that is removed five seconds after it is done."""
    template = {
        "metadata": {"annotations": {"lab/complete": "1"}},
        "spec": {"containers": [{"name": "c", "image": "x"}], "restartPolicy": "Never"},
    }
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"ttlSecondsAfterFinished": 5, "template": template},
    }
    step = scenarios.step(scenarios.create(job), **recorded)
    return scenarios.make(step, kubelet="rounds", quiet=1.3, topic="job")


def event(reason: str, message: str) -> Json:
    told = {"object": "Job/j", "type": "Normal", "reason": reason, "message": message}
    return {**told, "source": "job-controller", "count": 1}


JOB_EVENTS = [
    event("SuccessfulCreate", "Created pod: j-<r*>"),
    event("Completed", "Job completed"),
]


def test_a_step_is_looked_at_when_it_matches_even_if_it_was_quiet_before() -> None:
    # It is quiet for three seconds before the removal, too.
    assert replay.play(waiting_job(state=NAMESPACE, events=JOB_EVENTS)).is_same
    early = waiting_job(state=NAMESPACE, events=JOB_EVENTS, recorded_after_seconds=6.0)
    assert not replay.play(early).is_same


@pytest.mark.parametrize(
    ("recorded", "is_there"),
    [
        ({"recorded_after_seconds": 3.0}, True),
        ({"recorded_after_seconds": 20.0}, False),
        ({"wait_until": "condition Complete"}, True),
    ],
)
def test_recorded_times_and_conditions_are_kept(recorded: Json, is_there: bool) -> None:
    result = replay.play(waiting_job(state=NAMESPACE, **recorded))
    found = {path for _, kind, path in told(result) if kind == "state"}
    assert ("Job/j" in found) is is_there


def test_the_same_seed_gives_the_same_performance() -> None:
    scenario = controllers.scenarios()[NAME]
    broken = tampered(0, state=with_status(scenario, replicas=99))
    assert replay.play(broken, seeds=[7]).differences == replay.play(broken, [7]).differences


def test_every_seed_begins_elsewhere_in_the_periods_of_the_loops() -> None:
    scenario = controllers.scenarios()[NAME]
    assert len({LabCluster(scenario, seed).clock.now_ns for seed in range(5)}) == 5
