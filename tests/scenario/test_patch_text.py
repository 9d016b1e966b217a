"""A patch is written as JSON or as YAML, and says the same in both."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.patches import PatchType
from kubestage.scenario import patch_text

VALUES = st.none() | st.booleans() | st.integers(-100, 100) | st.text("ab", max_size=3)
OBJECTS = st.dictionaries(st.text("ab", min_size=1, max_size=2), VALUES, max_size=3)


@given(OBJECTS | st.lists(OBJECTS, max_size=3), st.sampled_from((None, 2)))
def test_json_is_read_as_it_is(patch: Any, indent: int | None) -> None:
    assert patch_text.parse(json.dumps(patch, indent=indent)) == patch


def test_yaml_is_read_too() -> None:
    assert patch_text.parse("spec:\n  replicas: 3\n") == {"spec": {"replicas": 3}}
    operation = {"op": "remove", "path": "/spec/replicas"}
    assert patch_text.parse("- op: remove\n  path: /spec/replicas\n") == [operation]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the patch is empty"),
        ("a: 1\n---\nb: 2\n", "the patch is several documents"),
        ("a: b: c", "the patch is neither JSON nor YAML: "),
        ("a: 1\na: 2\n", "the patch is neither JSON nor YAML: "),
        ("text", "the patch is neither an object nor a list"),
        ("[" * 100_000, "the patch is nested too deeply"),
    ],
)
def test_what_is_no_patch_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        patch_text.parse(text)


def test_types_have_the_names_of_media_types_and_of_kubectl() -> None:
    assert patch_text.TYPES["strategic"] is PatchType.STRATEGIC
    assert patch_text.TYPES["application/json-patch+json"] is PatchType.JSON
    known = ", ".join((*patch_text.TYPES, *patch_text.APPLY))
    assert patch_text.misfit({}, "yaml") == f'"yaml" is none of {known}'
    assert patch_text.misfit({}, "apply") is None
    assert patch_text.misfit([], "apply") == 'a patch of type "apply" is an object'
    assert patch_text.misfit([], "json") is None
    assert patch_text.misfit({}, "strategic") is None
