"""What must hold for every patch, whatever the objects."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.objects import patches, schema
from kubestage.objects.patches import PatchError, PatchType, merge_patch

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

POD = schema.kind_struct("v1", "Pod")
NAMES = st.sampled_from(["a", "b", "c", "d"])
TEXTS = st.sampled_from(["1", "2", "x", ""])
SMALL_MAPS = st.dictionaries(NAMES, TEXTS, max_size=3)

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text("ab1$", max_size=3)
)
DIRECTIVES = st.sampled_from(
    ["$patch", "$retainKeys", "$setElementOrder/containers", "$deleteFromPrimitiveList/finalizers",
     "$setElementOrder/finalizers", "metadata", "spec", "containers", "name", "finalizers",
     "labels", "env", "volumes"]
)  # fmt: skip
JSON = st.recursive(
    SCALARS | st.sampled_from(["delete", "replace", "merge", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(DIRECTIVES, inner, max_size=4),
    max_leaves=12,
)
NULL_FREE = st.recursive(
    st.booleans() | st.integers(-3, 3) | st.text("ab1$", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(NAMES, NULL_FREE, max_size=4)


def _by_name(element: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[Any]]:
    return st.lists(element, max_size=4, unique_by=lambda each: each["name"])


ENV = st.fixed_dictionaries({"name": NAMES}, optional={"value": TEXTS})
CONTAINERS = st.fixed_dictionaries(
    {"name": NAMES}, optional={"image": TEXTS, "env": _by_name(ENV), "args": st.lists(TEXTS)}
)
VOLUMES = st.fixed_dictionaries({"name": NAMES}) | st.fixed_dictionaries(
    {"name": NAMES, "hostPath": st.fixed_dictionaries({"path": TEXTS})}
)
PODS = st.fixed_dictionaries(
    {
        "metadata": st.fixed_dictionaries(
            {},
            optional={"labels": SMALL_MAPS, "finalizers": st.lists(NAMES, unique=True)},
        ),
        "spec": st.fixed_dictionaries(
            {"containers": _by_name(CONTAINERS)},
            optional={"volumes": _by_name(VOLUMES), "nodeSelector": SMALL_MAPS},
        ),
    }
)


def _decoded(value: Any) -> Any:
    """As the server reads a patched object: nulls and left-over directives are no fields."""
    if isinstance(value, dict):
        return {
            key: _decoded(item)
            for key, item in value.items()
            if item is not None and not key.startswith("$")
        }
    return [_decoded(item) for item in value] if isinstance(value, list) else value


def _strategic(original: Any, patch: Any) -> Any:
    return patches.apply(PatchType.STRATEGIC, original, patch, POD)


@unhurried
@given(PODS, PODS)
def test_a_two_way_patch_leads_to_the_modified_object(
    original: dict[str, Any], modified: dict[str, Any]
) -> None:
    patch = patches.two_way(original, modified, POD)
    patched = _strategic(original, patch)
    assert patched == modified
    assert _strategic(patched, patch) == patched


@unhurried
@given(PODS)
def test_no_difference_makes_no_patch(pod: dict[str, Any]) -> None:
    pod["metadata"].pop("finalizers", None)
    assert patches.two_way(pod, copy.deepcopy(pod), POD) == {}


@unhurried
@given(PODS, PODS, PODS)
def test_applying_twice_changes_nothing_more(
    applied: dict[str, Any], new: dict[str, Any], live: dict[str, Any]
) -> None:
    after = _decoded(_strategic(live, patches.three_way(applied, new, live, POD)))
    again = _decoded(_strategic(after, patches.three_way(new, new, after, POD)))
    assert again == after


@unhurried
@given(PODS, PODS)
def test_nobody_else_changed_anything_so_nothing_conflicts(
    applied: dict[str, Any], new: dict[str, Any]
) -> None:
    applied["metadata"].pop("finalizers", None)
    live = copy.deepcopy(applied)
    patch = patches.three_way(applied, new, live, POD, overwrite=False)
    assert _strategic(live, patch) == new


@unhurried
@given(OBJECTS, OBJECTS)
def test_a_merge_patch_leads_to_the_modified_object(
    original: dict[str, Any], modified: dict[str, Any]
) -> None:
    patch = merge_patch.two_way(original, modified)
    patched = merge_patch.apply(original, patch)
    assert patched == modified
    assert merge_patch.apply(patched, patch) == patched


@unhurried
@given(JSON, JSON)
def test_a_patch_applies_or_is_refused_and_never_changes_its_input(
    original: Any, patch: Any
) -> None:
    before = copy.deepcopy((original, patch))
    for patch_type in (PatchType.MERGE, PatchType.STRATEGIC):
        with contextlib.suppress(PatchError):
            patches.apply(patch_type, original, patch, POD)
    if isinstance(original, dict) and isinstance(patch, dict):
        with contextlib.suppress(PatchError):
            patches.two_way(original, patch, POD)
        with contextlib.suppress(PatchError):
            patches.three_way(original, patch, original, POD, overwrite=False)
    assert (original, patch) == before


POINTERS = st.lists(st.sampled_from(["a", "b", "0", "1", "-", "-1", ""]), max_size=3).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
OPERATIONS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
        "path": POINTERS,
    },
    optional={"from": POINTERS, "value": NULL_FREE},
)


@unhurried
@given(OBJECTS, st.lists(OPERATIONS, max_size=4))
def test_a_json_patch_applies_or_is_refused_and_never_changes_its_input(
    original: dict[str, Any], operations: list[dict[str, Any]]
) -> None:
    before = copy.deepcopy((original, operations))
    with contextlib.suppress(PatchError):
        patches.apply(PatchType.JSON, original, operations)
    assert (original, operations) == before


@unhurried
@given(OBJECTS, NAMES, NULL_FREE)
def test_adding_and_removing_a_new_member_restores_the_object(
    original: dict[str, Any], name: str, value: Any
) -> None:
    original.pop(name, None)
    operations = [
        {"op": "add", "path": f"/{name}", "value": value},
        {"op": "test", "path": f"/{name}", "value": value},
        {"op": "remove", "path": f"/{name}"},
    ]
    assert patches.apply(PatchType.JSON, original, operations) == original
