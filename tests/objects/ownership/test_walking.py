"""Comparing, collecting, merging, removing and checking, by the shape of a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.ownership import (
    api_types,
    checking,
    collecting,
    comparing,
    field_set,
    merging,
    topology,
    values,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = api_types.of_struct("core/v1.Pod")
SERVICE = api_types.of_struct("core/v1.Service")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
NO_LISTS = "not supported: associative list with lists as elements"
NO_BOOLEAN = "expected boolean, got &{1}"
OBJECTS = st.dictionaries(st.sampled_from("abc"), JSON)


def pod(*containers: Json, **spec: Any) -> Json:
    return {"spec": {"containers": list(containers), **spec}}


def test_what_is_new_is_owned_with_all_its_parts() -> None:
    found = comparing.compare(POD, pod(), pod({"name": "c", "image": "x"}, nodeSelector={"a": "b"}))
    assert found.added == {
        "f:spec": {
            "f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}}},
            "f:nodeSelector": {},
        }
    }
    assert not found.removed
    assert not found.modified


def test_what_changes_is_told_from_what_goes() -> None:
    before = pod({"name": "c", "image": "x", "env": [{"name": "A", "value": "1"}]})
    after = pod({"name": "c", "image": "y"})
    removed, modified, added = comparing.compare(POD, before, after)
    at = 'k:{"name":"c"}'
    env: Json = {".": {}, 'k:{"name":"A"}': {".": {}, "f:name": {}, "f:value": {}}}
    assert removed == {"f:spec": {"f:containers": {at: {"f:env": env}}}}
    assert modified == {"f:spec": {"f:containers": {at: {"f:image": {}}}}}
    assert not added


def test_repeated_items_count_as_one_piece() -> None:
    once, twice = {"name": "c", "image": "x"}, {"name": "c", "image": "y"}
    at = 'k:{"name":"c"}'
    found = comparing.compare(POD, pod(once), pod(once, twice))
    assert found.added == {"f:spec": {"f:containers": {at: {}}}}
    assert set(field_set.paths(found.removed["f:spec"]["f:containers"][at])) == {
        ("f:image",),
        ("f:name",),
    }
    found = comparing.compare(POD, pod(once, twice), pod(once, once))
    assert found.modified == {"f:spec": {"f:containers": {at: {}}}}


def test_true_is_not_one_but_one_is_one() -> None:
    atom = topology.DEDUCED
    assert comparing.compare(atom, {"a": 1}, {"a": True}).modified == {"f:a": {}}
    assert comparing.compare(atom, {"a": [1]}, {"a": [True]}).modified == {"f:a": {}}
    assert not any(comparing.compare(atom, {"a": 1}, {"a": 1.0}))


@given(OBJECTS, OBJECTS)
def test_comparisons_are_each_other_s_mirror(one: Json, other: Json) -> None:
    there = comparing.compare(topology.DEDUCED, one, other)
    back = comparing.compare(topology.DEDUCED, other, one)
    assert there.removed == back.added
    assert there.modified == back.modified
    assert not any(comparing.compare(topology.DEDUCED, one, one))


@given(OBJECTS, OBJECTS)
def test_what_is_applied_is_there_afterwards(live: Json, config: Json) -> None:
    merged = merging.merge(topology.DEDUCED, live, config)
    assert values.equal(merging.merge(topology.DEDUCED, merged, config), merged)
    assert merging.merge(topology.DEDUCED, live, {}) == live


@given(OBJECTS)
def test_removing_all_fields_leaves_nothing(obj: Json) -> None:
    fields = collecting.fields_of(topology.DEDUCED, obj)
    assert merging.remove(topology.DEDUCED, obj, fields) is None
    assert set(fields) == {f"f:{key}" for key in obj}


@pytest.mark.parametrize(
    ("live", "config", "merged"),
    [
        ("abc", "c", "abc"),
        ("abc", "ca", "bca"),
        ("abc", "xb", "axbc"),
        ("ab", "yx", "abyx"),
        ("abz", "axb", "axbz"),
        ("", "ba", "ba"),
    ],
)
def test_items_keep_the_configuration_s_order_and_others_their_place(
    live: str, config: str, merged: str
) -> None:
    found = merging.merge(POD, pod(*named(live)), pod(*named(config)))
    assert "".join(item["name"] for item in found["spec"]["containers"]) == merged


def named(letters: str) -> list[Json]:
    return [{"name": letter} for letter in letters]


def test_repeated_items_give_way_to_the_one_applied() -> None:
    live = pod({"name": "c", "image": "x"}, {"name": "c", "image": "y"})
    merged = merging.merge(POD, live, pod({"name": "c", "tty": True}))
    assert merged == pod({"name": "c", "tty": True})


def test_sets_maps_and_keys_with_defaults_are_collected() -> None:
    config = {
        "metadata": {"finalizers": ["a/b"], "labels": {}, "annotations": {"x": "y"}},
        "spec": {"ports": [{"port": 80}], "selector": {"a": "b"}, "externalIPs": None},
    }
    assert collecting.fields_of(SERVICE, config) == {
        "f:metadata": {
            "f:finalizers": {'v:"a/b"': {}},
            "f:labels": {},
            "f:annotations": {"f:x": {}},
        },
        "f:spec": {
            "f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}},
            "f:selector": {},
            "f:externalIPs": {},
        },
    }


@pytest.mark.parametrize(
    ("obj", "problem"),
    [
        ({"bogus": 1}, ".bogus: field not declared in schema"),
        (
            {"spec": {"priority": "x"}},
            ".spec.priority: expected numeric (int or float), got string",
        ),
        (
            {"spec": {"nodeName": 1}},
            ".spec.nodeName: expected string, got &value.valueUnstructured{Value:1}",
        ),
        ({"spec": {"hostPID": "y"}}, ".spec.hostPID: expected boolean, got &{y}"),
        ({"spec": []}, ".spec: expected map, got &{[]}"),
        ({"spec": {"containers": {}}}, ".spec.containers: expected list, got &{map[]}"),
        (
            pod({"name": "a"}, {"name": "a"}),
            '.spec.containers: duplicate entries for key [name="a"]',
        ),
        (
            {"spec": {"containers": [None]}},
            ".spec.containers: element 0: associative list with keys may not have a null element",
        ),
        (
            {"metadata": {"finalizers": [[]]}},
            f".metadata.finalizers: element 0: {NO_LISTS}",
        ),
        (
            {"spec": {"topologySpreadConstraints": [{}], "hostPID": 1}, "status": 2},
            f"errors:\n  .spec.hostPID: {NO_BOOLEAN}\n  .status: expected map, got &{{2}}",
        ),
    ],
)
def test_misfits_are_worded_as_the_merge_library_words_them(obj: Json, problem: str) -> None:
    assert checking.text(checking.check(POD, obj)) == problem
