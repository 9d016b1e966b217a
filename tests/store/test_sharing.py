from __future__ import annotations

import copy
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from kubestage.stage import Stage
from kubestage.store.sharing import SharedParts, same, share
from kubestage.testing import make_deployment

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=12,
)


@given(JSON, JSON)
def test_sharing_changes_neither_meaning_nor_inputs(new: Any, old: Any) -> None:
    new_before, old_before = copy.deepcopy(new), copy.deepcopy(old)
    assert same(share(new, old), new_before)
    assert same(new, new_before)
    assert same(old, old_before)


@given(JSON)
def test_an_equal_value_is_the_old_one_itself(value: Any) -> None:
    assert share(copy.deepcopy(value), value) is value


def test_equal_parts_are_the_old_parts() -> None:
    old: dict[str, Any] = {
        "spec": {"a": [1, 2]},
        "status": {"x": {"deep": [1]}, "y": 1},
        "list": [{"k": 1}],
    }
    new = copy.deepcopy(old)
    new["status"]["y"] = 2
    new["list"].append({"k": 2})
    shared = share(new, old)
    assert shared["spec"] is old["spec"]
    assert shared["status"]["x"] is old["status"]["x"]
    assert shared["list"][0] is old["list"][0]
    assert shared["list"] == [{"k": 1}, {"k": 2}]


def test_true_is_not_one() -> None:
    assert share({"a": True}, {"a": 1})["a"] is True
    assert not same(1, 1.0)


@given(st.lists(JSON, max_size=6))
def test_shared_parts_mean_what_they_meant_in_the_order_in_which_they_had_it(
    values: list[Any],
) -> None:
    parts = SharedParts(most=3)
    for value in values:
        before = copy.deepcopy(value)
        assert msgspec.json.encode(parts.of(value)) == msgspec.json.encode(before)
        assert same(value, before)


def test_parts_of_different_objects_are_one() -> None:
    parts = SharedParts()
    one = parts.of({"a": {"x": [1, {"y": 2}]}, "b": {"z": 1}})
    other = parts.of({"a": {"x": [1, {"y": 2}]}, "b": {"z": True}})
    assert other["a"] is one["a"]
    assert other["b"] is not one["b"]
    assert parts.of({"c": [{"y": 2}]})["c"][0] is one["a"]["x"][1]


def test_a_deployment_and_its_replica_set_have_one_template() -> None:
    stage = Stage()
    stage.add_controllers()
    stage.apply([make_deployment("web"), make_deployment("api")])
    stage.run("1s")
    deployments = stage.store.read(("apps/v1", "Deployment"))
    made = stage.store.read(("apps/v1", "ReplicaSet")).values()
    web = deployments["default/web"]["spec"]["template"]["spec"]
    found = [
        each["spec"]["template"]["spec"]
        for each in made
        if each["metadata"]["labels"].items()
        >= deployments["default/web"]["spec"]["selector"]["matchLabels"].items()
    ]
    assert len(found) == 1
    assert found[0] is web
