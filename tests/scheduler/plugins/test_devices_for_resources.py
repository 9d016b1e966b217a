"""DynamicResources: extended resources that devices stand behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.scheduler.status import SUCCESS, error, unschedulable
from tests.scheduler.devices import machines
from tests.scheduler.plugins import clusters
from tests.scheduler.plugins.device_stages import CANNOT_ALLOCATE, Stage, gpus, pod, stage

if TYPE_CHECKING:
    from kubestage.aliases import Json

GPU = "example.com/gpu"
BACKED = machines.device_class("backed", extendedResourceName=GPU)
MADE = "incoming-extended-resources-x7k2p"


def extended(*objects: Json) -> Stage:
    """A pod that requests an extended resource; n0 has devices, n1 counts the resource itself."""
    nodes = [
        clusters.node("n0"),
        clusters.node("n1", allocatable={"cpu": "4", "pods": "10", GPU: "2"}),
        clusters.node("n2"),
    ]
    return stage(BACKED, gpus(), pod(requests={GPU: "1"}), *objects, nodes=nodes)


def test_devices_stand_in_where_a_node_does_not_count_the_resource() -> None:
    there = extended()
    assert there.filter() == {"n0": "", "n1": "", "n2": CANNOT_ALLOCATE}
    assert there.scores() == ([0, 0, 0], [0, 0, 0])


def test_a_resource_that_nobody_provides_fits_nowhere() -> None:
    there = extended(pod(name="both", requests={GPU: "1", "example.com/nic": "1"}))
    assert there.filter("both") == dict.fromkeys(["n0", "n1", "n2"], "cannot fit resource")


def test_a_claim_is_made_for_the_devices_and_the_pod_told() -> None:
    there = extended()
    there.schedule()
    claim = there.cluster.claim(MADE)
    exactly = {"deviceClassName": "backed", "allocationMode": "ExactCount", "count": 1}
    assert claim["spec"]["devices"]["requests"] == [
        {"name": "container-0-request-0", "exactly": exactly}
    ]
    (result,) = claim["status"]["allocation"]["devices"]["results"]
    assert result == machines.result("gpu-0", request="container-0-request-0")
    mapping = {
        "containerName": "main",
        "resourceName": GPU,
        "requestName": "container-0-request-0",
    }
    assert there.pod().raw["status"]["extendedResourceClaimStatus"] == {
        "requestMappings": [mapping],
        "resourceClaimName": MADE,
    }


def test_no_claim_is_made_where_the_node_counts_the_resource() -> None:
    there = extended()
    there.schedule("n1")
    assert there.cluster.list(machines.API, "ResourceClaim") == []
    there.plugin.unreserve(there.state, there.pod(), "n1")
    assert there.cluster.gone == []


def test_what_was_made_up_for_a_pod_is_given_up_with_it() -> None:
    there = extended(pod(name="other", requests={GPU: "1"}))
    there.filter()
    assert there.plugin.reserve(there.state, there.pod(), "n0") == SUCCESS
    first = there.state
    assert there.filter("other") == {"n0": CANNOT_ALLOCATE, "n1": "", "n2": CANNOT_ALLOCATE}
    there.plugin.unreserve(first, there.pod(), "n0")
    there.schedule(name="other")
    there.plugin.unreserve(there.state, there.pod("other"), "n0")
    assert there.cluster.gone == ["other-extended-resources-x7k2p"]


def test_a_claim_that_an_earlier_attempt_left_is_removed_first() -> None:
    there = extended()
    there.schedule()
    stale = "cannot schedule extended resource claim"
    assert there.filter() == dict.fromkeys(["n0", "n1", "n2"], stale)
    assert there.post_filter() == unschedulable("deletion of ResourceClaim completed")
    assert there.cluster.gone == [MADE]
    assert there.cluster.claim(MADE)["metadata"]["finalizers"] == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "incoming-extended-resources-",
            "create claim for extended resources default/: incoming-extended-resources- is locked",
        ),
        (
            "incoming",
            "update pod default/incoming ExtendedResourceClaimStatus: incoming is locked",
        ),
    ],
)
def test_making_a_claim_may_be_refused(name: str, told: str) -> None:
    there = extended()
    there.filter()
    there.cluster.refused = {name}
    assert there.bind() == error(told)


def test_removing_a_claim_may_be_refused() -> None:
    there = extended()
    there.schedule()
    there.filter()
    there.cluster.refused = {f"-{MADE}"}
    assert there.post_filter() == error(f"-{MADE} is locked")


def test_claims_and_extended_resources_are_allocated_together() -> None:
    there = stage(
        BACKED, gpus("n0", 2), gpus("n1", 1), machines.claim(), pod("claim", requests={GPU: "1"}),
    )  # fmt: skip
    assert there.filter() == {"n0": "", "n1": CANNOT_ALLOCATE}
    assert there.bind() == SUCCESS
    taken = [
        each["device"]
        for claim in there.cluster.list(machines.API, "ResourceClaim")
        for each in claim["status"]["allocation"]["devices"]["results"]
    ]
    assert sorted(taken) == ["gpu-0", "gpu-1"]


def test_a_claim_without_requests_beside_other_claims_cannot_be_told_to_the_pod() -> None:
    nodes = [clusters.node("n0", allocatable={"cpu": "4", "pods": "10", GPU: "2"})]
    there = stage(BACKED, gpus(), machines.claim(), pod("claim", requests={GPU: "1"}), nodes=nodes)
    assert there.filter() == {"n0": ""}
    assert there.bind() == error(
        "nil or empty request mappings, no update of pod default/incoming "
        "ExtendedResourceClaimStatus"
    )
