"""Strings may not bring structure of their own."""

from __future__ import annotations

import pytest

from kubestage.clusterloader.templating import shapes
from kubestage.errors import InputError
from tests.clusterloader.templating.cases import rendered

INJECTIONS = [
    ("x: {{.V}}", "a: b"),
    ("x: {{.V}}", "1\ny: 2"),
    ("x: {{.V}}", "{a: 1}"),
    ("x: [{{.V}}]", "1, 2"),
    ("{{.V}}: 1", "key"),
    ('x: "{{.V}}"', 'a", y: "b'),
    ("x: {{.V}}", "- a"),
    ("x: {{.V}}\n", "a\n---\nb: 1"),
    ("x: {{printf `%s` .V}}", "a: b"),
    ("x: {{if true}}{{.V}}{{end}}", "[1]"),
    ("{{define `d`}}{{.V}}{{end}}x: {{template `d` .}}", "[1]"),
    ("x: {{range Loop 1}}{{$.V}}{{end}}", "[1]"),
    ("x: {{slice .V 5 7}}", "ab[]cdefg"),
]
HARMLESS = [
    ("x: {{.V}}", "plain"),
    ("x: {{.V}}", "5"),
    ("x: {{.V}}", ""),
    ("x: {{.V}}", "null"),
    ('x: "{{.V}}"', "a: b, [c] {d}"),
    ("x: {{.V}}-{{.V}}", "true"),
    ("x: {{StructuralData .V}}", "{a: 1}"),
    ("{{$v := .V}}x: {{StructuralData $v}}", "[1, 2]"),
    ("x: |\n  {{.V}}\n", "any: [thing"),
    ("{{if eq .V `a: b`}}x: 1{{end}}", "a: b"),
]


@pytest.mark.parametrize(("text", "value"), INJECTIONS)
def test_a_string_that_changes_the_structure_is_refused(text: str, value: str) -> None:
    with pytest.raises(InputError, match="YAML Injection Detected"):
        rendered(text, V=value)


@pytest.mark.parametrize(("text", "value"), HARMLESS)
def test_a_string_that_stays_a_scalar_passes(text: str, value: str) -> None:
    assert rendered(text, V=value)


def test_numbers_and_truth_may_stand_anywhere() -> None:
    assert rendered("k{{.N}}: {{.B}}", N=5, B=True) == "k5: true"


@pytest.mark.parametrize("text", ["a: b: c", "a: 1\na: 2", "x: *unknown", "[1", "a: {{1}}\n b: 2"])
def test_a_template_that_is_no_yaml_by_itself_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="Invalid YAML Template"):
        rendered(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: 1\nb: 2\na: 2", "key 'a' again, in line 3"),
        ("a:\n\tb: 2", "cannot start any token, in line 2"),
        ("a: 1\nx: *unknown", "unknown anchor unknown, in line 2"),
    ],
)
def test_what_is_no_yaml_says_where(text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        rendered(text)
    assert (caught.value.fix or "").endswith(reason)


def test_an_injection_says_what_it_broke() -> None:
    with pytest.raises(InputError) as caught:
        rendered("x: 1\ny: {{.V}}", V="[")
    assert "quote it" in (caught.value.fix or "")
    assert ", in line" in (caught.value.fix or "")


def test_both_runs_of_the_guard_see_the_draws_of_the_first() -> None:
    text = "{{if eq (RandInt 1) 0}}x: 1{{else}}x: [1]{{end}}"
    assert {rendered(text, None) for _ in range(5)} <= {"x: 1", "x: [1]"}


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("1", "int"),
        ("0x1F", "int"),
        ("0o17", "int"),
        ("1_000", "int"),
        ("1e3", "float"),
        (".5", "float"),
        ("-.inf", "float"),
        (".nan", "float"),
        ("true", "bool"),
        ("yes", "string"),
        ("y", "string"),
        ("~", "null"),
        ("", "null"),
        ("'1'", "string"),
        ("!!int '1'", "int"),
        ("2001-01-02", "time"),
        ("2001-01-02T03:04:05Z", "time"),
        ("1.2.3", "string"),
        ("-", "null"),
    ],
)
def test_a_scalar_has_the_type_of_yaml_1_2(text: str, shape: str) -> None:
    (found,) = shapes.read(f"x: {text}" if text != "-" else "x: ~")
    assert found["x"] == shape


def test_anchors_merges_and_documents_are_followed() -> None:
    found = shapes.read("a: &a {x: 1}\nb: {<<: *a, y: s}\nc: *a\n--- \n---\n- 1\n")
    assert found == [
        {"a": {"x": "int"}, "b": {"x": "int", "y": "string"}, "c": {"x": "int"}},
        "null",
        ["int"],
    ]


@pytest.mark.parametrize("text", ["a: [", "a: 1\na: 2", "a: *b", "a: {<<: 5}", "\t- x"])
def test_what_go_cannot_read_is_unreadable(text: str) -> None:
    with pytest.raises(shapes.Unreadable):
        shapes.read(text)
