"""A field's path leads back to the line on which it was written."""

from __future__ import annotations

import pytest

from kubestage.objects import locator, manifest

YAML_TEXT = """\
a: 1
---
kind: Deployment
metadata:
  labels:
    app.kubernetes.io/name: web
spec:
  template:
    spec:
      containers:
      - name: one
      - name: two
        resources:
          limits: {cpu: 1,
                   memory: 2}
"""


@pytest.mark.parametrize(
    ("index", "path", "line"),
    [
        (0, "a", 1),
        (1, "", 3),
        (1, "kind", 3),
        (1, "metadata.labels", 5),
        (1, "metadata.labels.app.kubernetes.io/name", 6),
        (1, "metadata.labels[app.kubernetes.io/name]", 6),
        (1, "spec.template.spec.containers[1]", 12),
        (1, "spec.template.spec.containers[1].name", 12),
        (1, "spec.template.spec.containers[1].resources.limits[memory]", 15),
        (1, "spec.template.spec.containers[1].image", 12),
        (1, "spec.template.spec.containers[7].image", 10),
        (1, "spec.nothing.here", 7),
        (2, "a", None),
    ],
)
def test_a_path_leads_to_its_line_in_yaml(index: int, path: str, line: int | None) -> None:
    assert manifest.locate(YAML_TEXT, index, path) == line


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("", 1),
        ("kind", 2),
        ("items[0]", 4),
        ("items[1].spec.list[1]", 7),
        ("items[1].spec.list[9]", 6),
        ("items[1].a.b", 5),
        ("items[1].nothing", 5),
    ],
)
def test_a_path_leads_to_its_line_in_json(path: str, line: int) -> None:
    text = """{
"kind": "List",
"items": [
{"x": "}]\\"{"},
{"a.b": {}, "spec": {
"list": [1,
2]}}]}"""
    assert manifest.locate(text, 0, path) == line


def test_lines_are_found_around_a_broken_document() -> None:
    text = "a: 1\n---\nb: c: d\n---\nc:\n  d: 3\n"
    assert [manifest.locate(text, index, "c.d") for index in range(3)] == [1, None, 6]


def test_a_merged_field_is_found_where_it_is_written() -> None:
    text = "x: &x\n  k: 1\na:\n  <<: *x\n  m: 2\n"
    assert manifest.locate(text, 0, "a.k") == 2
    assert manifest.locate(text, 0, "a.m") == 5


def test_a_locator_finds_fields_of_list_items() -> None:
    text = "kind: List\nitems:\n- kind: A\n- kind: B\n  spec:\n    x: 1\n"
    _, second = manifest.load_text(text)
    assert locator.Locator(text).line(second, "spec.x") == 6
    assert locator.Locator(text).line(second) == 4


def test_duplicate_keys_of_json_are_found_with_their_lines() -> None:
    text = '{"a": {"b": 1,\n"b": 2}, "c": [{"b": 1}, {"b": 1}],\n"\\u0061": 0, "d": "b"}'
    assert locator.Locator(text).duplicate_keys() == [("b", 2), ("a", 3)]
    assert locator.Locator("a: 1").duplicate_keys() == []


def test_lines_are_found_beside_a_document_that_is_nested_without_end() -> None:
    text = "a: " + "[" * 200_000 + "]" * 200_000 + "\n---\nb:\n  c: 1\n"
    assert [each.object for each in manifest.read_text(text).documents] == [{"b": {"c": 1}}]
    assert manifest.locate(text, 1, "b.c") == 4
