from __future__ import annotations

from typing import Any

from kubestage.controllers.deployment import conditions
from kubestage.units import SECOND_NS


def _condition(status: str, reason: str, seconds: int) -> dict[str, Any]:
    return conditions.new(conditions.AVAILABLE, status, reason, "m", seconds * SECOND_NS)


def test_a_condition_of_the_same_status_and_reason_stays() -> None:
    first = _condition("True", "Good", 1)
    assert conditions.put([first], _condition("True", "Good", 2)) == [first]


def test_another_reason_keeps_the_time_of_the_transition() -> None:
    (found,) = conditions.put([_condition("True", "Good", 1)], _condition("True", "Better", 2))
    assert found["reason"] == "Better"
    assert found["lastTransitionTime"] == "1970-01-01T00:00:01Z"
    assert found["lastUpdateTime"] == "1970-01-01T00:00:02Z"


def test_another_status_is_a_transition_and_goes_last() -> None:
    other = {"type": "Other", "status": "True"}
    found = conditions.put([_condition("True", "Good", 1), other], _condition("False", "Bad", 2))
    assert [each["type"] for each in found] == ["Other", "Available"]
    assert found[1]["lastTransitionTime"] == "1970-01-01T00:00:02Z"


def test_conditions_are_found_and_left_out_by_type() -> None:
    known = [_condition("True", "Good", 1)]
    assert conditions.find(known, conditions.AVAILABLE) is known[0]
    assert conditions.find(known, conditions.PROGRESSING) is None
    assert conditions.without(known, conditions.AVAILABLE) == []
