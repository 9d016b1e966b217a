"""Variables: overrides, the cluster's size, the environment."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.clusterloader.reading import variables
from kubestage.errors import InputError


def _mapping(*overrides: str, **env: str) -> dict[str, Any]:
    named = [(f"o{index}.yaml", text) for index, text in enumerate(overrides)]
    return variables.mapping(100, "registry.example", env, named)


def test_later_overrides_win_and_size_and_registry_are_forced() -> None:
    found = _mapping("A: 1\nB: {c: 2}\nNodes: 7\n", "A: x\n", "# nothing\n")
    assert repr(found["B"]) == "{'c': 2.0}"
    assert found["A"] == "x"
    assert (found["Nodes"], found["ImageRegistry"]) == (100, "registry.example")


def test_the_environment_counts_with_its_prefix_only() -> None:
    found = _mapping(CL2_A="5", CL2_B="t", PATH="x", cl2_c="1")
    assert {key: found[key] for key in found if key.startswith("CL2")} == {
        "CL2_A": 5,
        "CL2_B": True,
    }
    assert "PATH" not in found
    assert "cl2_c" not in found


@pytest.mark.parametrize(
    ("override", "env"), [("5.5", "5.5"), ("x", "x"), ("true", "T"), ("5", "5.0")]
)
def test_the_same_value_of_the_same_type_may_be_said_twice(override: str, env: str) -> None:
    assert "CL2_A" in _mapping(f"CL2_A: {override}", CL2_A=env)


@pytest.mark.parametrize(
    ("override", "env", "shown"),
    [
        ("5", "5", "old value=5 (float64), new value=5 (int64)"),
        ("5", "6.5", "old value=5 (float64), new value=6.5 (float64)"),
        ("'5'", "5", "old value=5 (string), new value=5 (int64)"),
        ("null", "x", "old value=<nil> (<nil>), new value=x (string)"),
        ("1", "true", "old value=1 (float64), new value=true (bool)"),
    ],
)
def test_another_value_or_type_is_a_conflict(override: str, env: str, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        _mapping(f"CL2_A: {override}", CL2_A=env)
    assert caught.value.problem == f"merge conflict for key 'CL2_A': {shown}"


@pytest.mark.parametrize("text", ["- 1", "text"])
def test_overrides_are_a_map(text: str) -> None:
    with pytest.raises(InputError, match=r"o0\.yaml: overrides are a map"):
        _mapping(text)


def test_broken_overrides_name_their_file() -> None:
    with pytest.raises(InputError, match=r"o0\.yaml"):
        _mapping("a: [")
