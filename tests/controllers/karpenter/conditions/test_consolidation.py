from __future__ import annotations

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter.conditions import consolidation, status
from kubestage.objects import timestamps
from kubestage.units import HOUR_NS, MINUTE_NS, SECOND_NS
from tests.controllers.karpenter import objects

NOW_NS = objects.START_NS


def _pool(after: str) -> Json:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidateAfter"] = after
    return pool


def _claim(last_event_ns: int | None = None) -> Json:
    claim = status.without(objects.node_claim("a", objects.labels("m.4")), "Consolidatable")
    if last_event_ns is not None:
        claim["status"]["lastPodEventTime"] = timestamps.format_time(last_event_ns)
    return claim


@pytest.mark.parametrize(
    ("after", "last_event_ns", "expected"),
    [
        ("0s", None, True),
        ("0s", NOW_NS, True),
        ("2h", None, True),
        ("121m", None, False),
        ("30s", NOW_NS - 30 * SECOND_NS, True),
        ("30s", NOW_NS - 29 * SECOND_NS, False),
        ("Never", None, False),
    ],
)
def test_nothing_may_have_happened_for_long_enough(
    after: str, last_event_ns: int | None, expected: bool
) -> None:
    claim = consolidation.with_consolidatable(_pool(after), _claim(last_event_ns), NOW_NS)
    assert status.is_true(claim, "Consolidatable") is expected


def test_the_condition_goes_when_a_pod_comes_and_keeps_its_time_while_it_stays() -> None:
    pool = _pool("1m")
    first = consolidation.with_consolidatable(pool, _claim(), NOW_NS)
    later = consolidation.with_consolidatable(pool, first, NOW_NS + MINUTE_NS)
    assert later is first
    assert status.since_ns(later, "Consolidatable") == NOW_NS
    later["status"]["lastPodEventTime"] = timestamps.format_time(NOW_NS + MINUTE_NS)
    after_event = consolidation.with_consolidatable(pool, later, NOW_NS + MINUTE_NS)
    assert status.find(after_event, "Consolidatable") is None
    assert consolidation.consolidatable_ns(pool, after_event) == NOW_NS + 2 * MINUTE_NS


def test_a_node_that_is_not_initialized_is_not_consolidatable() -> None:
    claim = status.without(_claim(), "Initialized")
    assert consolidation.consolidatable_ns(_pool("0s"), claim) is None
    assert not consolidation.is_under_consolidate_after(_pool("1h"), claim, NOW_NS)


def test_pods_are_kept_from_nodes_that_changed_lately() -> None:
    claim = _claim(NOW_NS - HOUR_NS)
    assert consolidation.is_under_consolidate_after(_pool("2h"), claim, NOW_NS)
    assert not consolidation.is_under_consolidate_after(_pool("1h"), claim, NOW_NS)
    assert not consolidation.is_under_consolidate_after(_pool("0s"), claim, NOW_NS)
    assert not consolidation.is_under_consolidate_after(None, claim, NOW_NS)
