"""What may be said of a job, and what may become of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.validation import index_lists, job_status

if TYPE_CHECKING:
    from kubestage.aliases import Json

START, LATER = "2024-01-01T00:00:00Z", "2024-01-01T01:00:00Z"
DONE = {"completionTime": LATER, "startTime": START, "succeeded": 3}
NO_TARGET = "cannot set Failed=True condition without the FailureTarget=true condition"
NO_CRITERIA = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
TOO_EARLY = "cannot set completionTime when there is no Complete=True condition"
STARTED = "field is immutable for unsuspended job once set"
FALSE = "status.conditions: Invalid value:"
FRAGMENT = "violates the requirement that an index interval can have at most two parts"
NOT_INDEXED = "cannot set non-empty completedIndexes when non-indexed completion mode"


def _true(*types: str) -> list[Json]:
    return [{"type": each, "status": "True"} for each in types]


def _problems(status: Json, before: Json | None = None, **spec: Any) -> list[str]:
    meta = {"name": "a", "namespace": "d", "resourceVersion": "1", "uid": "u"}
    job = {"metadata": meta, "spec": {"completions": 3, "parallelism": 2, **spec}}
    found = job_status.validate_job_status_update(
        {**job, "status": status}, {**job, "status": before or {}}
    )
    return [str(each) for each in found]


@pytest.mark.parametrize(
    ("status", "problems"),
    [
        ({"active": 1, "startTime": START, "ready": 1}, []),
        ({"conditions": _true("SuccessCriteriaMet")}, []),
        ({**DONE, "conditions": _true("Complete", "SuccessCriteriaMet")}, []),
        (
            {"active": -1},
            ["status.active: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            {"active": 1, "ready": 2},
            ["status.ready: Invalid value: 2: cannot set more ready pods than active"],
        ),
        (
            {"completionTime": LATER},
            [f'status.completionTime: Invalid value: "{LATER}": {TOO_EARLY}'],
        ),
        (
            {"startTime": START, "active": 1, "conditions": _true("Failed")},
            [
                f"status.conditions: Invalid value: {NO_TARGET}",
                "status.active: Invalid value: 1: active>0 is invalid for finished job",
            ],
        ),
        (
            {"conditions": _true("Complete")},
            [
                (
                    "status.completionTime: Required value: completionTime is required for "
                    "Complete jobs"
                ),
                f"status.conditions: Invalid value: {NO_CRITERIA}",
                "status.startTime: Required value: startTime is required for finished job",
            ],
        ),
        (
            {"uncountedTerminatedPods": {"succeeded": ["a", ""], "failed": ["a"]}},
            [
                'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
                'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
            ],
        ),
        (
            {"completedIndexes": "0"},
            [f'status.completedIndexes: Invalid value: "0": {NOT_INDEXED}'],
        ),
    ],
)
def test_a_status_is_consistent(status: Json, problems: list[str]) -> None:
    assert _problems(status) == problems


@pytest.mark.parametrize(
    ("before", "status", "problem"),
    [
        (
            {"failed": 2},
            {"failed": 1},
            "status.failed: Invalid value: 1: cannot decrease the failed counter",
        ),
        (
            {"succeeded": 2},
            {},
            "status.succeeded: Invalid value: 0: cannot decrease the succeeded counter",
        ),
        (
            {"startTime": START},
            {"startTime": LATER},
            f'status.startTime: Invalid value: "{LATER}": {STARTED}',
        ),
        (
            {"conditions": _true("FailureTarget")},
            {},
            f"{FALSE} cannot disable the terminal FailureTarget=True condition",
        ),
        (
            {"conditions": _true("SuccessCriteriaMet")},
            {},
            f"{FALSE} cannot disable the SuccessCriteriaMet=True condition",
        ),
    ],
)
def test_nothing_is_taken_back(before: Json, status: Json, problem: str) -> None:
    assert _problems(status, before) == [problem]


def test_what_was_wrong_before_does_not_stop_the_rest() -> None:
    wrong = {"completedIndexes": "9", "completionTime": LATER}
    assert _problems({**wrong, "succeeded": 1}, wrong) == []


def test_a_suspended_job_may_start_again() -> None:
    assert _problems({"startTime": LATER}, {"startTime": START}, suspend=True) == []
    resumed = {"startTime": LATER, "conditions": [{"type": "Suspended", "status": "False"}]}
    suspended = {"startTime": START, "conditions": _true("Suspended")}
    assert _problems(resumed, suspended) == []


def test_indexes_are_in_order_below_the_completions_and_either_failed_or_complete() -> None:
    spec: Json = {"completionMode": "Indexed", "completions": 5, "backoffLimitPerIndex": 1}
    assert _problems({"completedIndexes": "0,2-3", "failedIndexes": "1,4"}, **spec) == []
    assert _problems({"completedIndexes": "0,2-3", "failedIndexes": "1,3-4"}, **spec) == [
        (
            'status.failedIndexes: Invalid value: "1,3-4": '
            "failedIndexes and completedIndexes overlap at index: 3"
        )
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", None),
        ("0,1-2,4", None),
        ("5", 'too large index: "5"'),
        ("0-5", 'too large index: "5"'),
        ("1,0", "non-increasing order, previous: 1, current: 0"),
        ("2-1", "non-increasing order, previous: 2, current: 1"),
        ("x", 'cannot convert string to integer for index: "x"'),
        ("-1", 'cannot convert string to integer for index: ""'),
        ("1-2-3", f"the fragment \"1-2-3\" {FRAGMENT} separated by '-'"),
    ],
)
def test_lists_of_indexes(text: str, problem: str | None) -> None:
    assert index_lists.problem(text, 5) == problem


def test_overlap_passes_over_what_cannot_be_read() -> None:
    assert index_lists.overlap("x,3", "1,3", 5) == 3
    assert index_lists.overlap("0", "1,x", 5) is None
