from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.custom import defaulting, nodes, pruning
from tests.objects.custom.samples import COUNT, FREE, TEXT, array, mapping, struct

META = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "odd": 1}}


def pruned(schema: dict[str, Any], value: Any) -> tuple[Any, list[str]]:
    copied = copy.deepcopy(value)
    gone = pruning.prune(copied, nodes.Node(schema))
    return copied, gone


@pytest.mark.parametrize(
    ("schema", "value", "left", "gone"),
    [
        (struct(a=TEXT), {"a": "1", "b": 2}, {"a": "1"}, ["b"]),
        (struct(a=struct(b=TEXT)), {"a": {"c": 1, "b": "x"}}, {"a": {"b": "x"}}, ["a.c"]),
        (struct(a=FREE), {"a": {"c": {"d": 1}}}, {"a": {"c": {"d": 1}}}, []),
        (
            struct(a={**FREE, "properties": {"k": struct(x=TEXT)}}),
            {"a": {"k": {"x": "", "y": 1}, "z": {"y": 1}}},
            {"a": {"k": {"x": ""}, "z": {"y": 1}}},
            ["a.k.y"],
        ),
        (
            struct(a=array(struct(x=TEXT))),
            {"a": [{"x": ""}, {"y": 1}]},
            {"a": [{"x": ""}, {}]},
            ["a[1].y"],
        ),
        (
            struct(m=mapping(struct(x=TEXT))),
            {"m": {"k": {"x": "", "y": 1}}},
            {"m": {"k": {"x": ""}}},
            ["m.k.y"],
        ),
        (
            {"type": "object", "additionalProperties": True},
            {"k": {"y": 1}, "l": [{"z": 1}], "m": 1},
            {"k": {}, "l": [{}], "m": 1},
            ["k.y", "l[0].z"],
        ),
        (struct(s=TEXT), {"s": {"odd": [1]}}, {"s": {}}, ["s.odd"]),
    ],
)
def test_what_the_schema_does_not_have_goes(
    schema: dict[str, Any], value: Any, left: Any, gone: list[str]
) -> None:
    assert pruned(schema, value) == (left, gone)


def test_type_and_metadata_of_a_resource_stay_whatever_the_schema_says() -> None:
    value = {**META, "more": 1}
    gone = pruning.prune(value, nodes.root(struct()))
    assert (value, gone) == (META, ["more"])


def test_embedded_resources_keep_theirs_too() -> None:
    schema = struct(r={"x-kubernetes-embedded-resource": True, **struct(spec=TEXT)})
    left, gone = pruned(schema, {"r": {**META, "spec": "", "other": 1}})
    assert (left, gone) == ({"r": {**META, "spec": ""}}, ["r.other"])


def test_elements_of_a_list_that_keeps_unknown_fields_are_pruned_where_they_are_known() -> None:
    schema = struct(a={**array(struct(k=struct(x=TEXT))), nodes.PRESERVE: True})
    left, gone = pruned(schema, {"a": [{"odd": 1, "k": {"x": "", "y": 1}}]})
    assert (left, gone) == ({"a": [{"odd": 1, "k": {"x": ""}}]}, ["a[0].k.y"])


def test_a_null_goes_unless_it_is_allowed_or_has_a_default() -> None:
    schema = struct(a=TEXT, b={**TEXT, "nullable": True}, c={**TEXT, "default": "x"}, d=FREE)
    value = {"a": None, "b": None, "c": None, "d": {"any": None}}
    pruning.drop_nulls(value, nodes.Node(schema))
    assert value == {"b": None, "c": None, "d": {"any": None}}


def test_nulls_are_found_in_lists_and_maps() -> None:
    schema = struct(l=array(struct(a=TEXT)), m=mapping(TEXT))
    value = {"l": [{"a": None}, None], "m": {"k": None}}
    pruning.drop_nulls(value, nodes.Node(schema))
    assert value == {"l": [{}, None], "m": {}}


def test_whole_numbers_become_integers() -> None:
    value: dict[str, Any] = {"a": 1.0, "l": [2.0, 2.5, {"b": -3.0}], "big": 1e20}
    pruning.settle_numbers(value)
    assert value == {"a": 1, "l": [2, 2.5, {"b": -3}], "big": 1e20}
    assert [type(value["a"]), type(value["l"][0]), type(value["big"])] == [int, int, float]


NAMES = st.sampled_from(["a", "b", "c", "metadata", "kind"])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text("xy", max_size=2)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(NAMES, inner, max_size=3)
    return st.one_of(
        st.builds(lambda found, keep: {**struct(**found), nodes.PRESERVE: keep}, fields, KEEP),
        inner.map(mapping),
        inner.map(array),
        st.just({"type": "object", "additionalProperties": True}),
    )


KEEP = st.booleans()
LEAVES = st.sampled_from(
    [
        TEXT,
        COUNT,
        FREE,
        {**TEXT, "nullable": True},
        {**TEXT, "default": "d"},
        {**COUNT, "default": 1},
    ]
)
SCHEMAS = st.recursive(LEAVES, _schemas, max_leaves=8)


@given(SCHEMAS, st.dictionaries(NAMES, VALUES, max_size=4))
def test_pruning_twice_prunes_nothing_more(schema: Any, value: Any) -> None:
    node = nodes.Node(schema)
    pruning.prune(value, node)
    once = copy.deepcopy(value)
    assert pruning.prune(value, node) == []
    assert value == once


@given(SCHEMAS, st.dictionaries(NAMES, VALUES, max_size=4))
def test_reading_twice_changes_nothing_more(schema: Any, value: Any) -> None:
    node = nodes.Node(schema)
    _read(value, node)
    once = copy.deepcopy(value)
    _read(value, node)
    assert value == once


def _read(value: Any, node: nodes.Node) -> None:
    pruning.prune(value, node)
    pruning.drop_nulls(value, node)
    defaulting.default(value, node)
