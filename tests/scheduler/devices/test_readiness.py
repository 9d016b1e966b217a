"""Devices that must be made ready before a pod can use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.objects import timestamps
from kubestage.scheduler.devices import readiness
from kubestage.units import SECOND_NS
from tests.scheduler.devices import machines

if TYPE_CHECKING:
    from kubestage.aliases import Json

NOON = "2026-06-01T12:00:00Z"
NOON_NS = timestamps.parse_time(NOON)


def claim(*conditions: Json, results: int = 1, reports: bool = True) -> Json:
    """A claim with devices that a driver reports on."""
    awaited: Json = {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]}
    given = [machines.result(f"gpu-{number}", **awaited) for number in range(results)]
    status: Json = {"allocation": machines.allocation(*given, allocationTimestamp=NOON)}
    if reports:
        report = {"driver": machines.DRIVER, "pool": "n0", "device": "gpu-0"}
        status["devices"] = [{**report, "conditions": list(conditions)}]
    return machines.claim("c", status=status)


def condition(name: str, status: str = "True") -> Json:
    return {"type": name, "status": status, "reason": "Because", "message": "it is so"}


@pytest.mark.parametrize(
    ("found", "is_ready"),
    [
        (claim(condition("Ready")), True),
        (claim(condition("Ready", "False")), False),
        (claim(), False),
        (claim(reports=False), False),
        (claim(condition("Ready"), results=2), False),
        (machines.claim("c"), False),
        (
            machines.claim("c", status={"allocation": machines.allocation(machines.result("x"))}),
            True,
        ),
    ],
)
def test_all_conditions_must_be_true(found: Json, is_ready: bool) -> None:
    assert readiness.is_ready(found) is is_ready


def test_waiting_is_for_devices_with_conditions() -> None:
    plain = machines.claim("c", status={"allocation": machines.allocation(machines.result("x"))})
    assert readiness.needs_waiting([plain, claim()])
    assert not readiness.needs_waiting([plain, machines.claim("c")])


def test_a_failure_is_told_in_the_drivers_words() -> None:
    assert readiness.failure(claim(condition("Broken"))) == (
        'device binding failed: claim=c, reason=Because, message="it is so"'
    )
    assert not readiness.failure(claim(condition("Broken", "False")))
    assert not readiness.failure(claim(reports=False))
    assert not readiness.failure(machines.claim("c"))


def test_there_is_an_end_to_waiting() -> None:
    late, early = NOON_NS + 11 * SECOND_NS, NOON_NS + 9 * SECOND_NS
    assert readiness.is_overdue(claim(), late, 10 * SECOND_NS)
    assert not readiness.is_overdue(claim(), early, 10 * SECOND_NS)
    assert not readiness.is_overdue(claim(), None, 10 * SECOND_NS)
    plain = machines.allocation(machines.result("x"), allocationTimestamp=NOON)
    assert not readiness.is_overdue(
        machines.claim("c", status={"allocation": plain}), late, 10 * SECOND_NS
    )
