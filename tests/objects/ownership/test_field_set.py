"""Sets of fields against sets of paths, which are slow and plain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.ownership import api_types, field_set

if TYPE_CHECKING:
    from kubestage.objects.ownership.field_set import FieldSet, Path

ELEMENTS = ["f:a", "f:b", "f:.", 'k:{"name":"x"}', 'v:"x"', "v:1", "v:true", "i:0", "i:10"]
PATHS = st.frozensets(st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=4).map(tuple))


def made(paths: frozenset[Path]) -> FieldSet:
    return field_set.of_paths(*paths)


def members(fields: FieldSet) -> set[Path]:
    found = list(field_set.paths(fields))
    assert len(found) == len(set(found))
    return set(found)


@given(PATHS)
def test_a_set_has_just_its_paths(paths: frozenset[Path]) -> None:
    assert members(made(paths)) == paths
    assert all(field_set.has(made(paths), path) for path in paths)


@given(PATHS, PATHS)
def test_union_intersection_and_difference_are_those_of_paths(
    one: frozenset[Path], other: frozenset[Path]
) -> None:
    left, right = made(one), made(other)
    assert members(field_set.union(left, right)) == one | other
    assert members(field_set.intersection(left, right)) == one & other
    assert members(field_set.difference(left, right)) == one - other


@given(PATHS, PATHS)
def test_recursive_difference_takes_what_lies_below(
    one: frozenset[Path], other: frozenset[Path]
) -> None:
    left = {path for path in one if not any(path[: len(up)] == up for up in other)}
    assert members(field_set.recursive_difference(made(one), made(other))) == left


@given(PATHS, PATHS)
def test_what_loses_nothing_is_the_same_set(one: frozenset[Path], other: frozenset[Path]) -> None:
    fields = made(one)
    assert (field_set.difference(fields, made(other)) is fields) == (not one & other)


@given(PATHS)
def test_operations_leave_no_empty_branch(paths: frozenset[Path]) -> None:
    fields = made(paths)
    assert field_set.difference(fields, fields) == {}
    assert field_set.recursive_difference(fields, fields) == {}


@given(PATHS)
def test_fields_v1_is_read_as_it_was_written(paths: frozenset[Path]) -> None:
    written = field_set.in_order(made(paths))
    assert field_set.decode(written) == made(paths)
    assert members(field_set.decode(written)) == paths


def test_elements_are_written_in_the_server_s_order() -> None:
    fields = field_set.of_paths(
        ("i:10",), ("i:9",), ('v:"b"',), ("v:true",), ("v:10",), ("v:9",), ('k:{"b":1}',),
        ('k:{"a":"x"}', "f:z"), ('k:{"a":10}',), ('k:{"a":9}',), ("f:b",), ("f:a", "f:c"), ("f:a",),
    )  # fmt: skip
    written = field_set.in_order(fields)
    assert list(written) == [
        "f:a", "f:b", 'k:{"a":9}', 'k:{"a":10}', 'k:{"a":"x"}', 'k:{"b":1}', "v:9", "v:10",
        'v:"b"', "v:true", "i:9", "i:10",
    ]  # fmt: skip
    assert list(written["f:a"]) == [".", "f:c"]


def test_what_a_client_wrote_gets_the_canonical_form() -> None:
    written: FieldSet = {'k:{"b": 1.0, "a": "x"}': {}, "z:unknown": {}, "f:a": {".": {}}}
    assert field_set.decode(written) == {'k:{"a":"x","b":1}': {}, "f:a": {}}


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ([], "a set of fields must be an object"),
        ({"f": {}}, "key must be 2 characters long"),
        ({"fa": {}}, "missing colon"),
        ({"i:x": {}}, "invalid index 'x'"),
        ({"k:[]": {}}, "a key must be an object"),
        ({"k:{": {}}, "truncated"),
    ],
)
def test_what_is_no_set_is_refused(written: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        field_set.decode(written)


def test_declared_fields_on_the_way_become_members_and_keys_of_maps_do_not() -> None:
    fields = field_set.of_paths(
        ("f:metadata", "f:labels", "f:app", "f:x"),
        ("f:spec", "f:containers", 'k:{"name":"c"}', "f:image"),
    )
    pod = api_types.of_struct("core/v1.Pod")
    added = {("f:metadata",), ("f:metadata", "f:labels"), ("f:spec",), ("f:spec", "f:containers")}
    assert members(field_set.with_named_fields(fields, pod)) == members(fields) | added
