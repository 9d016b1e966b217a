"""Keys that a text sets twice, in the words of the API server's strict decoders."""

from __future__ import annotations

import msgspec
import pytest

from kubestage.objects import repeated_keys, yaml_documents
from kubestage.objects.patches import PatchType


def in_yaml(text: str) -> str:
    body = text.encode()
    reader = yaml_documents.Reader(body)
    (document,) = [value for value, _, _ in reader.documents()]
    if text.startswith("{"):
        return repeated_keys.of_json_as_yaml(body, document)
    return repeated_keys.of_yaml(reader)


def in_patch(text: str, patch_type: PatchType) -> list[str]:
    return repeated_keys.of_patch(text.encode(), msgspec.json.decode(text), patch_type)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a: 1\nb: 2\n", []),
        ("\na: 1\na: 2\n", ['line 3: key "a" already set in map']),
        ("a:\n  b: 1\n  b: 2\na:\n  c: 1\n", [
            'line 3: key "b" already set in map', 'line 5: key "a" already set in map',
        ]),
        ('{"a": {"b": 1,\n "b": 2}}', ['line 2: key "b" already set in map']),
        ('{"a": "\\"quoted\\"", "b": {"a": 1}}', []),
        ("1: a\n1: b\n", ["line 2: key 1 already set in map"]),
        ("x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n", ['line 4: key "a" already set in map']),
    ],
)  # fmt: skip
def test_yaml_names_the_line_of_the_second_value(text: str, lines: list[str]) -> None:
    expected = "\n".join(["yaml: unmarshal errors:", *(f"  {each}" for each in lines)])
    assert in_yaml(text) == (expected if lines else "")


@pytest.mark.parametrize("patch_type", [PatchType.MERGE, PatchType.STRATEGIC])
def test_patches_name_the_path(patch_type: PatchType) -> None:
    assert in_patch('{"a": {"b": 1, "b": 2}, "a": 3}', patch_type) == [
        'duplicate field "a.b"',
        'duplicate field "a"',
    ]
    assert in_patch('{"a": {"b": 1}, "c": {"b": 2}}', patch_type) == []


def test_operations_have_four_fields() -> None:
    text = '[{"op": "add", "op": "test", "path": "/a", "foo": 1, "value": {"a": 1, "a": 2}}]'
    assert in_patch(text, PatchType.JSON) == [
        'json patch duplicate field "[0].op"',
        'json patch unknown field "[0].foo"',
        'json patch duplicate field "[0].value.a"',
    ]
    assert in_patch('[{"op": "add", "path": "/a", "value": {"foo": 1}}]', PatchType.JSON) == []
