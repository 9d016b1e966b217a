from __future__ import annotations

from typing import Any

import pytest

from kubestage.replay import comparison


@pytest.mark.parametrize(
    ("wanted", "given", "paths"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2, "b": 3}, ["a", "b"]),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ["a/1/b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": {"<varies>": [1, 2]}}, {"a": 2}, []),
        ({"a": {"<varies>": [1, 2]}}, {"a": 3}, ["a"]),
        ({"a": {"<varies>": [1, None]}}, {}, []),
        ({"a": {"<varies>": [{"b": 1}, {"b": 2}]}}, {"a": {"b": 2}}, []),
    ],
)
def test_every_field_counts(wanted: Any, given: Any, paths: list[str]) -> None:
    assert [path for path, _, _ in comparison.differences(wanted, given)] == paths


def test_random_names_stand_for_one_another() -> None:
    wanted = {"Pod": {"a-<r1>": {"phase": "Running"}, "a-<r2>": {"phase": "Failed"}}}
    given = {"Pod": [("a-<r*>", {"phase": "Failed"}), ("a-<r*>", {"phase": "Running"})]}
    assert list(comparison.compare_state(wanted, given)) == []


def test_an_object_too_many_or_too_few_is_a_difference() -> None:
    wanted = {"Pod": {"a-<r1>": {"n": 1}, "b": {"n": 2}}}
    given = {"Pod": [("b", {"n": 2})], "Job": [("j", {"n": 3})]}
    assert list(comparison.compare_state(wanted, given)) == [
        ("Job/j", None, {"n": 3}),
        ("Pod/a-<r1>", {"n": 1}, None),
    ]


def test_the_order_of_finalizers_and_endpoints_means_nothing() -> None:
    def endpoint(name: str) -> dict[str, Any]:
        return {"targetRef": {"name": name}, "conditions": None, "hostname": None, "nodeName": "n"}

    wanted: dict[str, Any] = {
        "EndpointSlice": {"s": {"endpoints": [endpoint("b"), endpoint("a")]}},
        "ConfigMap": {"c": {"finalizers": ["b", "a"]}},
    }
    given: dict[str, Any] = {
        "EndpointSlice": [("s", {"endpoints": [endpoint("a"), endpoint("b")]})],
        "ConfigMap": [("c", {"finalizers": ["a", "b"]})],
    }
    assert list(comparison.compare_state(wanted, given)) == []
