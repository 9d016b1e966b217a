from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.runs.inputs import field_paths

VALUE: dict[str, Any] = {
    "spec": {"items": [{"name": "a", "n": 1}, {"name": "b"}], "text": "x"},
    "labels": {"a.b/c": "d"},
}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("spec.text", ("spec", "text")),
        ("spec.items[0].n", ("spec", "items", 0, "n")),
        ("spec.items[b].name", ("spec", "items", "b", "name")),
        ("labels['a.b/c']", ("labels", "a.b/c")),
        ('labels["a.b/c"].x', ("labels", "a.b/c", "x")),
    ],
)
def test_paths(text: str, parts: tuple[str | int, ...]) -> None:
    assert field_paths.parse(text) == parts


@pytest.mark.parametrize("text", ["", "a[", "a]b", ".", "a..b"])
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(InputError):
        field_paths.parse(text)


@pytest.mark.parametrize(
    ("path", "before"),
    [("spec.items[0].n", 1), ("spec.items[b].n", None), ("labels['a.b/c']", "d"), ("new.x", None)],
)
def test_a_copy_has_the_new_value_and_the_original_does_not(path: str, before: object) -> None:
    parts = field_paths.parse(path)
    changed = field_paths.replaced(VALUE, parts, 9)
    assert field_paths.value_at(changed, parts) == 9
    assert field_paths.value_at(VALUE, parts) == before


def test_what_does_not_change_is_shared() -> None:
    changed = field_paths.replaced(VALUE, ("spec", "items", 0, "n"), 9)
    assert changed["labels"] is VALUE["labels"]
    assert changed["spec"]["items"][1] is VALUE["spec"]["items"][1]
    assert changed["spec"]["items"] is not VALUE["spec"]["items"]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("spec.items[5].n", r"there is no \[5\]; there are a, b"),
        ("spec.items[c].n", r"there is no \[c\]"),
        ("spec.text.deeper", "nothing below, no deeper"),
        ("spec[0]", "no list"),
    ],
)
def test_what_cannot_be_set(path: str, problem: str) -> None:
    parts = field_paths.parse(path)
    assert not field_paths.takes(VALUE, parts)
    with pytest.raises(InputError, match=problem):
        field_paths.replaced(VALUE, parts, 1)


def test_the_likely_field() -> None:
    assert field_paths.missing(VALUE, ("spec", "text")) is None
    error = field_paths.missing(VALUE, ("spec", "txt"))
    assert error is not None
    assert error.fix == "did you mean text?"
    assert field_paths.missing(VALUE, ("spec", "items", 7)) is not None
    assert field_paths.missing(VALUE, ("spec", "text", "x")) is not None
