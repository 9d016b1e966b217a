"""DynamicResources: devices are kept for a pod, written into its claims, or given up."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest

from kubestage.scheduler.status import SUCCESS, error, unresolvable, unschedulable
from kubestage.sim.clock import Clock
from tests.scheduler.devices import machines
from tests.scheduler.plugins.device_stages import (
    CANNOT_ALLOCATE,
    NOT_AVAILABLE,
    Stage,
    allocated,
    gpus,
    pod,
    stage,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json


def test_binding_writes_the_devices_and_who_uses_them() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    before = copy.deepcopy(there.cluster.claim())
    read = there.cluster.claim()
    there.schedule()
    claim = there.cluster.claim()
    assert claim["metadata"]["finalizers"] == ["resource.kubernetes.io/delete-protection"]
    assert claim["status"] == {
        "allocation": machines.allocation(machines.result("gpu-0"), node="n0"),
        "reservedFor": [{"resource": "pods", "name": "incoming", "uid": "incoming"}],
    }
    assert read == before


def test_with_a_clock_allocations_are_dated() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.handle.clock = Clock(epoch_ns=1_780_315_200_000_000_000)
    there.schedule()
    allocation = there.cluster.claim()["status"]["allocation"]
    assert allocation["allocationTimestamp"] == "2026-06-01T12:00:00Z"


def test_a_second_pod_joins_the_first_and_a_third_finds_no_device_left() -> None:
    there = stage(
        gpus(), machines.claim(), machines.claim("more"),
        pod("claim"), pod("claim", name="second"), pod("more", name="third"),
    )  # fmt: skip
    there.schedule()
    there.schedule(name="second")
    users = [each["name"] for each in there.cluster.claim()["status"]["reservedFor"]]
    assert users == ["incoming", "second"]
    assert there.filter("third") == {"n0": CANNOT_ALLOCATE, "n1": CANNOT_ALLOCATE}
    assert there.post_filter("third") == unschedulable("still not schedulable")


def test_devices_are_kept_from_reserve_until_they_are_written_or_given_up() -> None:
    there = stage(
        gpus(), machines.claim(), machines.claim("more"), pod("claim"), pod("more", name="b")
    )
    there.filter()
    first = there.state
    assert there.plugin.reserve(first, there.pod(), "n0") == SUCCESS
    assert there.filter("b") == {"n0": CANNOT_ALLOCATE, "n1": CANNOT_ALLOCATE}
    assert there.filter() == unresolvable(
        "resource claim default/claim is in the process of being allocated"
    )
    there.plugin.unreserve(first, there.pod(), "n0")
    assert there.filter("b") == {"n0": "", "n1": CANNOT_ALLOCATE}


def test_unreserving_takes_the_pod_off_its_claims_and_leaves_them_their_devices() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.schedule()
    there.plugin.unreserve(there.state, there.pod(), "n0")
    status = there.cluster.claim()["status"]
    assert "reservedFor" not in status
    assert status["allocation"]


def test_unreserving_stands_refusals_and_claims_that_are_gone() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.schedule()
    there.cluster.refused = {"claim"}
    there.plugin.unreserve(there.state, there.pod(), "n0")
    assert there.cluster.claim()["status"]["reservedFor"]


def test_a_node_without_devices_cannot_be_reserved() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.filter()
    assert there.bind("n1") == error("claim allocation not found for node")


def test_what_the_api_refuses_is_an_error() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.filter()
    there.cluster.refused = {"claim"}
    assert there.bind() == error("add finalizer to claim default/claim: claim is locked")
    assert isinstance(there.filter(), dict)


@pytest.mark.parametrize(
    ("meanwhile", "told"),
    [
        (allocated(), "claim default/claim got allocated elsewhere in the meantime"),
        (
            machines.claim("claim", metadata={"deletionTimestamp": "2026-06-01T00:00:00Z"}),
            "claim default/claim got deleted in the meantime",
        ),
    ],
)
def test_a_claim_may_change_before_it_is_written(meanwhile: Json, told: str) -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.filter()
    there.cluster.update(meanwhile)
    assert there.bind() == error(told)


def test_an_allocated_claim_may_lose_its_devices_before_the_pod_joins() -> None:
    there = stage(gpus(), allocated(), pod("claim"))
    there.filter()
    there.cluster.update(machines.claim())
    assert there.bind() == error("claim default/claim got deallocated elsewhere in the meantime")


def device_that_gets_ready() -> list[Json]:
    """A device that a driver must prepare, and a claim for it."""
    awaited = {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]}
    offered = machines.devices(1, **awaited)
    return [machines.resource_slice("s", offered, node="n0"), machines.claim(), pod("claim")]


def report(there: Stage, **conditions: str) -> None:
    """A driver's word on the device."""
    claim = there.cluster.claim()
    told = [
        {"type": name, "status": status, "reason": "R", "message": "M"}
        for name, status in conditions.items()
    ]
    device = {"driver": machines.DRIVER, "pool": "n0", "device": "gpu-0", "conditions": told}
    there.cluster.update({**claim, "status": {**claim["status"], "devices": [device]}})


def test_a_pod_is_not_bound_before_its_devices_are_ready() -> None:
    there = stage(*device_that_gets_ready())
    there.filter()
    status = there.bind()
    assert status.code.value == "Wait"
    assert there.cluster.events == [
        (
            "incoming Normal BindingConditionsPending Scheduling: "
            "waiting for binding conditions for device on node n0"
        )
    ]
    there.filter()
    report(there, Ready="True")
    assert there.bind() == SUCCESS


def test_a_device_that_fails_to_get_ready_is_given_up() -> None:
    there = stage(*device_that_gets_ready())
    there.filter()
    there.bind()
    report(there, Broken="True")
    there.filter()
    assert there.bind() == error('device binding failed: claim=claim, reason=R, message="M"')
    assert there.filter() == {"n0": NOT_AVAILABLE, "n1": NOT_AVAILABLE}
    assert there.post_filter() == unschedulable("deallocation of ResourceClaim completed")


def test_a_device_that_is_not_ready_in_time_is_given_up() -> None:
    there = stage(*device_that_gets_ready(), bindingTimeout="5s")
    there.handle.clock = clock = Clock()
    there.filter()
    there.bind()
    assert there.filter() == {"n0": "", "n1": NOT_AVAILABLE}
    clock.now_ns += 6_000_000_000
    assert there.bind() == error("device binding timeout: claim=claim")
    assert there.filter() == {"n0": NOT_AVAILABLE, "n1": NOT_AVAILABLE}


def test_the_plugin_pickles_with_what_is_on_its_way() -> None:
    there = stage(
        gpus(), machines.claim(), machines.claim("more"), pod("claim"), pod("more", name="b")
    )
    there.filter()
    there.plugin.reserve(there.state, there.pod(), "n0")
    there.plugin = pickle.loads(pickle.dumps(there.plugin))
    assert there.filter("b") == {"n0": CANNOT_ALLOCATE, "n1": CANNOT_ALLOCATE}


def test_a_claim_that_is_protected_already_is_not_protected_twice() -> None:
    protected = {"finalizers": ["resource.kubernetes.io/delete-protection"]}
    there = stage(gpus(), machines.claim("claim", metadata=protected), pod("claim"))
    there.schedule()
    assert there.cluster.claim()["metadata"]["finalizers"] == protected["finalizers"]


def test_a_claim_may_be_gone_before_it_is_written_and_before_it_is_given_up() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.filter()
    there.cluster.hidden = {"claim"}
    assert there.bind() == error(
        "get updated claim default/claim after conflict: "
        'resourceclaims.resource.k8s.io "claim" not found'
    )
    there.cluster.hidden = set()
    there.schedule()
    there.cluster.hidden = {"claim"}
    there.plugin.unreserve(there.state, there.pod(), "n0")
    there.cluster.hidden = set()
    assert there.cluster.claim()["status"]["reservedFor"]


def test_devices_that_cannot_be_told_where_they_are_cannot_be_reserved() -> None:
    zone = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
    twice = machines.resource_slice(
        "s", machines.devices(1), nodeSelector={"nodeSelectorTerms": [zone, zone]}
    )
    there = stage(twice, machines.claim(), pod("claim"))
    there.filter()
    assert there.bind() == error(
        "create NodeSelector for claim claim: unsupported ResourceSlice.NodeSelector with 2 terms"
    )
