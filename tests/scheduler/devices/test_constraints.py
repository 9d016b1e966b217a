"""What devices of one claim must have in common, or must not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.scheduler.devices import machines
from tests.scheduler.devices.test_search import names, on_n0

if TYPE_CHECKING:
    from kubestage.aliases import Json

MODEL = f"{machines.DRIVER}/model"


def chosen(constraint: Json, *offered: Json, requests: int = 2) -> Any:
    """The devices of a claim with a constraint, one for each request."""
    wanted = [machines.request(f"r{number}") for number in range(requests)]
    claim = machines.claim("c", *wanted, constraints=[constraint])
    found = on_n0(claim, slices=[machines.resource_slice("s", list(offered), node="n0")])
    return found if isinstance(found, str) else names(found)[0]


@pytest.mark.parametrize(
    ("value", "other"),
    [("a", "b"), (1, 2), (True, False), ({"version": "1.0.0"}, {"version": "2.0.0"}), (1, "1")],
)
def test_values_match_if_they_are_of_one_kind_and_equal(value: Any, other: Any) -> None:
    offered = [
        machines.device("x", {"model": value}),
        machines.device("y", {"model": other}),
        machines.device("z", {"model": value}),
    ]
    assert chosen({"matchAttribute": MODEL}, *offered) == ["x", "z"]
    assert chosen({"distinctAttribute": MODEL}, *offered) == ["x", "y"]


def test_a_device_without_the_attribute_satisfies_nothing() -> None:
    offered = [machines.device("x"), machines.device("y", {"model": "a"})]
    assert chosen({"matchAttribute": MODEL}, *offered) == "cannot allocate all claims"
    assert chosen({"distinctAttribute": MODEL}, *offered, requests=1) == ["y"]
    assert chosen({"distinctAttribute": MODEL}, *offered) == "cannot allocate all claims"


def test_an_attribute_may_carry_its_domain_or_be_the_drivers_own() -> None:
    offered = [machines.device("x", {MODEL: "a"}), machines.device("y", {"model": "a"})]
    assert chosen({"matchAttribute": MODEL}, *offered) == ["x", "y"]
    foreign = {"matchAttribute": "other.example.com/model"}
    assert chosen(foreign, *offered) == "cannot allocate all claims"


def test_a_constraint_may_concern_some_requests_only() -> None:
    offered = [machines.device(name, {"model": name}) for name in "xyz"]
    some = {"matchAttribute": MODEL, "requests": ["r0"]}
    assert chosen(some, *offered) == ["x", "y"]


def test_a_constraint_may_concern_one_alternative_of_a_request() -> None:
    offered = [machines.device(name, {"model": name}) for name in "xy"]
    slices = [machines.resource_slice("s", offered, node="n0")]
    listed = machines.first_of("r1", one=machines.wish(1), other=machines.wish(1))
    for alternative, taken in (("r1/one", "r1/other"), ("r1/other", "r1/one")):
        constraint = {"matchAttribute": MODEL, "requests": ["r0", alternative]}
        claim = machines.claim("c", machines.request("r0"), listed, constraints=[constraint])
        assert on_n0(claim, slices=slices)[0][1][0] == taken


def test_a_device_that_fails_one_constraint_counts_for_none() -> None:
    offered = [
        machines.device("x", {"model": "a", "rack": "1"}),
        machines.device("y", {"model": "a", "rack": "1"}),
        machines.device("z", {"model": "a", "rack": "2"}),
    ]
    claim = machines.claim(
        "c",
        machines.request("r0"),
        machines.request("r1"),
        constraints=[
            {"matchAttribute": MODEL},
            {"distinctAttribute": f"{machines.DRIVER}/rack"},
        ],
    )
    found = on_n0(claim, slices=[machines.resource_slice("s", offered, node="n0")])
    assert names(found) == [["x", "z"]]
