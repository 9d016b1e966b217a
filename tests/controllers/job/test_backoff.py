from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.job.backoff import NO_BACKOFF, Backoff, finished_ns
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

ZERO_NS = timestamps.parse_time("2026-01-01T00:00:00Z")


def _pod(finished: int, **changes: Any) -> Json:
    terminated = {"finishedAt": timestamps.format_time(ZERO_NS + finished * SECOND_NS)}
    status = {"containerStatuses": [{"name": "c", "state": {"terminated": terminated}}]}
    metadata = {"creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"metadata": metadata, "spec": {}, "status": status, **changes}


@pytest.mark.parametrize(
    ("failures", "seconds"), [(0, 0), (1, 10), (2, 20), (6, 320), (7, 600), (400, 600)]
)
def test_the_wait_doubles_from_ten_seconds_to_ten_minutes(failures: int, seconds: int) -> None:
    assert Backoff(failures, ZERO_NS).remaining_ns(ZERO_NS) == seconds * SECOND_NS


def test_time_since_the_last_failure_is_part_of_the_wait() -> None:
    backoff = Backoff(1, ZERO_NS)
    assert backoff.remaining_ns(ZERO_NS + 4 * SECOND_NS) == 6 * SECOND_NS
    assert backoff.remaining_ns(ZERO_NS + 11 * SECOND_NS) == 0


def test_failures_add_up_until_a_pod_succeeds() -> None:
    after = NO_BACKOFF.after([], [_pod(3), _pod(7)]).after([], [_pod(5)])
    assert after == Backoff(3, ZERO_NS + 5 * SECOND_NS)
    assert after.after([], []) is after
    assert after.after([_pod(9)], []) == NO_BACKOFF


def test_of_failures_beside_a_success_only_later_ones_count() -> None:
    after = Backoff(4, ZERO_NS).after([_pod(5)], [_pod(3), _pod(5), _pod(6), _pod(8)])
    assert after == Backoff(2, ZERO_NS + 8 * SECOND_NS)


def test_a_pod_ended_when_its_last_container_or_sidecar_did() -> None:
    pod = _pod(4)
    pod["spec"] = {"initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]}
    later = {"terminated": {"finishedAt": "2026-01-01T00:01:00Z"}}
    pod["status"]["initContainerStatuses"] = [
        {"name": "s", "state": later},
        {"name": "i", "state": {"running": {}}},
    ]
    assert finished_ns(pod) == ZERO_NS + 60 * SECOND_NS


def test_without_containers_the_condition_tells_then_the_deletion_then_the_creation() -> None:
    ready = {"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:09Z"}
    assert finished_ns(_pod(0, status={"conditions": [ready]})) == ZERO_NS + 9 * SECOND_NS
    metadata = {
        "creationTimestamp": "2026-01-01T00:00:01Z",
        "deletionTimestamp": "2026-01-01T00:01:00Z",
        "deletionGracePeriodSeconds": 30,
    }
    assert finished_ns(_pod(0, status={}, metadata=metadata)) == ZERO_NS + 30 * SECOND_NS
    assert finished_ns(_pod(0, status={})) == ZERO_NS
