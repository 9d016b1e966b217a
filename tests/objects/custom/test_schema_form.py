from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.objects.custom import version_check
from tests.objects.custom.samples import COUNT, FREE, TEXT, array, struct

if TYPE_CHECKING:
    from kubestage.aliases import Json

P = "s.openAPIV3Schema"
LIST, MAP, KEYS = "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-list-map-keys"
EMBEDDED, EITHER = "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"
PRESERVE = "x-kubernetes-preserve-unknown-fields"


def problems(schema: Json) -> list[str]:
    found = version_check.validate_schema({"openAPIV3Schema": schema}, "s", has_status=False)
    return [str(each).removeprefix(P) for each in found]


def below(schema: Json) -> list[str]:
    return [each.removeprefix(".properties[f]") for each in problems(struct(f=schema))]


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ({"type": "array"}, [".items: Required value: must be specified"]),
        (array({}), [".items.type: Required value: must not be empty for specified array items"]),
        ({}, [".type: Required value: must not be empty for specified object fields"]),
        ({EITHER: True}, []),
        ({PRESERVE: True}, []),
        (
            {EITHER: True, PRESERVE: True},
            [f".{PRESERVE}: Invalid value: true: must be false if {EITHER} is true"],
        ),
        (
            {EMBEDDED: True, "type": "string"},
            [
                (f".properties: Required value: must not be empty if {EMBEDDED} is true without "
                f"{PRESERVE}"),
                f'.type: Invalid value: "string": must be object if {EMBEDDED} is true',
            ],
        ),
        (
            {EMBEDDED: True, **struct(kind=COUNT)},
            ['.properties[kind].type: Invalid value: "integer": must be string'],
        ),
        (
            {**TEXT, "anyOf": [{"type": "string", "nullable": True}]},
            [
                ".anyOf[0].nullable: Forbidden: must be false to be structural",
                ".anyOf[0].type: Forbidden: must be empty to be structural",
            ],
        ),
        (
            {**TEXT, "pattern": "(?=a)"},
            [
                ('.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t'
                ": error parsing regexp: invalid or unsupported Perl syntax: `(?=`")
            ],
        ),
        ({EITHER: True, "anyOf": [{"type": "integer"}, {"type": "string"}]}, []),
        (
            {**TEXT, "not": {"items": {"x-kubernetes-validations": [{"rule": "true"}]}}},
            [".not.items.x-kubernetes-validations: Forbidden: must be empty to be structural"],
        ),
    ],
)  # fmt: skip
def test_a_schema_must_be_structural(schema: Json, texts: list[str]) -> None:
    assert below(schema) == texts


def test_alternatives_add_nothing_to_the_root() -> None:
    clause = {"properties": {"a": {"items": {"minLength": 1}}, "b": {"minLength": 1}}}
    because = f"because it is defined in {P}.oneOf[0].properties"
    assert problems({**struct(a=TEXT), "oneOf": [clause]}) == [
        f".properties[a].items: Required value: {because}[a].items",
        f".properties[b]: Required value: {because}[b]",
    ]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, '.type: Invalid value: "string": must be object at the root'),
        ({}, ".type: Required value: must not be empty at the root"),
        (
            {"type": "object", "additionalProperties": TEXT},
            ".additionalProperties: Forbidden: must not be used at the root",
        ),
        ({**FREE, "nullable": True}, ".nullable: Forbidden: nullable cannot be true at the root"),
        (
            struct(metadata=struct(labels=FREE)),
            (
                ".properties[metadata]: Forbidden: must not specify anything other than name and "
                "generateName, but metadata is implicitly specified"
            ),
        ),
        (struct(kind=COUNT), '.properties[kind].type: Invalid value: "integer": must be string'),
        (
            struct(kind={**TEXT, "default": "X"}),
            ".properties[kind].default: Forbidden: must not be set in top-level kind",
        ),
    ],
)
def test_the_root_is_a_resource(schema: Json, text: str) -> None:
    assert text in problems(schema)


@pytest.mark.parametrize("names", [{"name": TEXT}, {"name": TEXT, "generateName": TEXT}, {}])
def test_names_may_be_restricted_in_metadata(names: Json) -> None:
    assert problems(struct(metadata={"type": "object", "properties": names})) == []


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (
            {"type": "null"},
            (
                '.type: Unsupported value: "null": supported values: "array", "boolean", '
                '"integer", "number", "object", "string"'
            ),
        ),
        ({**TEXT, "$ref": "x"}, ".$ref: Forbidden: $ref is not supported"),
        ({**TEXT, "id": "x"}, ".id: Forbidden: id is not supported"),
        (
            {"type": "array", "items": [TEXT]},
            ".items: Forbidden: items must be a schema object and not an array",
        ),
        (
            {**array(TEXT), "uniqueItems": True},
            (
                ".uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
                "complexity becomes quadratic"
            ),
        ),
        (
            {**struct(a=TEXT), "additionalProperties": TEXT},
            (
                ".additionalProperties: Forbidden: additionalProperties and properties are mutual "
                "exclusive"
            ),
        ),
        (
            {**struct(), PRESERVE: False},
            f".{PRESERVE}: Invalid value: false: must be true or undefined",
        ),
        (
            {**TEXT, MAP: "atomic"},
            f'.type: Invalid value: "string": must be object if {MAP} is specified',
        ),
        (
            {**struct(), MAP: "odd"},
            f'.{MAP}: Unsupported value: "odd": supported values: "atomic", "granular"',
        ),
        (
            array(TEXT, **{LIST: "odd"}),
            f'.{LIST}: Unsupported value: "odd": supported values: "atomic", "set", "map"',
        ),
        (
            array(struct(), **{LIST: "set"}),
            f".items.{MAP}: Invalid value: null: must be atomic as item of a list with {LIST}=set",
        ),
        (
            array({**TEXT, "nullable": True}, **{LIST: "set"}),
            f".items.nullable: Forbidden: cannot be nullable when {LIST} is set",
        ),
        (
            array(struct(), **{KEYS: ["a"]}),
            f".{LIST}: Required value: must be map if {KEYS} is non-empty",
        ),
        (
            array(struct(), **{LIST: "map"}),
            f".{KEYS}: Required value: must not be empty if {LIST} is map",
        ),
        (
            array(TEXT, **{LIST: "map", KEYS: ["a"]}),
            (
                f'.items.type: Invalid value: "string": must be object if parent array\'s {LIST} '
                "is map"
            ),
        ),
        (
            array(struct(["a"], a=TEXT), **{LIST: "map", KEYS: ["a", "a"]}),
            f'.{KEYS}: Invalid value: ["a","a"]: must not contain duplicate entries',
        ),
        (
            array(struct(), **{LIST: "map", KEYS: ["a"]}),
            f'.{KEYS}: Invalid value: ["a"]: entries must all be names of item properties',
        ),
        (
            array(struct(a=TEXT), **{LIST: "map", KEYS: ["a"]}),
            (
                f".items.properties[a].default: Required value: this property is in {KEYS}, so it "
                "must have a default or be a required property"
            ),
        ),
    ],
)
def test_keywords_have_their_own_rules(schema: Json, text: str) -> None:
    assert text in below(schema)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"rule": " "}, "rule: Required value: rule is not specified"),
        (
            {"rule": "a", "message": " "},
            'message: Invalid value: " ": must be non-empty if specified',
        ),
        (
            {"rule": "a", "message": "b\nc"},
            'message: Invalid value: "b\\nc": must not contain line breaks',
        ),
        (
            {"rule": "a\nb"},
            "message: Required value: message must be specified if rule contains line breaks",
        ),
        (
            {"rule": "a", "messageExpression": " "},
            "messageExpression: Required value: messageExpression must be non-empty if specified",
        ),
        (
            {"rule": "a", "reason": "Odd"},
            (
                'reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", '
                '"FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"'
            ),
        ),
        ({"rule": "a", "fieldPath": ".x"}, 'fieldPath: Invalid value: ".x": must be a valid path'),
    ],
)
def test_rules_are_written_in_one_way(rule: Json, text: str) -> None:
    schema = {**struct(a=TEXT), "x-kubernetes-validations": [rule]}
    assert below(schema) == [f".x-kubernetes-validations[0].{text}"]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({**COUNT, "default": "x"}, '"string":  in body must be of type integer: "string"'),
        (
            {**COUNT, "maximum": 1, "default": 2},
            "2:  in body should be less than or equal to 1",
        ),
        ({**struct(a=TEXT), "default": {"b": 1}}, '{"b":1}: must not have unknown fields'),
    ],
)
def test_a_default_keeps_its_own_schema(schema: Json, text: str) -> None:
    assert below(schema) == [f".default: Invalid value: {text}"]


def test_a_default_of_metadata_must_be_good_metadata() -> None:
    meta = struct(name={**TEXT, "default": "a/b"})
    schema = {EMBEDDED: True, **FREE, "properties": {"metadata": meta}}
    (text,) = below(schema)
    assert text == (
        '.properties[metadata].properties[name].default: Invalid value: "a/b": must result in '
        "valid metadata: metadata.name: Invalid value: \"a/b\": may not contain '/'"
    )
