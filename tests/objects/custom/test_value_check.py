from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects.custom import findings
from kubestage.objects.custom.value_check import Check
from tests.objects.custom.samples import COUNT, TEXT, array, mapping, struct

NUMBER = {"type": "number"}
TIME = {"type": "string", "format": "date-time"}
NIL = '<nil>: Invalid value: "":'
EITHER = {"x-kubernetes-int-or-string": True}


def problems(schema: dict[str, Any], value: Any, path: str = "spec.f") -> list[str]:
    found = Check(schema).validate(value, path).found
    return [str(error) for error in findings.field_errors(found.values(), "")]


def wrong_type(wanted: str, found: str) -> list[str]:
    return [f'spec.f: Invalid value: "{found}": spec.f in body must be of type {wanted}: "{found}"']


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        (TEXT, 1, "integer"),
        (TEXT, True, "boolean"),
        (TEXT, None, "null"),
        (TEXT, [], "array"),
        (TEXT, {}, "object"),
        (NUMBER, "1", "string"),
        (array(TEXT), {}, "object"),
        (struct(), [], "array"),
        ({"type": "boolean"}, 0, "integer"),
    ],
)
def test_a_value_of_another_type_is_refused_as_such(
    schema: dict[str, Any], value: Any, found: str
) -> None:
    assert problems(schema, value) == wrong_type(schema["type"], found)


def test_a_fraction_is_no_integer_and_does_not_fit_one() -> None:
    assert problems(COUNT, 1.5) == [
        *wrong_type("integer", "number"),
        f"{NIL} Checked value must be of type integer (default format) in spec.f",
    ]


@pytest.mark.parametrize("value", ["a", 1, 1.0])
def test_an_int_or_string_may_be_both(value: Any) -> None:
    assert problems(EITHER, value) == []


@pytest.mark.parametrize(("value", "found"), [(True, "boolean"), (1.5, "number"), ([], "array")])
def test_an_int_or_string_is_nothing_else(value: Any, found: str) -> None:
    assert problems(EITHER, value) == wrong_type("integer,string", found)


def test_an_integer_is_a_number() -> None:
    assert problems(NUMBER, 2) == []


def test_null_is_a_value_where_the_schema_allows_it() -> None:
    assert problems({**TEXT, "nullable": True}, None) == []


def test_a_null_is_in_no_enumeration() -> None:
    schema = {**TEXT, "nullable": True, "enum": ["a"]}
    assert problems(schema, None) == [
        'spec.f: Unsupported value: null: supported values: "a"',
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, 'spec.f: Invalid value: "int64": spec.f in body must be of type date-time: "int64"'),
        (True, 'spec.f: Invalid value: "": spec.f in body must be of type date-time: ""'),
        ("x", 'spec.f: Invalid value: "x": spec.f in body must be of type date-time: "x"'),
    ],
)
def test_a_format_stands_for_a_type(value: Any, text: str) -> None:
    assert problems(TIME, value) == [text]


def test_a_format_that_nobody_knows_means_nothing() -> None:
    assert problems({**TEXT, "format": "colour"}, "x") == []


@pytest.mark.parametrize(
    ("keywords", "value", "text"),
    [
        ({"maxLength": 2}, "abc", "Too long: may not be more than 2 bytes"),
        (
            {"minLength": 2},
            "ä",
            'Invalid value: "ä": spec.f in body should be at least 2 chars long',
        ),
        (
            {"pattern": "^a$"},
            "a\n",
            r"""Invalid value: "a\n": spec.f in body should match '^a$'""",
        ),
        ({"maxLength": 1, "pattern": "b"}, "aa", "Too long: may not be more than 1 byte"),
        ({"enum": ["x", "y"]}, "z", 'Unsupported value: "z": supported values: "x", "y"'),
    ],
)
def test_a_text_breaks_one_rule_at_a_time(keywords: Any, value: str, text: str) -> None:
    assert problems({**TEXT, **keywords}, value) == [f"spec.f: {text}"]


def test_length_is_counted_in_characters() -> None:
    assert problems({**TEXT, "maxLength": 2, "minLength": 2}, "äß") == []


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        ({**COUNT, "minimum": 1}, 0, "should be greater than or equal to 1"),
        ({**COUNT, "minimum": 1, "exclusiveMinimum": True}, 1, "should be greater than 1"),
        ({**COUNT, "maximum": 3}, 4, "should be less than or equal to 3"),
        ({**COUNT, "maximum": 3, "exclusiveMaximum": True}, 3, "should be less than 3"),
        ({**COUNT, "multipleOf": 3}, 4, "should be a multiple of 3"),
        ({**NUMBER, "maximum": 0.5}, 0.75, "should be less than or equal to 0.5"),
        ({**NUMBER, "multipleOf": 0.1}, 0.25, "should be a multiple of 0.1"),
        ({**NUMBER, "minimum": 2}, 1.5, "should be greater than or equal to 2"),
    ],
)
def test_numbers_keep_within_their_bounds(schema: Any, value: float, text: str) -> None:
    assert problems(schema, value) == [f"spec.f: Invalid value: {value}: spec.f in body {text}"]


def test_a_factor_must_be_positive() -> None:
    assert problems({**COUNT, "multipleOf": 0}, 4) == [
        "spec.f: Invalid value: 0: factor MultipleOf declared for spec.f must be positive: 0"
    ]


def test_a_bound_that_does_not_fit_the_type_is_told_with_the_value() -> None:
    assert problems({**COUNT, "maximum": 1.5}, 2) == [
        f"{NIL} Maximum boundary value must be of type integer (default format) in spec.f",
        "spec.f: Invalid value: 2: spec.f in body should be less than or equal to 1.5",
    ]


def test_formats_of_numbers_are_ranges() -> None:
    assert problems({**COUNT, "format": "int32"}, 2**31 - 1) == []
    assert problems({**COUNT, "format": "int32"}, 2**31) == [
        f"{NIL} Checked value must be of type integer with format int32 in spec.f"
    ]
    assert problems({**NUMBER, "format": "float"}, 1e39) == [
        f"{NIL} Checked value must be of type number with format float in spec.f"
    ]


def test_choices_may_be_of_any_type() -> None:
    assert problems({**COUNT, "enum": [1, 2]}, 2) == []
    assert problems({**COUNT, "enum": [1, 2]}, 3) == [
        'spec.f: Unsupported value: 3: supported values: "1", "2"'
    ]
    assert problems({"type": "boolean", "enum": [True]}, False) == [
        'spec.f: Unsupported value: false: supported values: "true"'
    ]


def test_lists_have_a_size_and_elements() -> None:
    schema = array(COUNT, minItems=2, maxItems=2)
    assert problems(schema, [1]) == [
        "spec.f: Invalid value: 1: spec.f in body should have at least 2 items"
    ]
    assert problems(schema, [1, "a", 2]) == [
        'spec.f[1]: Invalid value: "string": spec.f[1] in body must be of type integer: "string"',
        "spec.f: Too many: 3: must have at most 2 items",
    ]


def test_objects_have_a_size_and_fields() -> None:
    schema = {**struct(["b", "a"], a=COUNT), "minProperties": 1, "maxProperties": 1}
    assert problems(schema, {}) == [
        "spec.f: Invalid value: 0: spec.f in body should have at least 1 properties",
        "spec.f.b: Required value",
        "spec.f.a: Required value",
    ]
    assert problems(schema, {"a": "x", "b": 1}) == [
        "spec.f: Too many: 2: must have at most 1 item",
        'spec.f.a: Invalid value: "string": spec.f.a in body must be of type integer: "string"',
    ]


def test_values_of_maps_are_judged_under_their_keys() -> None:
    text = 'spec.f.k: Invalid value: "string": spec.f.k in body must be of type integer: "string"'
    assert problems(mapping(COUNT), {"k": "x"}) == [text]
    assert problems(mapping(COUNT), {"k": "x"}, "") == [
        'k: Invalid value: "string": .k in body must be of type integer: "string"'
    ]


def test_no_others_may_be_said() -> None:
    schema = {"type": "object", "additionalProperties": False}
    assert problems(schema, {"k": 1}) == [
        'spec.f: Invalid value: "k": spec.f.k in body is a forbidden property'
    ]


def test_of_alternatives_that_all_fail_the_best_is_told() -> None:
    schema = struct(a=COUNT, b=COUNT)
    schema["anyOf"] = [
        {"required": ["c"]},
        {"required": ["b"], "properties": {"a": {"minimum": 1}}},
    ]
    assert problems(schema, {"a": 1, "b": 2}) == []
    assert problems(schema, {"a": 1}) == [
        '<nil>: Invalid value: "": "spec.f" must validate at least one schema (anyOf)',
        "spec.f.b: Required value",
    ]


def test_exactly_one_alternative_means_one() -> None:
    schema = {**struct(a=COUNT, b=COUNT), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    one = '<nil>: Invalid value: "": "spec.f" must validate one and only one schema (oneOf). '
    assert problems(schema, {"a": 1}) == []
    assert problems(schema, {"a": 1, "b": 2}) == [f"{one}Found 2 valid alternatives"]
    assert problems(schema, {}) == [f"{one}Found none valid", "spec.f.a: Required value"]


def test_all_of_several_must_hold() -> None:
    schema = {**COUNT, "allOf": [{"minimum": 2}, {"maximum": 4}]}
    every = '<nil>: Invalid value: "": "spec.f" must validate all the schemas (allOf)'
    assert problems(schema, 3) == []
    assert problems(schema, 1) == [
        "spec.f: Invalid value: 1: spec.f in body should be greater than or equal to 2",
        every,
    ]
    assert problems({**COUNT, "allOf": [{"minimum": 2}]}, 1)[1] == f"{every}. None validated"


def test_what_must_not_be_is_refused() -> None:
    schema = {**TEXT, "not": {"enum": ["x"]}}
    assert problems(schema, "y") == []
    assert problems(schema, "x") == [
        '<nil>: Invalid value: "": "spec.f" must not validate the schema (not)'
    ]


def test_a_status_is_judged_under_its_own_path() -> None:
    found = Check(struct(["b"], a=TEXT)).validate({"a": 1}, "").found
    assert [str(error) for error in findings.field_errors(found.values(), "status")] == [
        'status.a: Invalid value: "integer": a in body must be of type string: "integer"',
        "status.b: Required value",
    ]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_any_value_gets_a_verdict(value: Any) -> None:
    schemas = (TEXT, COUNT, NUMBER, TIME, EITHER, array(COUNT), struct(a=TEXT), mapping(TEXT))
    for schema in schemas:
        assert isinstance(problems({**schema, "enum": [1, "a", None, 1.5]}, value), list)
