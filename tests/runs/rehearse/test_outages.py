"""Nodes that fall silent, with answers that were computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.runs import rehearse
from kubestage.runs.rehearse import OutageOptions
from kubestage.testing import make_node
from tests.runs.rehearse.clusters import cluster, nodes, spread

if TYPE_CHECKING:
    from kubestage.runs.rehearse import Cluster

# A kubelet renews its Lease every ten seconds, and is missed fifty seconds after the last time.
_MISSED = (40, 50)
_TOLERATED = 300
_PULL_AND_START = 2


def test_pods_of_a_silent_node_are_replaced_after_their_toleration() -> None:
    result = rehearse.outage(cluster(*nodes(4), spread("web", 3)), "node/n1")
    (web,) = result.effects.workloads
    assert web.ready_lowest == 2
    assert web.ready_lowest_at_seconds is not None
    assert _MISSED[0] <= web.ready_lowest_at_seconds <= _MISSED[1]
    assert web.below_desired_seconds == _TOLERATED + _PULL_AND_START
    assert result.effects.recovery_seconds == web.windows[0][1]
    assert result.evicted == 1
    assert (result.missing.milli_cpu, result.total.milli_cpu) == (1000, 4000)


def test_a_short_outage_evicts_nobody() -> None:
    made = cluster(*nodes(4), spread("web", 3))
    result = rehearse.outage(made, "n1", OutageOptions(lasts="2m"))
    assert result.evicted == 0
    # All is well again at the moment at which the kubelet reports.
    assert result.effects.recovery_seconds == 120


def test_when_all_nodes_are_silent_nobody_is_evicted() -> None:
    made = cluster(*nodes(4), spread("web", 3))
    result = rehearse.outage(made, "all", OutageOptions(lasts="20m"))
    assert result.evicted == 0
    assert result.effects.workloads[0].ready_lowest == 0
    assert result.effects.recovery_seconds == pytest.approx(1200, abs=11)
    assert result.severity == "critical"


def test_a_zone_is_named_by_its_label() -> None:
    zones = [make_node(f"n{each}", cpu="1", zone="ab"[each % 2]) for each in range(4)]
    result = rehearse.outage(cluster(*zones, spread("web", 4)), "zone/b")
    assert result.nodes == ["n1", "n3"]
    assert result.subject == "zone b (2 nodes)"
    assert result.effects.workloads[0].ready_lowest == 2
    # There is room for none of them elsewhere until the zone is back.
    assert result.effects.pending_peak == 2
    assert result.effects.recovery_seconds is not None
    assert result.effects.recovery_seconds > 900


def _room_elsewhere(zone_b: int) -> Cluster:
    """Nodes of zone b with a pod each, and as many free ones in zone a."""
    made = cluster(*_zone("b", zone_b), spread("web", zone_b))
    for node in _zone("a", zone_b):
        made.stage.store.create(node)
    made.stage.run("2m")
    return made


def _zone(zone: str, count: int) -> list[dict[str, Any]]:
    return [make_node(f"{zone}{each}", cpu="1", zone=zone) for each in range(count)]


def test_nodes_of_a_dead_zone_are_tainted_one_every_ten_seconds() -> None:
    result = rehearse.outage(_room_elsewhere(3), "zone/b")
    (web,) = result.effects.workloads
    assert (web.ready_lowest, result.evicted, result.effects.pending_peak) == (0, 3, 0)
    # All are missed at a time. The third is tainted two turns after the first.
    assert web.below_desired_seconds == 2 * 10 + _TOLERATED + _PULL_AND_START
    assert (result.missing.milli_cpu, result.total.milli_cpu) == (3000, 6000)


def test_in_a_zone_that_is_partly_dead_nobody_is_evicted() -> None:
    # Three of four are more than 55 percent, and a zone of up to 50 nodes is small.
    made = _room_elsewhere(4)
    options = OutageOptions(lasts="20m")
    result = rehearse.outage(made, ["b0", "b1", "b2"], options)
    assert result.evicted == 0
    assert result.effects.workloads[0].ready_lowest == 1
    assert result.effects.recovery_seconds == 1200
    # Two are not enough for that.
    assert rehearse.outage(made, ["b0", "b1"], options).evicted == 2


def _traffic(**request: str) -> dict[str, Any]:
    """Ten requests a second."""
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "t", "namespace": "default"},
        "spec": {
            "target": {"kind": "Deployment", "name": "web"},
            "pattern": {"constant": {"rps": 10}},
            "request": {"cpu": "10ms", "io": "0s", "timeout": "1s", **request},
        },
    }


def test_requests_fail_from_the_first_moment_until_a_replica_is_ready_elsewhere() -> None:
    result = rehearse.outage(cluster(*nodes(2), spread("web", 1), _traffic()), "n1")
    (lost,) = result.effects.traffic
    (web,) = result.effects.workloads
    assert web.ready_lowest_at_seconds is not None
    # Without an answer until the node is missed, and then without a replica.
    without_answer = round(10 * web.ready_lowest_at_seconds)
    assert lost.failed == without_answer + 10 * (_TOLERATED + _PULL_AND_START)


@pytest.mark.parametrize("timeout", ["1s", "10s", "forever"])
def test_one_of_two_replicas_gives_no_answer_until_its_node_is_missed(timeout: str) -> None:
    made = cluster(*nodes(3), spread("web", 2), _traffic(timeout=timeout))
    result = rehearse.outage(made, "n1", OutageOptions(fail_if="failed>0.5%"))
    (lost,) = result.effects.traffic
    (web,) = result.effects.workloads
    assert web.ready_lowest_at_seconds is not None
    assert _MISSED[0] <= web.ready_lowest_at_seconds <= _MISSED[1]
    # Half of ten a second, and none after that.
    assert lost.failed == round(5 * web.ready_lowest_at_seconds)
    share = 100 * lost.failed / lost.requests
    text = f"{lost.failed} requests failed ({share:.2f}% of {lost.requests:,})"
    assert text in [finding.text for finding in result.findings]
    assert result.has_failed
    reasons = result.life.summary["traffic"][0]["failedByReason"]
    assert reasons["NoAnswer" if timeout == "forever" else "Timeout"] == lost.failed


def test_requests_are_lost_as_long_as_a_short_outage_lasts() -> None:
    made = cluster(*nodes(3), spread("web", 2), _traffic())
    result = rehearse.outage(made, "n1", OutageOptions(lasts="20s", fail_if="failed>100"))
    assert result.effects.traffic[0].failed == 5 * 20
    assert not result.has_failed


def test_what_was_before_the_rehearsal_is_not_in_its_record() -> None:
    made = cluster(*nodes(3), spread("web", 2), _traffic())
    result = rehearse.outage(made, "n1", OutageOptions(lasts="20s"))
    (lost,) = result.effects.traffic
    (short,) = result.life.summary["traffic"]
    assert (short["requests"], short["failed"]) == (lost.requests, lost.failed)
    rows = result.life.rows("requests")
    assert sum(row["arrived"] for row in rows) == lost.requests
    assert sum(row["failed"] for row in rows) == lost.failed
    assert min(row["atSeconds"] for row in rows) >= 0
    assert max(row["rps"] for row in rows) <= 12
    assert all(row["arrivedSeconds"] >= 0 for row in result.life.rows("responses"))
    assert min(row["atSeconds"] for row in result.life.rows("percentiles")) >= 0
    assert short["responseMs"]["p50"] == pytest.approx(short["responseMs"]["mean"], rel=0.1)


def test_an_outage_for_ever_leaves_its_pods_terminating() -> None:
    made = cluster(*nodes(4), spread("web", 3))
    result = rehearse.outage(made, "n1", OutageOptions(lasts="forever"))
    assert result.silent_seconds is None
    assert result.effects.workloads[0].ready_at_end == 3
    assert result.answer.startswith("Node n1 silent forever: the only workload went below desired")


def test_the_moment_is_marked() -> None:
    result = rehearse.outage(cluster(*nodes(2), spread("web", 1)), "n1")
    marks = [row for row in result.life.rows("marks") if row["mark"] == "action"]
    assert [(row["atSeconds"], row["text"]) for row in marks] == [
        (0, "falls silent"),
        (900, "is back"),
    ]
