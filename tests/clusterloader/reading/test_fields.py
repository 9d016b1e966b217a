"""Keys and values as Go's JSON decoder takes them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.clusterloader.reading.fields import Fields
from kubestage.clusterloader.reading.problems import InvalidConfig, Place, Problems


def _fields(value: Any, *known: str, problems: Problems | None = None) -> Fields:
    return Fields(value, Place("f.yaml", "steps[0]"), problems or Problems(), known)


def _said(problems: Problems) -> str:
    with pytest.raises(InvalidConfig) as caught:
        problems.refuse_any()
    return str(caught.value)


def test_a_key_matches_whatever_its_case_and_the_last_in_order_wins() -> None:
    assert _fields({"NAME": "a"}, "name").text("name") == "a"
    assert _fields({"name": "c", "Name": "b", "NAME": "a"}, "name").text("name") == "c"
    assert _fields({"globalqpsload": {}}, "globalQPSLoad").value("globalQPSLoad") == {}


def test_maps_under_keys_that_match_are_merged() -> None:
    fields = _fields({"params": {"a": 1, "b": 2}, "Params": {"b": 3, "c": 4}}, "params")
    assert fields.mapping("params") == {"a": 1, "b": 2, "c": 4}


def test_a_null_is_no_value() -> None:
    fields = _fields({"a": None, "b": None}, "a", "b")
    assert "a" not in fields
    assert fields.integer("a") == 0
    assert fields.text("b") == ""
    assert fields.texts("b") is None


def test_an_unknown_key_is_a_warning_that_names_the_likely_one() -> None:
    problems = Problems()
    _fields({"nmae": 1, "zzz": 2}, "name", "other", problems=problems)
    assert problems.warnings == [
        "f.yaml: steps[0].nmae: unknown key (did you mean 'name'?)",
        "f.yaml: steps[0].zzz: unknown key (known keys: name, other)",
    ]
    problems.refuse_any()


def test_an_unknown_key_is_an_error_where_it_is_strict() -> None:
    problems = Problems(is_strict=True)
    _fields({"nmae": 1}, "name", problems=problems)
    assert _said(problems) == "f.yaml: steps[0].nmae: unknown key (did you mean 'name'?)"


@pytest.mark.parametrize(
    ("take", "value", "problem"),
    [
        ("integer", 1.5, "expected a whole number, found 1.5"),
        ("integer", "1", "expected a whole number, found text"),
        ("integer", True, "expected a whole number, found true or false"),
        ("integer", 2**31, "2147483648 does not fit a 32-bit number"),
        ("number", "1", "expected a number, found text"),
        ("text", [5], "expected text, found a list"),
        ("labels", [5], "expected a map, found a list"),
        ("flag", "true", "expected true or false, found text"),
        ("mapping", [1], "expected a map, found a list"),
        ("texts", {}, "expected a list, found a map"),
        ("duration_ns", 5, "expected a duration, found the number 5"),
        ("duration_ns", "5", 'time: missing unit in duration "5" (write it as "90s" or "10m")'),
        ("duration_ns", "", 'time: invalid duration ""'),
    ],
)
def test_a_value_of_another_type_is_a_problem_with_its_place(
    take: str, value: Any, problem: str
) -> None:
    problems = Problems()
    getattr(_fields({"x": value}, "x", problems=problems), take)("x")
    assert _said(problems).startswith(f"f.yaml: steps[0].x: {problem}")


def test_numbers_of_free_maps_are_fractions() -> None:
    found = _fields({"x": {"a": 1, "b": [2, True]}}, "x").mapping("x")
    assert repr(found) == "{'a': 1.0, 'b': [2.0, True]}"


def test_the_elements_of_a_list_know_their_places() -> None:
    problems = Problems()
    fields = _fields({"x": ["a", {}]}, "x", problems=problems)
    assert fields.texts("x") == ("a",)
    assert _said(problems) == "f.yaml: steps[0].x[1]: expected text, found a map"


@pytest.mark.parametrize(
    ("value", "text"),
    [(5, "5"), (-1.5, "-1.5"), (1e-05, "1e-05"), (True, "true"), (False, "false"), ("", "")],
)
def test_a_scalar_where_a_text_belongs_is_its_text(value: Any, text: str) -> None:
    assert _fields({"x": value}, "x").text("x") == text
    assert _fields({"x": [value, None]}, "x").texts("x") == (text, "")
    assert _fields({"x": {"k": value, "n": None}}, "x").labels("x") == {"k": text, "n": ""}


def test_a_label_that_is_no_text_is_a_problem_with_its_place() -> None:
    problems = Problems()
    _fields({"x": {"k": []}}, "x", problems=problems).labels("x")
    assert _said(problems) == "f.yaml: steps[0].x.k: expected text, found a list"


def test_letters_fold_one_by_one() -> None:
    assert _fields({"ba\u017fe": 1, "\u212aind": 2}, "base", "kind").integer("base") == 1
    problems = Problems()
    assert "class" not in _fields({"cla\u00df": 1}, "class", problems=problems)
    assert len(problems.warnings) == 1


def test_what_is_no_map_has_no_fields() -> None:
    problems = Problems()
    assert not _fields("x", "y", problems=problems).is_sound
    assert _said(problems) == "f.yaml: steps[0]: expected a map, found text"
