from __future__ import annotations

import pickle

import pytest

from kubestage.golang import template as gotemplate
from kubestage.golang.template import TemplateError
from tests.golang.template.running import render


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\n{{if .X}}b", "template: t:2: unexpected EOF"),
        ("{{nope}}", 'template: t:1: function "nope" not defined'),
        ("{{$x}}", 'template: t:1: undefined variable "$x"'),
        ("{{if .X}}{{$x := 1}}{{end}}{{$x}}", 'template: t:1: undefined variable "$x"'),
        ("{{define `a`}}{{$x}}{{end}}{{$x := 1}}", 'template: t:1: undefined variable "$x"'),
        ("{{(1}}", "template: t:1: unclosed left paren"),
        ("{{1)}}", "template: t:1: unexpected right paren"),
        ("{{.X", "template: t:1: unclosed action"),
        ("{{\n\n.X", "template: t:3: unclosed action started at t:1"),
        ("{{/* a }}", "template: t:1: unclosed comment"),
        ("{{/* a */ .X}}", "template: t:1: comment ends before closing delimiter"),
        ("{{'a}}", "template: t:1: unterminated character constant"),
        ("{{`a}}", "template: t:1: unterminated raw quoted string"),
        ("{{3k}}", 'template: t:1: bad number syntax: "3k"'),
        ("{{089}}", 'template: t:1: integer overflow: "089"'),
        ("{{$x=2}}", "template: t:1: bad character U+003D '='"),
        ("{{.X ,}}", 'template: t:1: unexpected "," in operand'),
        ("{{1.5.X}}", 'template: t:1: unexpected . after term "1.5"'),
        ("{{true.X}}", 'template: t:1: unexpected . after term "true"'),
        ("{{break}}", "template: t:1: {{break}} outside {{range}}"),
        ("{{range .X}}{{end}}{{continue}}", "template: t:1: {{continue}} outside {{range}}"),
        ("{{if $a, $b := .X}}{{end}}", "template: t:1: too many declarations in if"),
        ("{{range $a, .X := .Y}}{{end}}", "template: t:1: range can only initialize variables"),
        ("{{range $a, $b, $c := .Y}}{{end}}", "template: t:1: too many declarations in range"),
        ("{{if}}{{end}}", "template: t:1: missing value for if"),
        ("{{.X | 3}}", "template: t:1: non executable command in pipeline stage 2"),
        ("{{|}}", 'template: t:1: unexpected "|" in command'),
        ("{{template 3}}", 'template: t:1: unexpected "3" in template clause'),
        ("{{if .X}}{{else}}{{else}}{{end}}", "template: t:1: expected end; found {{else}}"),
        (
            "{{define `a`}}x{{end}}{{define `a`}}y{{end}}",
            'template: t:1: template: multiple definition of template "a"',
        ),
        ("{{\x01}}", "template: t:1: unrecognized character in action: U+0001"),
    ],
)
def test_a_bad_template_is_refused_in_the_words_of_go(text: str, problem: str) -> None:
    with pytest.raises(TemplateError) as refused:
        gotemplate.parse(text, "t")
    assert str(refused.value) == problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a {{- 1 -}} b", "a1b"),
        ("a {{- /* gone */ -}} b", "ab"),
        ("a {{/* gone */}} b", "a  b"),
        ("{{-1}} {{- -1}}", "-1-1"),
        ("a\n\t{{- 1}}\n{{2 -}}\n \t\r b", "a1\n2b"),
        ("{{ 1   -}} x", "1x"),
        ("{{- $x := 1 }} {{ $x }}", " 1"),
        ("}} {{`{{`}} }", "}} {{ }"),
    ],
)
def test_trim_markers_and_comments_take_space_away(text: str, expected: str) -> None:
    assert render(text, {}) == expected


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("'\\n'", "10"),
        ("'é'", "233"),
        ("0x1F", "31"),
        ("017", "15"),
        ("0b11", "3"),
        ("1_000", "1000"),
        ("1e3", "1000"),
        ("0x1p4", "16"),
        ("-0", "0"),
        ("1e7", "1e+07"),
        ("1+2i", "(1+2i)"),
        ('"\\u00e9\\x41\\101\\t"', "éAA\t"),
        ("`a\\n`", "a\\n"),
    ],
)
def test_constants_are_read_as_go_reads_them(literal: str, expected: str) -> None:
    assert render(f"{{{{{literal}}}}}", {}) == expected


def test_a_function_may_be_called_like_a_jump() -> None:
    template = gotemplate.parse("{{break}}", "", {"break": lambda: "x"})
    assert template.execute({}) == "x"


def test_nesting_beyond_the_stack_is_an_error_of_the_template() -> None:
    with pytest.raises(TemplateError, match="max expression depth exceeded"):
        gotemplate.parse("{{" + "(" * 5000 + "1" + ")" * 5000 + "}}")


def test_an_error_knows_its_line_and_survives_pickling() -> None:
    with pytest.raises(TemplateError) as refused:
        gotemplate.parse("a\nb\n{{nope}}", "t")
    assert refused.value.line == 3
    assert pickle.loads(pickle.dumps(refused.value)).problem == refused.value.problem


def test_a_template_without_own_functions_pickles() -> None:
    template = gotemplate.parse("{{range .}}{{.}}{{end}}", "t")
    bodies = pickle.loads(pickle.dumps(template.bodies))
    assert list(bodies) == ["t"]
