from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.job import ending, failure_policy
from kubestage.controllers.job.failure_policy import FailureDecision

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _failed(*codes: int, init: int | None = None, **conditions: str) -> Json:
    containers = [
        {"name": f"c{number}", "state": {"terminated": {"exitCode": code}}}
        for number, code in enumerate(codes)
    ]
    status: Json = {
        "containerStatuses": containers,
        "conditions": [{"type": kind, "status": state} for kind, state in conditions.items()],
    }
    if init is not None:
        state = {"terminated": {"exitCode": init}}
        status["initContainerStatuses"] = [{"name": "i", "state": state}]
    return {"metadata": {"namespace": "ns", "name": "p"}, "status": status}


def _exit_rule(action: str, operator: str, *codes: int, container: str | None = None) -> Json:
    requirement: Json = {"operator": operator, "values": list(codes)}
    if container is not None:
        requirement["containerName"] = container
    return {"action": action, "onExitCodes": requirement}


def _judge(pod: Json, *rules: Json) -> FailureDecision:
    return failure_policy.match_failure_policy({"rules": list(rules)}, pod)


def test_without_a_policy_or_a_rule_that_fits_a_failure_counts() -> None:
    assert failure_policy.match_failure_policy(None, _failed(1)) == FailureDecision()
    assert _judge(_failed(1), _exit_rule("Ignore", "In", 2)) == FailureDecision()


def test_the_first_rule_that_fits_decides() -> None:
    rules = (_exit_rule("Ignore", "In", 3), _exit_rule("Count", "NotIn", 5))
    assert _judge(_failed(3), *rules) == FailureDecision(counts=False, action="Ignore")
    assert _judge(_failed(4), *rules) == FailureDecision(action="Count")


def test_a_failing_rule_tells_container_code_and_place() -> None:
    other, rule = _exit_rule("Ignore", "In", 9), _exit_rule("FailJob", "In", 42)
    words = "Container c1 for pod ns/p failed with exit code 42 matching FailJob rule at index 1"
    assert _judge(_failed(0, 42), other, rule) == FailureDecision(words, action="FailJob")


def test_success_never_matches_not_even_not_in() -> None:
    assert _judge(_failed(0), _exit_rule("FailJob", "NotIn", 1)) == FailureDecision()


def test_a_rule_for_one_container_looks_at_no_other_and_init_containers_count() -> None:
    rule = _exit_rule("FailIndex", "In", 7, container="i")
    assert _judge(_failed(7, init=1), rule) == FailureDecision()
    assert _judge(_failed(0, init=7), rule).action == "FailIndex"


def test_conditions_match_by_type_and_status() -> None:
    pattern = {"type": "DisruptionTarget", "status": "True"}
    rule = {"action": "FailJob", "onPodConditions": [pattern]}
    assert _judge(_failed(1, DisruptionTarget="False"), rule) == FailureDecision()
    words = "Pod ns/p has condition DisruptionTarget matching FailJob rule at index 0"
    assert _judge(_failed(1, DisruptionTarget="True"), rule).message == words


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ({"succeededIndexes": "0-2"}, True),
        ({"succeededIndexes": "0-3"}, False),
        ({"succeededIndexes": "0-3,5", "succeededCount": 4}, True),
        ({"succeededIndexes": "3-9", "succeededCount": 2}, False),
        ({"succeededCount": 4}, True),
        ({"succeededCount": 5}, False),
        ({"succeededIndexes": "50-60"}, False),
    ],
)
def test_success_by_indexes_by_number_or_by_number_of_these_indexes(
    rule: Json, holds: bool
) -> None:
    succeeded = ((0, 2), (5, 5))
    message = ending.match_success_policy({"rules": [rule]}, 10, succeeded)
    assert message == ("Matched rules at index 0" if holds else None)


def test_nothing_succeeds_before_an_index_does() -> None:
    assert ending.match_success_policy({"rules": [{"succeededCount": 0}]}, 10, ()) is None
