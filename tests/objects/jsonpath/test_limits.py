"""Paths that would visit, nest or write too much."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import jsonpath
from kubestage.objects.jsonpath import evaluation, printing


def _nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value, "b": [value]}
    return value


def test_the_values_that_a_template_visits_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_MOST_VALUES", 10_000)
    template = jsonpath.parse("{" + "..['a','a']" * 8 + "}")
    with pytest.raises(jsonpath.JSONPathError, match="a template may visit 10,000 values"):
        jsonpath.find(template, _nested(8))
    assert jsonpath.find(jsonpath.parse("{..a}"), {"a": {"a": 1}}) == [[{"a": 1}, 1]]


def test_ranges_in_one_another_are_counted() -> None:
    template = jsonpath.parse("{range .a[*]}" * 3000 + "{end}" * 3000)
    with pytest.raises(jsonpath.JSONPathError, match="50 ranges in one another"):
        jsonpath.find(template, {"a": [1]})


def test_the_output_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "_LONGEST", 1 << 20)
    found = jsonpath.find(jsonpath.parse("{.a}" * 20), {"a": "x" * 100_000})
    with pytest.raises(jsonpath.JSONPathError, match="a template may write 1 MiB"):
        jsonpath.as_text(found)
