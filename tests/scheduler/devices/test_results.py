"""What is written into a claim: devices, configurations, and where they can be used."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.views import node as node_views
from kubestage.scheduler.devices.failures import AllocationError
from tests.scheduler.devices import machines
from tests.scheduler.devices.test_search import attempt_of

if TYPE_CHECKING:
    from kubestage.aliases import Json


def allocations(
    claims: list[Json], slices: list[Json], classes: list[Json] | None = None
) -> list[Json]:
    """What claims are given on node n0."""
    attempt = attempt_of(claims, slices, classes=classes)
    view = node_views.of(machines.nodes(1)[0])
    find = attempt.find(view)
    assert find.solution is not None
    return attempt.allocations(view, None, find.solution)


def selector_of(*offered: Json, **spec: Any) -> Any:
    """The node selector of an allocation of all devices of a slice."""
    claim = machines.claim("c", machines.request("r0", None))
    (given,) = allocations([claim], [machines.resource_slice("s", list(offered), **spec)])
    return given.get("nodeSelector")


def within(**labels: str) -> Json:
    """A selector of nodes by labels."""
    needed = [{"key": key, "operator": "In", "values": [value]} for key, value in labels.items()]
    return {"nodeSelectorTerms": [{"matchExpressions": needed}]}


ONLY_N0 = {
    "nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n0"]}]}
    ]
}


def test_a_result_names_the_device_and_what_the_request_said() -> None:
    ready = {"bindingConditions": ["Ready"], "bindingFailureConditions": ["Broken"]}
    tolerations = [{"key": "worn", "operator": "Exists"}]
    claim = machines.claim("c", machines.request("r0", adminAccess=True, tolerations=tolerations))
    slices = [machines.resource_slice("s", machines.devices(1, **ready), node="n0")]
    assert allocations([claim], slices) == [
        {
            "devices": {
                "results": [
                    {
                        **machines.result("gpu-0"),
                        **ready,
                        "adminAccess": True,
                        "tolerations": tolerations,
                    }
                ]
            },
            "nodeSelector": ONLY_N0,
        }
    ]


def test_a_share_has_an_id_of_its_own_and_says_what_it_takes() -> None:
    offered = machines.devices(1, capacity={"memory": "4Gi"}, allowMultipleAllocations=True)
    slices = [machines.resource_slice("s", offered, node="n0")]
    one = machines.request("r0", capacity={"requests": {"memory": "1Gi"}})
    two = machines.request("r1", capacity={"requests": {"memory": "2Gi"}})
    claim = machines.claim("c", one, two)
    (given,) = allocations([claim], slices)
    shares = given["devices"]["results"]
    assert [each["consumedCapacity"] for each in shares] == [{"memory": "1Gi"}, {"memory": "2Gi"}]
    ids = {each["shareID"] for each in shares}
    assert len(ids) == 2
    assert all(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", each) for each in ids)
    assert allocations([claim], slices) == [given]


def test_devices_are_usable_where_their_slices_are() -> None:
    gpu = machines.device("gpu-0")
    assert selector_of(gpu, node="n0") == ONLY_N0
    assert selector_of(gpu, allNodes=True) is None
    assert selector_of(gpu, nodeSelector=within(zone="a")) == within(zone="a")
    assert selector_of(machines.device("gpu-0", bindsToNode=True), allNodes=True) == ONLY_N0


def test_devices_that_choose_their_nodes_add_up_their_demands() -> None:
    found = selector_of(
        machines.device("x", nodeSelector=within(zone="a")),
        machines.device("y", allNodes=True),
        machines.device("z", nodeSelector=within(zone="a")),
        perDeviceNodeSelection=True,
    )
    assert found == within(zone="a")
    assert selector_of(machines.device("x", nodeName="n0"), perDeviceNodeSelection=True) == ONLY_N0


def test_a_slice_cannot_offer_nodes_in_two_ways() -> None:
    two = {"nodeSelectorTerms": within(zone="a")["nodeSelectorTerms"] * 2}
    with pytest.raises(AllocationError) as refusal:
        selector_of(machines.device("gpu-0"), nodeSelector=two)
    assert str(refusal.value) == (
        "create NodeSelector for claim c: unsupported ResourceSlice.NodeSelector with 2 terms"
    )


def test_configurations_of_classes_come_once_and_then_those_of_the_claim() -> None:
    def opaque(name: str) -> Json:
        return {"opaque": {"driver": machines.DRIVER, "parameters": {"name": name}}}

    classes = [
        machines.device_class("gpu", config=[opaque("gpu")]),
        machines.device_class("any", "true", config=[opaque("any-1"), opaque("any-2")]),
    ]
    claim = machines.claim(
        "c",
        machines.request("r0"),
        machines.first_of("r1", big=machines.wish(9), small=machines.wish(1, "any")),
        machines.request("r2"),
        config=[
            opaque("all"),
            {"requests": ["r0", "r2"], **opaque("two")},
            {"requests": ["r1/small"], **opaque("small")},
            {"requests": ["r1/big"], **opaque("big")},
        ],
    )
    slices = [machines.resource_slice("s", machines.devices(3), node="n0")]
    (given,) = allocations([claim], slices, classes)
    assert given["devices"]["config"] == [
        {"source": "FromClass", "requests": ["r0", "r2"], **opaque("gpu")},
        {"source": "FromClass", "requests": ["r1/small"], **opaque("any-1")},
        {"source": "FromClass", "requests": ["r1/small"], **opaque("any-2")},
        {"source": "FromClaim", **opaque("all")},
        {"source": "FromClaim", "requests": ["r0", "r2"], **opaque("two")},
        {"source": "FromClaim", "requests": ["r0", "r2"], **opaque("two")},
        {"source": "FromClaim", "requests": ["r1/small"], **opaque("small")},
    ]
