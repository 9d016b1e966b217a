"""Strategic merge patch: each directive, and who may use it."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import patches, schema
from kubestage.objects.patches import PatchError, PatchType

POD = schema.kind_struct("v1", "Pod")


def _apply(original: dict[str, Any], patch: dict[str, Any]) -> Any:
    return patches.apply(PatchType.STRATEGIC, original, patch, POD)


def _pod(**spec: Any) -> dict[str, Any]:
    return {"spec": spec}


def _names(pod: dict[str, Any], field: str = "containers") -> list[str]:
    return [element["name"] for element in pod["spec"][field]]


ABC = _pod(containers=[{"name": "a", "image": "1"}, {"name": "b"}, {"name": "c"}])


def test_elements_merge_by_key_and_new_ones_come_first() -> None:
    patched = _apply(ABC, _pod(containers=[{"name": "d"}, {"name": "a", "image": "2"}]))
    assert patched["spec"]["containers"][:2] == [{"name": "d"}, {"name": "a", "image": "2"}]
    assert _names(patched) == ["d", "a", "b", "c"]


def test_a_delete_directive_removes_its_element() -> None:
    patched = _apply(ABC, _pod(containers=[{"name": "b", "$patch": "delete"}]))
    assert _names(patched) == ["a", "c"]


def test_a_replace_directive_in_a_list_drops_what_was_there() -> None:
    patched = _apply(ABC, _pod(containers=[{"$patch": "replace"}, {"name": "z"}]))
    assert _names(patched) == ["z"]


def test_a_replace_directive_in_an_object_drops_what_was_there() -> None:
    original = {"metadata": {"labels": {"a": "1"}}}
    patched = _apply(original, {"metadata": {"labels": {"$patch": "replace", "b": "2"}}})
    assert patched == {"metadata": {"labels": {"b": "2"}}}


def test_element_order_is_set_and_strangers_keep_their_places() -> None:
    order = {"$setElementOrder/containers": [{"name": "c"}, {"name": "a"}]}
    assert _names(_apply(ABC, _pod(**order))) == ["b", "c", "a"]


def test_added_elements_take_the_places_of_deleted_ones() -> None:
    patch = _pod(
        **{
            "$setElementOrder/containers": [{"name": "d"}],
            "containers": [{"name": "d"}, {"name": "a", "$patch": "delete"}],
        }
    )
    assert _names(_apply(ABC, patch)) == ["b", "c", "d"]


def test_scalars_are_added_once_and_deleted_by_the_parallel_list() -> None:
    original = {"metadata": {"finalizers": ["x", "y"]}}
    added = _apply(original, {"metadata": {"finalizers": ["y", "z"]}})
    assert added["metadata"]["finalizers"] == ["x", "y", "z"]
    deleted = _apply(added, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x"]}})
    assert deleted["metadata"]["finalizers"] == ["y", "z"]


def test_retain_keys_clears_what_it_does_not_name() -> None:
    original = _pod(volumes=[{"name": "v", "emptyDir": {}}])
    element = {"name": "v", "hostPath": {"path": "/x"}, "$retainKeys": ["name", "hostPath"]}
    patched = _apply(original, _pod(volumes=[element]))
    assert patched["spec"]["volumes"] == [{"name": "v", "hostPath": {"path": "/x"}}]


def test_lists_without_merge_strategy_are_replaced() -> None:
    original = _pod(tolerations=[{"key": "a"}])
    assert _apply(original, _pod(tolerations=[{"key": "b"}])) == _pod(tolerations=[{"key": "b"}])


def test_untouched_subtrees_are_shared() -> None:
    original = {**ABC, "metadata": {"labels": {"a": "1"}}}
    patched = _apply(original, {"metadata": {"labels": {"b": "2"}}})
    assert patched["spec"] is original["spec"]
    merged = _apply(ABC, _pod(containers=[{"name": "b", "image": "2"}]))
    assert merged["spec"]["containers"][2] is ABC["spec"]["containers"][2]


def test_field_names_are_found_whatever_their_case() -> None:
    original = _pod(Containers=[{"name": "a"}])
    assert len(_apply(original, _pod(Containers=[{"name": "b"}]))["spec"]["Containers"]) == 2


@pytest.mark.parametrize(
    ("original", "patch", "text"),
    [
        (_pod(containers=[[1]]), _pod(containers=[[2]]), "lists of lists are not supported"),
        (ABC, _pod(containers=[{"name": "a", "$patch": "merge"}]),
         "merging lists cannot yet be specified in the patch"),
        (ABC, _pod(containers=[{"name": "a", "$patch": 1}]),
         "unknown patch type: %!s(int64=1) in map: map[$patch:1 name:a]"),
        (ABC, _pod(containers=[{"$patch": "delete"}]),
         "map: map[$patch:delete] does not contain declared merge key: name"),
        (ABC, _pod(**{"$setElementOrder": []}), "invalid patch format of setElementOrder list"),
        (ABC, _pod(**{"$deleteFromPrimitiveList": []}), "invalid patch format of primitive list"),
        (ABC, _pod(**{"$setElementOrder/containers": [], "containers": 5}),
         "expected a []interface {}, but received a int64"),
        (ABC, _pod(**{"$setElementOrder/containers": None}),
         "expected a []interface {}, but received a %!s(<nil>)"),
        (_pod(hostAliases={"a": {"b": {}}}), _pod(hostAliases={"a": {"b": {}}}),
         "merging an object in json but data type is not struct, instead is: slice"),
        (_pod(restartPolicy=[1]), _pod(restartPolicy=[1]),
         "expected slice or array type, but got: struct"),
        ({"metadata": {"finalizers": ["a"]}},
         {"metadata": {"$setElementOrder/finalizers": [{}]}},
         "runtime error: hash of unhashable type map[string]interface {}"),
    ],
)  # fmt: skip
def test_a_bad_patch_is_refused_with_upstream_s_words(
    original: dict[str, Any], patch: dict[str, Any], text: str
) -> None:
    with pytest.raises(PatchError) as caught:
        _apply(original, patch)
    assert str(caught.value) == text


def test_a_custom_resource_cannot_take_a_strategic_patch() -> None:
    with pytest.raises(PatchError, match=r"^strategic merge patch format is not supported$"):
        patches.apply(PatchType.STRATEGIC, {}, {}, None)
