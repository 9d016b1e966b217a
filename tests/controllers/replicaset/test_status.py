from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.replicaset import status
from kubestage.controllers.replicaset.pod_counter import Counts

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _owner(*conditions: Json) -> Json:
    return {
        "metadata": {"generation": 3},
        "spec": {"replicas": 2},
        "status": {"conditions": list(conditions)},
    }


def _report(owner: Json, replicas: int, failure: str | None) -> Json:
    counts = Counts(replicas, 0, 0, 0, 0)
    return status.report(owner, counts, failure, 0, terminating=True)


def test_counts_of_nothing_are_left_out_where_the_api_leaves_them_out() -> None:
    assert _report(_owner(), 0, None) == {
        "replicas": 0,
        "terminatingReplicas": 0,
        "observedGeneration": 3,
    }


def test_all_counts_are_told() -> None:
    report = status.report(_owner(), Counts(5, 4, 3, 2, 1), None, 0, terminating=True)
    assert report == {
        "replicas": 5,
        "fullyLabeledReplicas": 4,
        "readyReplicas": 3,
        "availableReplicas": 2,
        "terminatingReplicas": 1,
        "observedGeneration": 3,
    }


def test_the_reason_of_a_failure_is_what_was_tried() -> None:
    assert _report(_owner(), 1, "no")["conditions"][0]["reason"] == "FailedCreate"
    assert _report(_owner(), 3, "no")["conditions"][0]["reason"] == "FailedDelete"
    assert "reason" not in _report(_owner(), 2, "no")["conditions"][0]


def test_a_failure_stays_as_it_was_told_first_and_goes_with_success() -> None:
    first = _report(_owner(), 1, "no")["conditions"]
    other = {"type": "Other", "status": "True"}
    assert _report(_owner(other, *first), 1, "never")["conditions"] == [other, *first]
    assert _report(_owner(other, *first), 2, None)["conditions"] == [other]
