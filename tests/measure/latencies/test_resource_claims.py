"""ResourceClaimAllocationLatency times claims from creation to allocation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kubestage.measure.latencies.resource_claims import ResourceClaimAllocationLatency
from kubestage.objects import timestamps
from tests.measure.fake_cluster import UNIX_NS, FakeCluster
from tests.measure.making import Asked, make, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json


def at(second: int) -> str:
    return timestamps.format_time(UNIX_NS + second * 10**9)


def claim(name: str, created: int, pod_name: str = "", **status: Any) -> Json:
    meta: Json = {"name": name, "namespace": "ns", "creationTimestamp": at(created)}
    if pod_name:
        meta["ownerReferences"] = [{"kind": "Pod", "name": pod_name}]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": meta,
        "status": status,
    }


def user(name: str, created: int) -> Json:
    made = pod(name, creationTimestamp=at(created))
    claims = [{"name": "c", "resourceClaimTemplateName": "t"}]
    return {**made, "spec": {**made["spec"], "resourceClaims": claims}}


def started(cluster: FakeCluster, **raw: Any) -> ResourceClaimAllocationLatency:
    measurement = make(ResourceClaimAllocationLatency, cluster)
    assert isinstance(measurement, ResourceClaimAllocationLatency)
    Asked(measurement, action="start", **raw)
    cluster.moments.run(1)
    return measurement


def test_claims_are_timed_until_their_allocation_is_heard_of() -> None:
    cluster = FakeCluster()
    cluster.put(claim("before", 0, allocation={}))
    measurement = started(cluster)
    cluster.put(user("p", 1))
    cluster.moments.run(2)
    cluster.put(claim("a", 3, "p"))
    cluster.moments.run(2.5)
    cluster.put(claim("a", 3, "p", reservedFor=[{"name": "p"}]))
    cluster.moments.run(1)
    outcome = Asked(measurement, action="gather").outcome
    (summary,) = outcome.summaries
    assert summary.name == "ResourceClaimAllocationLatency_it"
    items = json.loads(summary.content)["dataItems"]
    assert [(item["labels"]["Metric"], item["data"], item["unit"]) for item in items] == [
        ("claim_allocation", {"Perc50": 2500, "Perc90": 2500, "Perc99": 2500}, "ms"),
        ("pod_create_to_claim_create", {"Perc50": 2000, "Perc90": 2000, "Perc99": 2000}, "ms"),
        ("PodGetCalls", {"Count": 0}, "count"),
    ]
    assert outcome.errors == ()
    assert [verdict.samples for verdict in outcome.verdicts] == [1, 1, 1]


def test_a_pod_that_was_not_heard_of_is_asked_for_once() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.answers["get", "Pod"] = user("p", 0)
    for name in "ab":
        cluster.put(claim(name, 1, "p"))
    cluster.moments.run(1)
    outcome = Asked(measurement, action="gather").outcome
    items = json.loads(outcome.summaries[0].content)["dataItems"]
    assert items[2]["data"] == {"Count": 1}
    assert outcome.latencies[1].objects == ["ns/a", "ns/b"]
    assert [call.name for call in cluster.calls] == ["p"]


def test_a_slow_allocation_is_an_error_that_names_the_claim() -> None:
    cluster = FakeCluster()
    measurement = started(cluster, threshold="2s", perc50Threshold="10s")
    cluster.put(claim("a", 1))
    cluster.moments.run(3)
    cluster.put(claim("a", 1, devices=[{}]))
    cluster.moments.run()
    outcome = Asked(measurement, action="gather").outcome
    said = "too high latency 90th percentile: got 3s expected: 2s"
    assert outcome.errors == (f"claim allocation: {said}; slowest: ns/a (3s)",)
    assert [verdict.passed for verdict in outcome.verdicts] == [True, False, False]


def test_without_claims_the_verdicts_are_empty() -> None:
    outcome = Asked(started(FakeCluster()), action="gather").outcome
    assert all(verdict.is_empty for verdict in outcome.verdicts)


def test_one_that_was_not_started_cannot_gather() -> None:
    asked = Asked(make(ResourceClaimAllocationLatency, FakeCluster()), action="gather")
    said = "measurement ResourceClaimAllocationLatency has not been started"
    assert asked.outcome.errors == (said,)
