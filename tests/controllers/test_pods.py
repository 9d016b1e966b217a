from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers import pods
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

_SINCE = "2026-01-01T00:00:00Z"
_SINCE_NS = timestamps.parse_time(_SINCE)


def _pod(phase: str = "Running", ready: str | None = None, **metadata: Any) -> Json:
    status: Json = {"phase": phase}
    if ready is not None:
        status["conditions"] = [
            {"type": "Other", "status": "True"},
            {"type": "Ready", "status": ready, "lastTransitionTime": _SINCE},
        ]
    return {"metadata": metadata, "status": status}


def test_a_pod_without_a_status_has_no_phase_and_is_not_ready() -> None:
    pod: Json = {"metadata": {}}
    assert pods.phase(pod) == ""
    assert not pods.is_ready(pod)
    assert pods.is_active(pod)


@pytest.mark.parametrize(("ready", "expected"), [("True", True), ("False", False), (None, False)])
def test_a_pod_is_ready_if_it_says_so(ready: str | None, expected: bool) -> None:
    assert pods.is_ready(_pod(ready=ready)) is expected


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_has_ended_is_not_active(phase: str) -> None:
    assert pods.is_terminal(_pod(phase))
    assert not pods.is_active(_pod(phase))


def test_a_pod_that_is_to_go_is_not_active() -> None:
    pod = _pod(deletionTimestamp=_SINCE)
    assert pods.is_terminating(pod)
    assert not pods.is_active(pod)


def test_a_pod_is_available_from_the_moment_on_at_which_its_time_is_over() -> None:
    pod = _pod(ready="True")
    due_ns = _SINCE_NS + 10 * SECOND_NS
    assert pods.available_from_ns(pod, 10) == due_ns
    assert not pods.is_available(pod, 10, due_ns - 1)
    assert pods.is_available(pod, 10, due_ns)
    assert pods.is_available(pod, 0, 0)
    assert not pods.is_available(_pod(ready="False"), 0, due_ns)


def test_a_ready_pod_that_does_not_say_since_when_is_not_available() -> None:
    pod = _pod(ready="True")
    del pod["status"]["conditions"][1]["lastTransitionTime"]
    assert pods.available_from_ns(pod, 10) is None
    assert pods.available_from_ns(pod, 0) == 0


def test_a_condition_takes_the_place_of_the_one_of_its_type() -> None:
    known = [{"type": "A", "status": "True"}, {"type": "B", "status": "True"}]
    new = {"type": "A", "status": "False"}
    assert pods.with_condition(known, new) == [new, known[1]]
    other = {"type": "C", "status": "True"}
    assert pods.with_condition(known, other) == [*known, other]
    assert known[0]["status"] == "True"
