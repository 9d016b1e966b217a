"""Structural schemas are applied in the words of the API server, as recorded from a real one."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import structural

SCHEMA = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "format": "int32", "minimum": 1},
        "ratio": {"type": "number"},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "name": {"type": "string", "pattern": "^[a-z]+$", "nullable": True},
        "tags": {"type": "array", "items": {"type": "string"}},
        "m": {"type": "object", "additionalProperties": {"type": "integer"}},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port"],
            "items": {
                "type": "object",
                "required": ["port"],
                "properties": {"port": {"type": "integer"}, "name": {"type": "string"}},
            },
        },
    },
}


def _errors(value: Any) -> list[tuple[str, str, str]]:
    found = structural.validate(SCHEMA, value, "spec")
    return [(each.type.reason, each.field, each.body) for each in found]


@pytest.mark.parametrize(
    ("change", "reason", "field", "body"),
    [
        (
            {"size": 0},
            "FieldValueInvalid",
            "spec.size",
            "Invalid value: 0: spec.size in body should be greater than or equal to 1",
        ),
        (
            {"size": "x"},
            "FieldValueTypeInvalid",
            "spec.size",
            'Invalid value: "string": spec.size in body must be of type integer: "string"',
        ),
        (
            {"size": True},
            "FieldValueTypeInvalid",
            "spec.size",
            'Invalid value: "": spec.size in body must be of type int32: ""',
        ),
        (
            {"size": 2**31},
            "FieldValueInvalid",
            "spec.size",
            (
                "Invalid value: 2147483648: Checked value must be of type integer with format "
                "int32 in spec.size"
            ),
        ),
        (
            {"mode": "bad"},
            "FieldValueNotSupported",
            "spec.mode",
            'Unsupported value: "bad": supported values: "fast", "slow"',
        ),
        (
            {"name": "ABC"},
            "FieldValueInvalid",
            "spec.name",
            "Invalid value: \"ABC\": spec.name in body should match '^[a-z]+$'",
        ),
        (
            {"tags": "x"},
            "FieldValueTypeInvalid",
            "spec.tags",
            'Invalid value: "string": spec.tags in body must be of type array: "string"',
        ),
        (
            {"tags": None},
            "FieldValueTypeInvalid",
            "spec.tags",
            'Invalid value: "null": spec.tags in body must be of type array: "null"',
        ),
        (
            {"ports": [{"port": 1}, {"port": 1}]},
            "FieldValueDuplicate",
            "spec.ports[1]",
            'Duplicate value: {"port":1}',
        ),
        ({"ports": [{}]}, "FieldValueRequired", "spec.ports[0].port", "Required value"),
        (
            {"m": {"a": "x"}},
            "FieldValueTypeInvalid",
            "spec.m.a",
            'Invalid value: "string": spec.m.a in body must be of type integer: "string"',
        ),
    ],
)
def test_a_broken_rule_is_worded_as_the_server_does(
    change: dict[str, Any], reason: str, field: str, body: str
) -> None:
    assert _errors({"size": 1, **change}) == [(reason, field, body)]


def test_a_required_field_is_missed() -> None:
    assert _errors({}) == [("FieldValueRequired", "spec.size", "Required value")]


def test_what_fits_is_passed() -> None:
    value = {
        "size": 2**31 - 1,
        "ratio": 1,
        "mode": "fast",
        "name": None,
        "tags": [],
        "m": {"a": 1},
        "any": {"x": [None]},
        "ports": [{"port": 1}, {"port": 2, "name": "b"}],
    }
    assert _errors(value) == []


def test_fields_that_the_schema_does_not_have_are_named_with_the_likely_one() -> None:
    value = {"size": 1, "siez": 1, "ports": [{"port": 1, "x": 2}], "any": {"x": 1}, "m": {"x": 1}}
    assert structural.validate(SCHEMA, value, "spec") == []
    assert [str(each) for each in structural.validate_strictly(SCHEMA, value, "spec")] == [
        "spec.siez: Forbidden: unknown field; did you mean size?",
        "spec.ports[0].x: Forbidden: unknown field",
    ]


def test_nothing_is_known_of_the_fields_of_a_value_of_the_wrong_type() -> None:
    found = structural.validate_strictly(SCHEMA, {"size": 1, "mode": {"a": 1}}, "spec")
    assert [(each.field, each.type.reason) for each in found] == [
        ("spec.mode", "FieldValueTypeInvalid"),
        ("spec.mode", "FieldValueNotSupported"),
    ]


def test_an_integer_is_not_written_with_a_fraction() -> None:
    assert [each[1] for each in _errors({"size": 1.0})] == ["spec.size"]
    mismatch = 'Invalid value: "float64": spec.size in body must be of type int32: "float64"'
    checked = "Checked value must be of type integer with format int32 in spec.size"
    assert _errors({"size": 1.5}) == [
        ("FieldValueTypeInvalid", "spec.size", mismatch),
        ("FieldValueInvalid", "spec.size", f"Invalid value: 1.5: {checked}"),
    ]


def test_findings_come_in_the_order_of_the_fields() -> None:
    value = {"tags": "x", "ports": [{"name": 1}], "mode": "bad", "m": {"b": "x", "a": "x"}}
    assert [each[1] for each in _errors(value)] == [
        "spec.size",
        "spec.tags",
        "spec.ports[0].port",
        "spec.ports[0].name",
        "spec.mode",
        "spec.m.b",
        "spec.m.a",
    ]
