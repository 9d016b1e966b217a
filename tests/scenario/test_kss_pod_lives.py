"""Recorded pods live as long as they lived, wherever they go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.scenario import kss_recording
from tests.scenario import kss_samples as samples
from tests.scenario.kss_samples import line

if TYPE_CHECKING:
    from kubestage.aliases import Json

NODE = line(0, "Add", "Node", samples.node("n1"))
WEB = samples.pod("web")


def _made(*lines: str) -> tuple[list[Json], list[str]]:
    """The events of a recording but for Done, and what is told of it."""
    notes: list[str] = []
    made = kss_recording.scenario(kss_recording.read(lines), notes=notes)
    return made["spec"]["events"][:-1], notes


def _told(*lines: str) -> list[tuple[int, str, str]]:
    return [(each["step"], each["operation"], each["id"]) for each in _made(*lines)[0]]


def _created(*lines: str) -> Json:
    """The last object that is created."""
    found = [
        each["createOperation"]["object"] for each in _made(*lines)[0] if "createOperation" in each
    ]
    last: Json = found[-1]
    return last


@pytest.mark.parametrize(
    ("first", "last", "life"),
    [
        (samples.pod("job"), samples.ended(samples.pod("job"), 10, 52), "42s"),
        (samples.pod("job"), samples.ended(samples.pod("job"), 10, 52, restarts=2), "44s"),
        (
            samples.bound(samples.pod("job"), "n1"),
            samples.ended(samples.pod("job"), -1800, 52),
            "51s",
        ),
        (samples.pod("job"), {**samples.pod("job"), "status": {"phase": "Succeeded"}}, "59s"),
    ],
)
def test_a_pod_runs_as_long_as_it_ran(first: Json, last: Json, life: str) -> None:
    for each in (first, last):
        each["spec"]["restartPolicy"] = "Never"
    created = _created(NODE, line(1, "Add", "Pod", first), line(60, "Update", "Pod", last))
    assert created["metadata"]["annotations"] == {"kubestage.dev/run-duration": life}


def test_a_pod_fails_as_it_failed() -> None:
    job = samples.pod("job", restartPolicy="Never")
    failed = samples.ended(job, 10, 20, code=3)
    other = {"startedAt": samples.at(10), "finishedAt": samples.at(15), "exitCode": 0}
    failed["status"]["containerStatuses"].append({"name": "helper", "state": {"terminated": other}})
    created = _created(NODE, line(1, "Add", "Pod", job), line(20, "Update", "Pod", failed))
    assert created["metadata"]["annotations"] == {
        "kubestage.dev/run-duration": "10s",
        "kubestage.dev/run-duration.helper": "5s",
        "kubestage.dev/exit-code.main": "3",
    }
    failed["status"] = {"phase": "Failed", "reason": "DeadlineExceeded", "startTime": samples.at(5)}
    created = _created(NODE, line(1, "Add", "Pod", job), line(20, "Update", "Pod", failed))
    assert created["metadata"]["annotations"] == {
        "kubestage.dev/run-duration": "15s",
        "kubestage.dev/exit-code": "1",
    }


def test_a_pod_that_did_not_end_runs_on() -> None:
    job = samples.pod("job", restartPolicy="OnFailure")
    created = _created(NODE, line(1, "Add", "Pod", job))
    assert created["metadata"]["annotations"] == {"kubestage.dev/run-duration": "forever"}


def test_what_a_pod_says_of_its_life_holds() -> None:
    own = {"kubestage.dev/run-duration": "7s"}
    job = samples.pod("job", restartPolicy="Never", meta={"annotations": own})
    ended = samples.ended(job, 10, 20)
    created = _created(NODE, line(1, "Add", "Pod", job), line(20, "Update", "Pod", ended))
    assert created["metadata"]["annotations"] == own


def test_a_pod_that_had_ended_when_it_was_first_seen_is_as_it_was() -> None:
    job = samples.ended(samples.pod("job", restartPolicy="Never"), -90, -50)
    lines = (NODE, line(1, "Add", "Pod", job), line(9, "Update", "Pod", job))
    assert len(_told(*lines)) == 2
    assert "annotations" not in _created(*lines)["metadata"]


def test_a_server_that_was_evicted_goes_when_it_failed() -> None:
    web = samples.bound(WEB, "n1")
    evicted = {**web, "status": {"phase": "Failed", "reason": "Evicted"}}
    events, notes = _made(
        NODE,
        line(1, "Add", "Pod", web),
        line(9, "Update", "Pod", evicted),
        line(10, "Update", "Pod", evicted),
        line(30, "Delete", "Pod", web),
    )
    assert [(each["step"], each["operation"]) for each in events[2:]] == [(9, "Delete")]
    assert notes == ["1 pod failed though meant to run on, as when evicted: deleted then"]
