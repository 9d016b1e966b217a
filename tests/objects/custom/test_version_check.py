from __future__ import annotations

from typing import Any

import pytest

from tests.objects.custom.samples import FREE, TEXT, definition, problems, struct, version


@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        ([{"name": "A", "type": "date", "jsonPath": ".a", "format": "date-time"}], []),
        (
            [{}],
            [
                "name: Required value",
                "type: Required value: must be one of boolean,date,integer,number,string",
                "JSONPath: Required value",
            ],
        ),
        (
            [{"name": "A", "type": "string", "jsonPath": ".a", "format": "odd"}],
            [
                ('format: Invalid value: "odd": must be one of byte,date,date-time,double,float,'
                "int32,int64,password")
            ],
        ),
    ],
)  # fmt: skip
def test_columns_have_a_name_a_type_and_a_path(columns: Any, texts: list[str]) -> None:
    found = problems(definition(versions=[version(additionalPrinterColumns=columns)]))
    assert found == [f"spec.additionalPrinterColumns[0].{text}" for text in texts]


def test_a_scale_has_paths_below_spec_and_status() -> None:
    scale = {"specReplicasPath": ".status.n", "statusReplicasPath": "", "labelSelectorPath": ".x"}
    found = problems(definition(versions=[version(subresources={"scale": scale})]))
    path = "spec.subresources.scale"
    assert found == [
        f'{path}.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
        f"{path}.statusReplicasPath: Required value",
        (f'{path}.labelSelectorPath: Invalid value: ".x": should be a json path under either .spec '
        "or .status"),
    ]  # fmt: skip


def test_beside_a_status_the_root_says_little() -> None:
    schema = {**FREE, "maxProperties": 3}
    made = version(schema={"openAPIV3Schema": schema}, subresources={"status": {}})
    (text,) = problems(definition(versions=[made]))
    assert text.startswith('spec.validation.openAPIV3Schema: Invalid value: {"ID":"",')
    assert text.endswith(
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum "
        "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items "
        "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed "
        "at the root of the schema if the status subresource is enabled"
    )


def selectable(*paths: str) -> list[str]:
    many = {f"f{index}": TEXT for index in range(9)}
    spec = struct(colour=TEXT, parts=struct())
    spec["properties"].update(many)
    schema = {"openAPIV3Schema": struct(spec=spec, metadata=struct(name=TEXT))}
    fields = [{"jsonPath": path} for path in paths]
    return problems(definition(versions=[version(schema=schema, selectableFields=fields)]))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".spec.odd", "is an invalid path: does not refer to a valid field"),
        (".spec['a']", "is an invalid path: array notation is not allowed"),
        (".metadata.name", "must not point to fields in metadata"),
        ("spec", "is an invalid path: expected [ or . but got: spec"),
        (".spec.", "is an invalid path: unexpected end of JSON path"),
        (
            ".spec.parts",
            ("must point to a field of type string, boolean or integer. Enum string fields and "
            "strings with formats are allowed."),
        ),
    ],
)  # fmt: skip
def test_selectable_fields_lead_to_plain_values(path: str, text: str) -> None:
    assert selectable(path) == [
        f'spec.selectableFields[0].jsonPath: Invalid value: "{path}": {text}'
    ]
    assert selectable("") == ["spec.selectableFields[0].jsonPath: Required value"]


def test_selectable_fields_are_few_and_named_once() -> None:
    assert selectable(".spec.colour", ".spec.colour") == [
        'spec.selectableFields[1].jsonPath: Duplicate value: ".spec.colour"'
    ]
    assert selectable(*(f".spec.f{index}" for index in range(9))) == [
        "spec.selectableFields: Too many: 9: must have at most 8 items"
    ]
