"""Files of templates as objects."""

from __future__ import annotations

import pickle
import random

import pytest

from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.templating.templates import Templates
from kubestage.errors import InputError
from tests.clusterloader.templating.cases import objects, templates

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{.Name}}\n"


def test_several_documents_make_several_objects() -> None:
    found = objects(f"{CONFIG_MAP}---\n# nothing\n---\n{CONFIG_MAP}---\n", Name="x")
    assert [each["metadata"]["name"] for each in found] == ["x", "x"]


@pytest.mark.parametrize("text", ["", " \n", "# a comment\n", "{{if false}}kind: X{{end}}\n"])
def test_an_empty_rendering_makes_no_object(text: str) -> None:
    assert objects(text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("apiVersion: v1", "main: kind: Object 'Kind' is missing"),
        ("{}", "'Kind' is missing"),
        ("- a", "an object with apiVersion and kind is expected"),
        ("kind: 5", "'Kind' is missing"),
        ("x: {{.A", "main: parsing error: template: :1: unclosed action"),
        ("x: {{Nope}}", 'function "Nope" not defined'),
        ("x: {{AddInt .A}}", "main: replacing placeholders error: template: :1:5"),
    ],
)
def test_what_is_wrong_names_the_file(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        objects(text, A="x")
    assert caught.value.file == "main"
    assert problem in str(caught.value)


def test_json_is_a_template_too() -> None:
    (found,) = objects('{"kind": "X", "a": {{.N}}, "b": "{{.S}}", "c": 1.0}', N=5, S="s")
    assert found == {"kind": "X", "a": 5, "b": "s", "c": 1.0}


def test_floats_are_read_as_go_reads_them() -> None:
    (found,) = objects(
        "kind: X\na: {{.Big}}\nb: {{.Small}}\nc: {{.S}}", Big=1e6, Small=5e-5, S="on"
    )
    assert found == {"kind": "X", "a": 1000000, "b": 5e-05, "c": True}


def test_raw_objects_are_read_without_what_stands_in_braces() -> None:
    text = (
        "{{$x := 1}}\napiVersion: apps/v1\nkind: Deployment\n{{if .A}}\n"
        "metadata:\n  name: {{.Name}}\n  a: {{.X}} between {{.Y}} after\n{{end}}\n"
        "---\napiVersion: v1\nkind: Service\n"
    )
    found = templates({"main": text}).raw_objects("main")
    assert [each["kind"] for each in found] == ["Deployment", "Service"]
    assert found[0]["metadata"] == {"name": None, "a": "after"}


def test_json_on_one_line_is_read_without_its_actions_only() -> None:
    text = '{"kind": "X", "a": "{{.A}}", "b": {"c": "{{.B}}", "d": {"e": "{{.C}}"}}}'
    (found,) = templates({"main": text}).raw_objects("main")
    assert found == {"kind": "X", "a": "", "b": {"c": "", "d": {"e": ""}}}


def test_numbers_of_json_come_from_expressions() -> None:
    text = '{"kind": "X", "spec": {"replicas": {{ 3+RAND()%5 }}, "a": [{{.A}}]}}'
    (raw,) = templates({"main": text}).raw_objects("main")
    assert raw == {"kind": "X", "spec": {"replicas": 0, "a": [0]}}
    (found,) = objects(text, A=1, Index=0)
    assert 3 <= found["spec"]["replicas"] < 8
    assert found["spec"]["a"] == [1]


def test_a_file_is_read_once() -> None:
    made = templates({"main": CONFIG_MAP})
    assert made.raw_objects("main") is made.raw_objects("main")


def test_templates_pickle_with_the_state_of_their_chance() -> None:
    made = templates({"main": "kind: X\na: {{RandInt 1000000}}"})
    made.objects("main", {})
    copy = pickle.loads(pickle.dumps(made))
    assert copy.objects("main", {}) == made.objects("main", {})
    assert copy.raw_objects("main") == [{"kind": "X", "a": None}]


def test_the_value_of_a_file_is_its_first_document() -> None:
    made = templates({"main": "a: 1\n---\nb: 2\n", "none": "# nothing"})
    assert made.value("main", {}) == {"a": 1}
    assert made.value("none", {}) is None


def test_random_data_that_looks_like_a_mark_is_left_as_it_is() -> None:
    text = "a: {{.A}}\nb: {{.Long}}\nc: {{.A}}\n"
    files = Texts({"t.yaml": "kind: X\napiVersion: v1\n" + text})
    long = "x" * 400 + "zqS0qzzqV99qz"
    given = {"A": "one", "Long": long}
    [found] = Templates(files, random.Random(1)).objects("t.yaml", given)
    assert [found[each] for each in "abc"] == ["one", long, "one"]
