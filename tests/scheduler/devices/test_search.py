"""The search finds the first right choice of devices, as trying all of them does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.objects.views import node as node_views
from kubestage.scheduler.devices.allocated import Allocated, allocation_of
from kubestage.scheduler.devices.attempts import DeviceAttempt
from kubestage.scheduler.devices.pools import Inventory
from tests.reference import dynamic_resources as reference
from tests.scheduler.devices import machines, worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json

UNBOUNDED = 1 << 62


def attempt_of(
    claims: list[Json],
    slices: list[Json],
    old: list[Json] | None = None,
    classes: list[Json] | None = None,
    budget: int = UNBOUNDED,
) -> DeviceAttempt:
    """An attempt in a world of these objects."""
    inventory, allocated = Inventory(), Allocated()
    inventory.refresh(slices)
    allocated.refresh(old or [], {})
    named = {each["metadata"]["name"]: each for each in classes or worlds.CLASSES}
    return DeviceAttempt(claims, named.get, inventory, allocated, budget)


def taken(attempt: DeviceAttempt, node: Json) -> list[list[tuple[str, ...]]] | str:
    """The devices of each claim on a node, or what stands in the way."""
    view = node_views.of(node)
    find = attempt.find(view)
    if find.solution is None:
        if find.is_error:
            return "error"
        return find.problem or "cannot allocate all claims"
    return [
        [
            (each["request"], each["driver"], each["pool"], each["device"])
            for each in allocation["devices"]["results"]
        ]
        for allocation in attempt.allocations(view, None, find.solution)
    ]


@settings(max_examples=300)
@given(st.data())
def test_the_choice_is_the_first_right_one(data: st.DataObject) -> None:
    nodes = machines.nodes(3)
    slices = data.draw(worlds.slices(len(nodes)))
    claims = data.draw(worlds.claims())
    old = data.draw(worlds.allocated(slices))
    results = [each for claim in old for each in (allocation_of(claim) or {})["devices"]["results"]]
    classes = {each["metadata"]["name"]: each for each in worlds.CLASSES}
    cluster = reference.Cluster(slices, classes, results, worlds.matches)
    attempt = attempt_of(claims, slices, old)
    for node in nodes:
        expected = reference.allocate(cluster, claims, node)
        if not isinstance(expected, str):
            expected_devices = [
                [_told(choice) for choice in expected if choice.claim == at]
                for at in range(len(claims))
            ]
            assert taken(attempt, node) == expected_devices
        else:
            assert taken(attempt, node) == expected


def _told(choice: reference.Choice) -> tuple[str, ...]:
    name = f"{choice.request}/{choice.alternative}" if choice.alternative else choice.request
    return (name, *choice.name)


def on_n0(*claims: Json, slices: list[Json], old: list[Json] | None = None) -> Any:
    """What node n0 can give."""
    return taken(attempt_of(list(claims), slices, old), machines.nodes(1)[0])


def problem_on_n0(*claims: Json, slices: list[Json], budget: int = UNBOUNDED) -> str:
    """The error that stops the attempt on node n0."""
    find = attempt_of(list(claims), slices, budget=budget).find(node_views.of(machines.nodes(1)[0]))
    assert find.is_error
    return find.problem


def names(found: Any) -> list[list[str]]:
    """Just the devices."""
    return [[each[-1] for each in claim] for claim in found]


def test_all_means_every_device_that_fits_and_at_least_one() -> None:
    offered = [*machines.devices(3), machines.device("nic", {"model": "a"})]
    slices = [machines.resource_slice("s", offered, node="n0")]
    model_a = f'device.attributes["{machines.DRIVER}"].?model.orValue("") == "a"'
    everything = machines.claim("c", machines.request("r0", None))
    assert names(on_n0(everything, slices=slices)) == [["gpu-0", "gpu-1", "gpu-2", "nic"]]
    some = machines.claim("c", machines.request("r0", None, "gpu", model_a))
    assert names(on_n0(some, slices=slices)) == [["nic"]]
    none = machines.claim("c", machines.request("r0", None, "nic"))
    assert on_n0(none, slices=slices) == "cannot allocate all claims"


def test_all_fails_where_one_of_the_devices_is_taken() -> None:
    slices = [machines.resource_slice("s", machines.devices(2), node="n0")]
    old = machines.claim(
        "old", status={"allocation": machines.allocation(machines.result("gpu-1"))}
    )
    everything = machines.claim("c", machines.request("r0", None))
    assert on_n0(everything, slices=slices, old=[old]) == "cannot allocate all claims"


def test_admin_access_sees_devices_that_others_have() -> None:
    slices = [machines.resource_slice("s", machines.devices(1), node="n0")]
    old = machines.claim(
        "old", status={"allocation": machines.allocation(machines.result("gpu-0"))}
    )
    admin = machines.claim("c", machines.request("r0", adminAccess=True))
    assert names(on_n0(admin, slices=slices, old=[old])) == [["gpu-0"]]
    twice = machines.claim(
        "c", machines.request("r0", adminAccess=True), machines.request("r1", adminAccess=True)
    )
    assert on_n0(twice, slices=slices) == "cannot allocate all claims"


def test_what_admin_access_was_given_is_free_for_others() -> None:
    slices = [machines.resource_slice("s", machines.devices(1), node="n0")]
    given = machines.allocation(machines.result("gpu-0", adminAccess=True))
    old = machines.claim("old", status={"allocation": given})
    assert names(on_n0(machines.claim("c"), slices=slices, old=[old])) == [["gpu-0"]]


def test_the_first_possible_alternative_is_taken() -> None:
    slices = [machines.resource_slice("s", machines.devices(2), node="n0")]
    wanted = machines.claim(
        "c",
        machines.first_of("r0", large=machines.wish(3), medium=machines.wish(2)),
    )
    assert [each[0] for each in on_n0(wanted, slices=slices)[0]] == ["r0/medium"] * 2


def test_an_earlier_request_gives_way_if_a_later_one_needs_it() -> None:
    offered = [machines.device("x", {"model": "a"}), machines.device("y", {"model": "b"})]
    slices = [machines.resource_slice("s", offered, node="n0")]
    model_a = f'device.attributes["{machines.DRIVER}"].model == "a"'
    wanted = machines.claim("c", machines.request("r0"), machines.request("r1", 1, "gpu", model_a))
    assert names(on_n0(wanted, slices=slices)) == [["y", "x"]]


def test_an_alternative_with_fewer_devices_keeps_a_claim_within_its_limit() -> None:
    slices = [machines.resource_slice("s", machines.devices(40), node="n0")]
    wanted = machines.claim(
        "c",
        machines.first_of("r0", many=machines.wish(20), few=machines.wish(10)),
        machines.first_of("r1", many=machines.wish(20), few=machines.wish(15)),
    )
    found = on_n0(wanted, slices=slices)[0]
    assert {each[0] for each in found} == {"r0/few", "r1/many"}
    assert len(found) == 30


def test_a_claim_for_more_devices_than_it_can_have_is_an_error() -> None:
    slices = [machines.resource_slice("s", machines.devices(40), node="n0")]
    wanted = machines.claim("c", machines.request("r0", 33))
    assert problem_on_n0(wanted, slices=slices) == (
        "claim default/c: number of requested devices 33 exceeds the claim limit of 32"
    )


def test_a_constraint_that_all_devices_cannot_satisfy_is_an_error() -> None:
    offered = [machines.device("x", {"model": "a"}), machines.device("y", {"model": "b"})]
    slices = [machines.resource_slice("s", offered, node="n0")]
    same = {"matchAttribute": f"{machines.DRIVER}/model"}
    wanted = machines.claim("c", machines.request("r0", None), constraints=[same])
    assert problem_on_n0(wanted, slices=slices) == (
        "claim default/c, request r0: cannot add device gpu.example.com/n0/y "
        "because a claim constraint would not be satisfied"
    )


def test_claims_that_cannot_be_read_are_errors() -> None:
    slices = [machines.resource_slice("s", machines.devices(1), node="n0")]
    cases = {
        "claim default/c, constraint #0: empty constraint (unsupported constraint type?)": (
            machines.claim("c", constraints=[{}])
        ),
        "claim default/c, request r0: could not retrieve device class gone: "
        'deviceclass.resource.k8s.io "gone" not found': (
            machines.claim("c", machines.request("r0", 1, "gone"))
        ),
        "claim default/c, request r0: missing device class name (unsupported request type?)": (
            machines.claim("c", machines.request("r0", 1, ""))
        ),
        "claim default/c, request r0: unsupported count mode Half": (
            machines.claim(
                "c", {"name": "r0", "exactly": machines.wish(1) | {"allocationMode": "Half"}}
            )
        ),
        "claim default/c, request r0, selector #0: CEL expression empty "
        "(unsupported selector type?)": (
            machines.claim("c", {"name": "r0", "exactly": machines.wish(1) | {"selectors": [{}]}})
        ),
        "claim default/c: selector #0: CEL runtime error: no such key: speed": (
            machines.claim(
                "c",
                machines.request(
                    "r0", 1, "gpu", f'device.attributes["{machines.DRIVER}"].speed > 1'
                ),
            )
        ),
    }
    assert {problem_on_n0(claim, slices=slices) for claim in cases.values()} == set(cases)


def test_a_selector_of_a_class_that_fails_names_the_class() -> None:
    slices = [machines.resource_slice("s", machines.devices(1), node="n0")]
    broken = machines.device_class("gpu", "device.driver ==")
    attempt = attempt_of([machines.claim("c")], slices, classes=[broken])
    problem = attempt.find(node_views.of(machines.nodes(1)[0])).problem
    assert problem.startswith(
        "class gpu: selector #0: CEL compile error: compilation failed: ERROR"
    )


def test_a_search_that_takes_too_long_is_stopped() -> None:
    slices = [machines.resource_slice("s", machines.devices(10), node="n0")]
    same = {"matchAttribute": f"{machines.DRIVER}/model"}
    wanted = machines.claim("c", machines.request("r0", 5))
    assert names(on_n0(wanted, slices=slices))
    hopeless = machines.claim("c", *wanted["spec"]["devices"]["requests"], constraints=[same])
    assert on_n0(hopeless, slices=slices) == "cannot allocate all claims"
    assert problem_on_n0(
        machines.claim("c", machines.request("r0", 11)), slices=slices, budget=50
    ) == ("node n0: timed out trying to allocate devices")


def test_nodes_with_devices_of_one_kind_are_asked_once_and_answer_for_themselves() -> None:
    slices = [
        machines.resource_slice(f"s{number}", machines.devices(2), node=f"n{number}")
        for number in range(3)
    ]
    old = machines.claim(
        "old", status={"allocation": machines.allocation(machines.result("gpu-0", "n1"))}
    )
    attempt = attempt_of([machines.claim("c")], slices, [old])
    found = [taken(attempt, node) for node in machines.nodes(3)]
    assert [each[0][0][2:] for each in found if not isinstance(each, str)] == [
        ("n0", "gpu-0"),
        ("n1", "gpu-1"),
        ("n2", "gpu-0"),
    ]
    first, _, third = [attempt.find(node_views.of(node)).solution for node in machines.nodes(3)]
    assert first is third


@pytest.mark.parametrize(
    ("toleration", "is_tolerated"),
    [
        ({"key": "worn", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "worn", "operator": "Equal", "value": "much"}, True),
        ({"key": "worn", "value": "much", "effect": "NoExecute"}, True),
        ({"key": "worn", "operator": "Equal", "value": "little"}, False),
        ({"key": "torn", "operator": "Exists"}, False),
        ({"key": "worn", "operator": "Exists", "effect": "NoSchedule"}, False),
        ({"key": "worn", "operator": "Like", "value": "much"}, False),
    ],
)
def test_a_taint_keeps_requests_away_that_do_not_tolerate_it(
    toleration: Json, is_tolerated: bool
) -> None:
    taints = [{"key": "worn", "value": "much", "effect": "NoExecute"}]
    slices = [machines.resource_slice("s", machines.devices(1, taints=taints), node="n0")]
    wanted = machines.claim("c", machines.request("r0", tolerations=[toleration]))
    found = on_n0(wanted, slices=slices)
    assert found == ([[("r0", machines.DRIVER, "n0", "gpu-0")]] if is_tolerated else
                     "cannot allocate all claims")  # fmt: skip


def test_a_taint_without_consequences_keeps_nobody_away() -> None:
    taints = [{"key": "worn", "effect": "None"}]
    slices = [machines.resource_slice("s", machines.devices(1, taints=taints), node="n0")]
    assert names(on_n0(machines.claim("c"), slices=slices)) == [["gpu-0"]]


def test_all_devices_must_still_have_room_when_their_turn_comes() -> None:
    offered = machines.devices(1, capacity={"memory": "4"}, allowMultipleAllocations=True)
    slices = [machines.resource_slice("s", offered, node="n0")]
    half, most = ({"requests": {"memory": amount}} for amount in ("2", "3"))
    fits = [
        machines.request("r0", None, capacity=half),
        machines.request("r1", None, capacity=half),
    ]
    assert names(on_n0(machines.claim("c", *fits), slices=slices)) == [["gpu-0", "gpu-0"]]
    lacks = [fits[0], machines.request("r1", None, capacity=most)]
    same = {"matchAttribute": f"{machines.DRIVER}/model"}
    assert on_n0(machines.claim("c", *lacks), slices=slices) == "cannot allocate all claims"
    modelled = [{**offered[0], "attributes": {"model": {"string": "a"}}}]
    slices = [machines.resource_slice("s", modelled, node="n0")]
    constrained = machines.claim("c", *lacks, constraints=[same])
    assert on_n0(constrained, slices=slices) == "cannot allocate all claims"


def test_a_device_with_a_malformed_node_selector_stops_the_search() -> None:
    near = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Near"}]}]}
    offered = [
        machines.device("x", nodeName="n0"),
        machines.device("y", nodeSelector=near),
    ]
    slices = [machines.resource_slice("s", offered, perDeviceNodeSelection=True)]
    wanted = machines.claim("c", machines.request("r0", 2))
    assert problem_on_n0(wanted, slices=slices).startswith("failed to parse node selector: ")
