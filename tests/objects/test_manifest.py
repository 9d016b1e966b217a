"""Manifests are read as Kubernetes tools read them, and errors lead back to their line."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.objects import manifest


def _only(text: str | bytes) -> Any:
    (document,) = manifest.load_text(text)
    return document.object


def _refusal(text: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        manifest.load_text(text, "m.yaml")
    return caught.value


def test_documents_know_where_they_start_and_empty_ones_are_skipped() -> None:
    text = "# nothing\n---\na: 1\n---\n---\n# still nothing\n---\n\nb: 2\n"
    found = manifest.load_text(text, "m.yaml")
    assert [(each.object, each.line, each.index) for each in found] == [
        ({"a": 1}, 3, 0),
        ({"b": 2}, 9, 1),
    ]
    assert {each.source for each in found} == {"m.yaml"}


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", "---\n---\n", "null", "~\n", "\ufeff"])
def test_a_text_without_objects_gives_none(text: str) -> None:
    assert manifest.load_text(text) == []


def test_a_duplicate_key_is_refused_with_its_line() -> None:
    error = _refusal("a:\n  b: 1\n  c: 2\n  b: 3\n")
    assert (error.problem, error.line) == ('key "b" is set twice', 4)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: 1\nb: c: d\n", 2, "mapping values are not allowed in this context"),
        ("a:\n\tb: 1\n", 2, "a tab cannot indent YAML"),
        ("a: @x\n", 1, "a value cannot start with @"),
        ("a: 1\nkind Pod\nb: 2\n", 2, "this line has no colon after its key"),
        ("a: 1\nb: 'x\nc: 2\n", 2, "a quote is opened here and never closed"),
        ("a:\n  b: 1\n c: 2\n", 3, "did not find expected key"),
        ("a: [1, 2\nb: 3\n", 2, "did not find expected ',' or ']'"),
    ],
)
def test_broken_yaml_names_the_line(text: str, line: int, problem: str) -> None:
    error = _refusal(text)
    assert (error.file, error.line) == ("m.yaml", line)
    assert error.problem == f"not valid YAML: {problem}"
    assert error.fix


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x00", b"a: \xff\xfe", b"a: b\x00"])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    assert _refusal(data).problem.startswith("not text")


def test_a_broken_document_does_not_hide_the_others() -> None:
    text = "a: 1\n---\nb: c: d\n---\nc: 3\n---\n\td: 4\n---\ne: 5\n"
    reading = manifest.read_text(text, "m.yaml")
    assert [(each.object, each.line) for each in reading.documents] == [
        ({"a": 1}, 1),
        ({"c": 3}, 5),
        ({"e": 5}, 9),
    ]
    assert [problem.line for problem in reading.problems] == [3, 7]
    assert reading.bad == {(1, ""), (3, "")}


@pytest.mark.parametrize("text", ["- a\n", "just text\n", "12\n", "true\n", "[1]"])
def test_a_document_that_is_no_object_is_refused(text: str) -> None:
    assert "expected an object with apiVersion and kind" in _refusal(text).problem


def test_json_is_read_alone_one_after_the_other_and_among_yaml() -> None:
    assert _only('{"a": 1.0, "b": [true, null]}') == {"a": 1.0, "b": [True, None]}
    found = manifest.load_text('{"a": 1}\n{"b": 2} {"c": 3}')
    assert [(each.object, each.line) for each in found] == [
        ({"a": 1}, 1),
        ({"b": 2}, 2),
        ({"c": 3}, 2),
    ]
    mixed = manifest.load_text('{"a": 1}\n---\nb: 2\n')
    assert [each.object for each in mixed] == [{"a": 1}, {"b": 2}]
    assert _only("{a: 1, b: [x]}") == {"a": 1, "b": ["x"]}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('{"a": 1,\n}', 2, "trailing comma in object"),
        ('{"a": 1\n"b": 2}', 2, "expected ',' or '}'"),
        ('{"a":\n[1, 2', 2, "Input data was truncated"),
        ('{"a": 1}\n{"b": 2,}', 2, "trailing comma in object"),
        ('{"a": NaN}', 1, "invalid character"),
    ],
)
def test_broken_json_names_the_line(text: str, line: int, problem: str) -> None:
    error = _refusal(text)
    assert (error.problem, error.line) == (f"not valid JSON: {problem}", line)


def test_json_in_another_encoding_is_refused() -> None:
    assert _refusal(b'{"a": "\xff"}').problem == "not UTF-8"


def test_lists_are_flattened_and_their_items_know_their_place() -> None:
    text = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [
                {"apiVersion": "v1", "kind": "Service"},
                {"apiVersion": "v1", "kind": "PodList", "items": [{"spec": {}}]},
            ],
        }
    )
    found = manifest.load_text(text)
    assert [(each.object["kind"], each.path) for each in found] == [
        ("Service", "items[0]"),
        ("Pod", "items[1].items[0]"),
    ]
    assert found[1].object == {"apiVersion": "v1", "kind": "Pod", "spec": {}}


def test_a_list_item_that_is_no_object_is_refused_with_its_path() -> None:
    reading = manifest.read_text("kind: List\nitems: [{kind: A}, 5]\n")
    assert len(reading.documents) == 1
    assert reading.problems[0].path == "items[1]"


def _objects(text: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    plain = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | text
    trees = st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=20,
    )
    rest = st.dictionaries(text, trees, max_size=5)
    return rest.map(lambda fields: {"kind": "Thing", **fields})


# JSON escapes what YAML has no such escape for, and YAML refuses control characters.
_PRINTABLE = st.text(st.characters(categories=["L", "N", "P", "S"]) | st.just(" "))


@given(_objects(st.text()))
def test_what_pyyaml_writes_is_read_back(obj: dict[str, Any]) -> None:
    text = yaml.dump(obj, Dumper=yaml.SafeDumper, default_style='"')
    assert _only(text) == obj


@given(_objects(_PRINTABLE))
def test_json_means_the_same_when_read_as_yaml(obj: dict[str, Any]) -> None:
    text = json.dumps(obj, ensure_ascii=False)
    assert _only(text) == obj
    assert _only(f"---\n{text}") == obj


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    reading = manifest.read_text(text)
    assert all(problem.problem for problem in reading.problems)
