from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.golang import template as gotemplate
from kubestage.golang.template import Function, TemplateError
from tests.golang.template.running import evaluate, render

DATA = {
    "name": "x",
    "nil": None,
    "list": [1, 2, 3],
    "map": {"b": 2, "a": 1},
    "deep": {"er": {"est": "bottom"}},
    "n": 3,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{.deep.er.est}} {{$.deep.er.est}}", "bottom bottom"),
        ("{{with .deep}}{{.er.est}}{{$.name}}{{end}}", "bottomx"),
        ("{{(index .map `a`)}} {{(.deep).er.est}}", "1 bottom"),
        ("{{.none}} {{.none.other}} {{.nil}}", "<no value> <no value> <no value>"),
        ("{{$x := .nil}}{{$x.other}}", "<no value>"),
        ("{{if .none}}a{{else if .name}}b{{else}}c{{end}}", "b"),
        ("{{with .none}}a{{else with .name}}{{.}}{{end}}", "x"),
        ("{{range .list}}{{.}},{{end}}", "1,2,3,"),
        ("{{range $v := .list}}{{$v}}{{end}}", "123"),
        ("{{range $k, $v := .map}}{{$k}}={{$v}} {{end}}", "a=1 b=2 "),
        ("{{range .none}}a{{else}}none{{end}}", "none"),
        ("{{range .n}}{{.}}{{end}}", "012"),
        ("{{range $i := 2}}{{$i}}{{end}}", "01"),
        ("{{range $i, $v := .list}}{{if $i}}{{break}}{{end}}{{$v}}{{end}}", "1"),
        ("{{range .list}}{{if eq . 2}}{{continue}}{{end}}{{.}}{{end}}", "13"),
        ("{{$x := 0}}{{range .list}}{{$x = .}}{{end}}{{$x}}", "3"),
        ("{{$x := 0}}{{range .list}}{{$x := .}}{{end}}{{$x}}", "0"),
        ("{{$i := 9}}{{range $i, $_ := .list}}{{end}}{{$i}}", "9"),
        ("{{$v := 0}}{{range $v = .list}}{{end}}{{$v}}", "3"),
        ("{{define `t`}}<{{.}}{{$}}>{{end}}{{template `t` .name}}", "<xx>"),
        ("{{define `t`}}{{.}}{{end}}{{template `t`}}", "<no value>"),
        ("{{block `t` .name}}[{{.}}]{{end}}", "[x]"),
        ("{{.name | printf `%s-%s` `a` | len}}", "3"),
        ("{{or .none .name}} {{and .name .none}} {{or 0 ``}}", "x <no value> "),
        ("{{not .none}}{{not .list}}", "truefalse"),
        ("{{if and .name (index .list 9)}}{{end}}", None),
        ("{{if or .name (index .list 9)}}ok{{end}}", "ok"),
        ("{{slice .list 1}} {{slice .name 0 1}} {{len .map}}", "[2 3] x 2"),
    ],
)
def test_statements_and_pipelines_work_as_in_go(text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(TemplateError, match="index out of range: 9"):
            gotemplate.parse(text).execute(DATA)
    else:
        assert gotemplate.parse(text).execute(DATA) == expected


@pytest.mark.parametrize(
    ("text", "place", "node", "problem"),
    [
        ("\n {{.name.x}}", "2:8", ".name.x", "can't evaluate field x in type interface {}"),
        ("{{$x := .n}}{{$x.y}}", "1:16", "$x.y", "can't evaluate field y in type int"),
        ("{{.nil.x}}", "1:6", ".nil.x", "nil pointer evaluating interface {}.x"),
        ("{{range .name}}{{end}}", "1:8", ".name", "range can't iterate over x"),
        ("{{.name 1}}", "1:2", ".name", "name is not a method but has arguments"),
        ("{{1 2}}", "1:2", "1", "can't give argument to non-function 1"),
        ("{{len 3}}", "1:2", "len 3", "error calling len: len of type int"),
        ("{{template `no`}}", "1:11", '{{template "no"}}', 'template "no" not defined'),
        ("{{printf 1}}", "1:9", "1", "expected string; found 1"),
        ("{{printf .n}}", "1:9", ".n", "wrong type for value; expected string; got int"),
        ("{{printf .none}}", "1:9", ".none", "invalid value; expected string"),
        ("{{printf nil}}", "1:9", "nil", "cannot assign nil to string"),
        (
            "{{range $a, $b := 3}}{{end}}",
            "1:18",
            "3",
            "can't use 3 to iterate over more than one variable",
        ),
    ],
)
def test_what_cannot_run_says_where_and_why_in_the_words_of_go(
    text: str, place: str, node: str, problem: str
) -> None:
    template = gotemplate.parse(text, "t")
    with pytest.raises(TemplateError) as refused:
        template.execute(DATA)
    assert str(refused.value) == f'template: t:{place}: executing "t" at <{node}>: {problem}'


def test_an_error_names_the_template_that_was_running() -> None:
    with pytest.raises(TemplateError) as refused:
        render("{{define `d`}}{{len 1}}{{end}}{{template `d`}}")
    assert str(refused.value).startswith('template: t:1:16: executing "d" at <len 1>')


def test_a_template_that_calls_itself_for_ever_is_stopped() -> None:
    with pytest.raises(TemplateError, match="exceeded maximum template depth"):
        render("{{define `a`}}{{template `a`}}{{end}}{{template `a`}}")


def test_functions_given_at_the_run_stand_in_for_those_at_the_parse() -> None:
    template = gotemplate.parse("{{who}}", "", {"who": lambda: "a"})
    assert template.execute({}) == "a"
    assert template.execute({}, {"who": Function(lambda: "b")}) == "b"


def test_a_constant_takes_the_type_of_its_parameter() -> None:
    functions = {"f": Function(repr, ("float64",)), "i": Function(repr, ("int",))}
    template = gotemplate.parse("{{f 1}} {{i 2.0}}", "", functions)
    assert template.execute({}) == "1.0 2"


def test_nothing_of_python_can_be_reached() -> None:
    for name in ("__class__", "append", "keys"):
        with pytest.raises(TemplateError):
            render(f"{{{{(index .list 0).{name}}}}}{{{{.list.{name}}}}}", DATA)


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab{}\n ", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)


@given(st.text("ab {}\n\t-", max_size=30))
def test_text_without_actions_comes_out_as_it_is(text: str) -> None:
    text = text.replace("{{", "")
    assert gotemplate.parse(text).execute({}) == text


@given(_json, st.lists(st.sampled_from("abc"), min_size=1, max_size=3))
def test_a_path_gives_a_part_or_a_template_error(data: Any, names: list[str]) -> None:
    template = gotemplate.parse("{{." + ".".join(names) + "}}")
    try:
        text = template.execute(data)
    except TemplateError:
        return
    found = data
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    assert text == ("<no value>" if found is None else evaluate("print .", found))


_WORDS = [
    "{{",
    "}}",
    "if",
    "end",
    "else",
    "range",
    "print",
    ".",
    "$x",
    ":=",
    "|",
    "(",
    ")",
    "1",
    "-",
    '"a"',
]


@given(st.lists(st.sampled_from([*_WORDS, " ", "\n"]), max_size=14))
def test_any_text_either_runs_or_is_a_template_error(parts: list[str]) -> None:
    try:
        shown = gotemplate.parse("".join(parts)).execute({"a": [1]})
    except TemplateError as problem:
        shown = str(problem).removeprefix("template: ")
    assert isinstance(shown, str)


@given(st.lists(st.integers(), max_size=5), st.lists(st.integers(), max_size=5))
def test_running_twice_gives_the_same_and_leaves_the_data_alone(
    one: list[int], other: list[int]
) -> None:
    data = {"one": one, "other": other}
    template = gotemplate.parse("{{range $i, $x := .one}}{{$i}}{{$x}}{{end}}{{.other}}")
    first = template.execute(data)
    assert template.execute(data) == first
    assert data == {"one": one, "other": other}
