"""Patches that grow, nest or go on without end."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import nesting, patches, schema
from kubestage.objects.patches import PatchError, PatchType, ordering

MANY = 20_000


def json_patch(document: Any, *operations: Any) -> Any:
    return patches.apply(PatchType.JSON, document, list(operations))


def strategic(pod: Any, patch: Any) -> Any:
    return patches.apply(PatchType.STRATEGIC, pod, patch, schema.kind_struct("v1", "Pod"))


def test_copies_of_copies_come_to_three_megabytes_at_most() -> None:
    document = {"a": {"x": "x" * 1000}}
    operations = [{"op": "copy", "from": "/a", "path": f"/a/{number}"} for number in range(40)]
    with pytest.raises(PatchError, match="accumulated size increase"):
        json_patch(document, *operations)
    assert len(json_patch(document, *operations[:8])["a"]) == 9


def test_what_a_patch_adds_may_not_nest_too_deep() -> None:
    value: Any = {}
    for _ in range(nesting.DEEPEST - 2):
        value = {"a": value}
    assert json_patch({}, {"op": "add", "path": "/x", "value": value}) == {"x": value}
    for operation in ("add", "replace"):
        with pytest.raises(PatchError, match=nesting.TOO_DEEP):
            json_patch({"x": {}}, {"op": operation, "path": "/x/y", "value": value})
    with pytest.raises(PatchError, match=nesting.TOO_DEEP):
        json_patch({"x": {}, "y": value}, {"op": "copy", "from": "/y", "path": "/x/y"})


def test_a_path_of_any_length_leads_nowhere() -> None:
    with pytest.raises(PatchError, match="missing path"):
        json_patch({"a": {}}, {"op": "remove", "path": "/a" * 100_000})


def test_a_long_list_is_merged_element_by_element() -> None:
    old = [{"name": f"c{number}", "image": "a"} for number in range(MANY)]
    patch = [{"name": f"c{number}", "image": "b"} for number in range(MANY // 2, 2 * MANY)]
    merged = strategic({"spec": {"containers": old}}, {"spec": {"containers": patch}})
    images = {each["name"]: each["image"] for each in merged["spec"]["containers"]}
    assert len(images) == 2 * MANY
    assert (images["c0"], images[f"c{MANY}"]) == ("a", "b")


def test_many_deletions_of_many_elements() -> None:
    old = [{"name": f"c{number}", "image": "a"} for number in range(MANY)]
    patch = [{"name": f"c{number}", "$patch": "delete"} for number in range(1, MANY)]
    merged = strategic({"spec": {"containers": old}}, {"spec": {"containers": patch}})
    assert merged == {"spec": {"containers": [{"name": "c0", "image": "a"}]}}


def test_an_element_whose_merge_key_is_null_loses_its_place() -> None:
    old = [{"name": None, "image": "a"}]
    patch = [{"name": None, "image": "b"}, {"name": None, "image": "c"}]
    with pytest.raises(PatchError, match="does not contain declared merge key: name"):
        strategic({"spec": {"containers": old}}, {"spec": {"containers": patch}})


def test_a_long_list_of_scalars_has_each_once() -> None:
    scalars = [*map(str, range(MANY)), *map(str, range(MANY))]
    assert ordering.without_duplicates(scalars) == scalars[:MANY]


def test_the_last_scalar_fills_the_place_of_a_dropped_one() -> None:
    assert ordering.without_duplicates(["a", "b", "a", "c", "d"]) == ["a", "b", "d", "c"]
    assert ordering.without_duplicates([1, True, 1.0, 1, True]) == [1, True, 1.0]


def test_what_is_not_listed_goes_to_the_front_and_others_keep_their_order() -> None:
    names = ["x", "c", "y", "a", "b"]
    elements = [{"name": name} for name in names]
    order = [{"name": name} for name in "abc"]
    arranged = ordering.arrange(elements, order, "name", of_objects=True)
    assert [each["name"] for each in arranged] == ["a", "b", "y", "c", "x"]


def test_an_element_that_is_no_object_is_met_only_on_the_way() -> None:
    places = ordering.Places([{"name": "a"}, 5, {"name": "b"}], "name")
    assert places.find("a") == 0
    for missing in ("b", "z"):
        with pytest.raises(PatchError, match="value for key 1 is not a map"):
            places.find(missing)
