from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.endpointslice.slice_group import SliceGroup

if TYPE_CHECKING:
    from kubestage.aliases import Json

_MOST = 4
_PODS = st.integers(min_value=0, max_value=20)
# Which pods are there after each round, and how they are.
_ROUNDS = st.lists(st.dictionaries(_PODS, st.booleans(), max_size=15), max_size=8)


def _endpoint(number: int, ready: bool) -> Json:
    return {
        "addresses": [f"10.0.0.{number}"],
        "conditions": {"ready": ready},
        "targetRef": {"kind": "Pod", "namespace": "default", "name": f"p{number}"},
    }


def _apply(group: SliceGroup, changed: set[str] | None, serial: int) -> int:
    plan = group.plan(changed, _MOST)
    for name in plan.deletes:
        group.settle(name, None)
    for name, endpoints in plan.updates.items():
        group.settle(name, {"endpoints": endpoints})
    for endpoints in plan.creates:
        serial += 1
        group.settle(f"s{serial}", {"endpoints": endpoints})
    return serial


def _contents(group: SliceGroup) -> list[Json]:
    return [endpoint for slice_ in group.slices.values() for endpoint in slice_["endpoints"]]


@given(_ROUNDS)
def test_slices_hold_what_is_desired_once_and_none_is_too_full_or_empty(
    rounds: list[dict[int, bool]],
) -> None:
    group, serial = SliceGroup("IPv4", ()), 0
    for wanted in rounds:
        new = {f"default/p{number}": _endpoint(number, ready) for number, ready in wanted.items()}
        changed = {
            key
            for key in {*new, *group.desired}
            if new.get(key) != group.desired.get(key) or (key in new) != (key in group.desired)
        }
        group.desired = dict(new)
        serial = _apply(group, changed, serial)
        held = _contents(group)
        assert sorted(held, key=str) == sorted(new.values(), key=str)
        assert all(0 < len(each["endpoints"]) <= _MOST for each in group.slices.values())


@given(_ROUNDS)
def test_looking_at_all_after_looking_at_what_changed_finds_nothing_to_do(
    rounds: list[dict[int, bool]],
) -> None:
    group, serial = SliceGroup("IPv4", ()), 0
    for wanted in rounds:
        before = dict(group.desired)
        group.desired = {
            f"default/p{number}": _endpoint(number, ready) for number, ready in wanted.items()
        }
        serial = _apply(group, {*before, *group.desired}, serial)
        plan = group.plan(None, _MOST)
        assert (plan.updates, plan.creates, plan.deletes) == ({}, [], [])


def test_new_endpoints_go_where_they_fill_a_slice_best() -> None:
    group = SliceGroup("IPv4", ())
    for name, first, count in (("few", 0, 1), ("more", 10, 2), ("full", 20, 4)):
        endpoints = [_endpoint(first + each, ready=True) for each in range(count)]
        group.settle(name, {"endpoints": endpoints})
        group.desired |= {f"default/p{first + each}": endpoints[each] for each in range(count)}
    group.desired["default/p1"] = _endpoint(1, ready=True)
    plan = group.plan({"default/p1"}, _MOST)
    assert list(plan.updates) == ["more"]
    assert not plan.creates


def test_a_pod_with_another_address_is_another_endpoint() -> None:
    group = SliceGroup("IPv4", ())
    group.settle("s", {"endpoints": [_endpoint(1, ready=True), _endpoint(2, ready=True)]})
    moved = {**_endpoint(1, ready=True), "addresses": ["10.9.9.9"]}
    group.desired = {"default/p1": moved, "default/p2": _endpoint(2, ready=True)}
    plan = group.plan({"default/p1"}, _MOST)
    assert plan.updates == {"s": [_endpoint(2, ready=True), moved]}
