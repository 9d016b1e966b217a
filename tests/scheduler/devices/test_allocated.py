"""Which devices are in use, as claims come, change and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.devices.allocated import Allocated
from kubestage.scheduler.devices.slices import DeviceId, PoolId
from tests.scheduler.devices import machines

if TYPE_CHECKING:
    from kubestage.aliases import Json

GPU = DeviceId(machines.DRIVER, "n0", "gpu-0")
POOL = PoolId(machines.DRIVER, "n0")


def holding(*results: Json, name: str = "old") -> Json:
    return machines.claim(name, status={"allocation": machines.allocation(*results)})


def test_a_device_is_owned_while_a_claim_has_it() -> None:
    allocated = Allocated()
    allocated.refresh([holding(machines.result("gpu-0"))], {})
    assert allocated.is_owned(GPU)
    assert allocated.owned_in(POOL) == frozenset({"gpu-0"})
    allocated.refresh([machines.claim("old")], {})
    assert not allocated.is_in_use(GPU)
    assert allocated.owned_in(POOL) == frozenset()


def test_admin_access_owns_nothing() -> None:
    allocated = Allocated()
    allocated.refresh([holding(machines.result("gpu-0", adminAccess=True))], {})
    assert not allocated.is_in_use(GPU)


def test_shares_add_up_and_own_nothing() -> None:
    share: Json = {"shareID": "one", "consumedCapacity": {"memory": "1Gi"}}
    claims = [holding(machines.result("gpu-0", **share), name=name) for name in ("a", "b")]
    allocated = Allocated()
    allocated.refresh(claims, {})
    assert allocated.is_in_use(GPU)
    assert not allocated.is_owned(GPU)
    assert str(allocated.capacity[GPU]["memory"]) == "2Gi"
    assert allocated.owned_in(POOL) is None
    allocated.refresh(claims[:1], {})
    assert str(allocated.capacity[GPU]["memory"]) == "1Gi"
    allocated.refresh([], {})
    assert allocated.capacity == {}
    assert allocated.owned_in(POOL) == frozenset()


def test_a_share_may_take_no_capacity() -> None:
    allocated = Allocated()
    allocated.refresh([holding(machines.result("gpu-0", shareID="one"))], {})
    assert allocated.is_in_use(GPU)
    assert allocated.capacity == {}


def test_an_allocation_on_its_way_counts_until_the_claim_has_its_own() -> None:
    waiting = machines.claim("old")
    uid = waiting["metadata"]["uid"]
    allocated = Allocated()
    allocated.refresh([waiting], {uid: holding(machines.result("gpu-0"))})
    assert allocated.is_owned(GPU)
    allocated.refresh([holding(machines.result("gpu-1"))], {uid: holding(machines.result("gpu-0"))})
    assert allocated.owned_in(POOL) == frozenset({"gpu-1"})
    allocated.refresh([], {"made-up": holding(machines.result("gpu-0"))})
    assert allocated.owned_in(POOL) == frozenset({"gpu-0"})
