"""The patch of an update: what a template says and the object does not."""

from __future__ import annotations

from typing import Any

import hypothesis
from hypothesis import strategies

from kubestage.clusterloader import bundles

VALUES = strategies.recursive(
    strategies.integers()
    | strategies.text(max_size=3)
    | strategies.lists(strategies.integers(), max_size=2),
    lambda inner: strategies.dictionaries(strategies.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = strategies.dictionaries(strategies.sampled_from("abc"), VALUES, max_size=3)


def merged(target: Any, patch: Any) -> Any:
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        found[key] = merged(found.get(key), value)
    return found


def test_only_what_differs_is_said_and_nothing_is_taken_away() -> None:
    current = {"a": {"x": 1, "y": 2}, "b": [1, 2], "only": "here"}
    wanted = {"a": {"x": 1, "y": 3}, "b": [1], "c": "new", "none": None}
    assert bundles.merge_patch_for(current, wanted) == {"a": {"y": 3}, "b": [1], "c": "new"}


def test_equal_objects_need_no_patch() -> None:
    assert bundles.merge_patch_for({"a": {"b": 1}}, {"a": {"b": 1}}) == {}


@hypothesis.given(OBJECTS, OBJECTS)
def test_the_patch_brings_an_object_where_the_template_itself_would(
    current: Any, wanted: Any
) -> None:
    assert merged(current, bundles.merge_patch_for(current, wanted)) == merged(current, wanted)
