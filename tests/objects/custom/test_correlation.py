from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.custom import correlation, nodes
from tests.objects.custom.samples import COUNT, FREE, TEXT, array, mapping, struct, updated

KEYED = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "n"]}
ITEM = struct(["name", "n"], name=TEXT, n=COUNT, v=TEXT)


@pytest.mark.parametrize(
    ("new", "old", "equal"),
    [
        ({"a": [1]}, {"a": [1]}, True), (True, 1, False), (1, 1.0, False), ({}, [], False),
        ([1, 2], [2, 1], False), ({"a": 1}, {"b": 1}, False), (None, None, True), ("", None, False),
    ],
)  # fmt: skip
def test_values_are_the_same_if_their_types_are_too(new: Any, old: Any, equal: bool) -> None:
    assert correlation.same(new, old) is equal


def test_a_list_that_is_a_map_may_change_its_order() -> None:
    schema = struct(l=array(ITEM, maxItems=1, **KEYED), other=TEXT)
    one, two = {"name": "a", "n": 1, "v": "x"}, {"name": "a", "n": 2}
    assert updated(schema, {"l": [two, one], "other": "b"}, {"l": [one, two]}) == []
    changed = {**two, "v": "y"}
    assert updated(schema, {"l": [changed, one]}, {"l": [one, two]}) == [
        "spec.l: Too many: 2: must have at most 1 item"
    ]


def test_an_element_without_its_keys_is_nobodys_successor() -> None:
    assert correlation.map_key({"name": "a"}, ["name", "n"]) is None
    assert correlation.map_key({"name": "a", "n": [1]}, ["name", "n"]) is None
    assert correlation.map_key("a", ["name"]) is None


@pytest.mark.parametrize(
    ("schema", "new", "old", "unchanged"),
    [
        (mapping(TEXT), {"k": "v"}, {"k": "v"}, True),
        (mapping(TEXT), {"k": "v", "l": "w"}, {"k": "v"}, False),
        (FREE, {"k": "v"}, {"k": "v"}, False),
        (array(TEXT), ["a"], ["a"], True),
        (array(TEXT), ["a"], ["b"], False),
        (TEXT, None, None, True),
        (TEXT, None, "a", False),
    ],
)
def test_what_did_not_change_is_known_by_the_schema(
    schema: dict[str, Any], new: Any, old: Any, unchanged: bool
) -> None:
    assert correlation.Correlated(new, old, nodes.Node(schema)).is_unchanged is unchanged
