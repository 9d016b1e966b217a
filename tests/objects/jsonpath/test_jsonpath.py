"""JSONPath as kubectl has it; every answer was taken from the real one (v1.32, unchanged since)."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import jsonpath

CONFIG: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [
        {"name": "a", "cluster": {"server": "https://a"}},
        {"name": "b", "cluster": {"server": "https://b", "insecure": True}},
        {"name": "c", "cluster": {"server": "https://c", "html": "<&>"}},
    ],
    "users": [],
    "empty": None,
    "labels": {"a.b/c": "v"},
    "weight": 1.0,
    "large": 9007199254740993,
}

FOUND = [
    ("plain", "plain"),
    ("a{.kind}b", "aConfigb"),
    ("{.kind}}", "Config}"),
    ("{ .kind }", "Config"),
    ("{$.kind}", "Config"),
    ("{@.kind}", "Config"),
    ("{.kind .apiVersion}", ""),
    ("{.kind.foo}", ""),
    ("{.missing}", ""),
    ("{.a|b}", ""),
    ("{.}", ""),
    ("{.clusters[].name}", "a"),
    ("{.clusters[0:2].name}", "a b"),
    ("{.clusters[::2].name}", "a c"),
    ("{.clusters[-1:].name}", "c"),
    ("{.clusters[-1].name}", "c"),
    ("{.clusters[0:0].name}", ""),
    ("{.clusters [0] .name}", "a"),
    ("{.clusters[0,2].name}", "a c"),
    ("{.clusters[0]['name','cluster']}", 'a {"server":"https://a"}'),
    ("{.clusters[*]['name']}", "a b c"),
    ("{.clusters['name']}", ""),
    ("{.clusters.name}", ""),
    ("{.clusters.*.name}", "a b c"),
    ("{.clusters[*].name.*}", "97 98 99"),
    ("{..server}", "https://a https://b https://c"),
    ("{...server}", "https://a https://b https://c"),
    (r"{.labels.a\.b/c}", "v"),
    (r"{.labels['a\.b/c']}", "v"),
    ("{.labels['a.b/c']}", ""),
    ('{range .clusters[*]}{.name}{"\\n"}{end}x', "a\nb\nc\nx"),
    ("{range .users[*]}{.name}{end}after", "after"),
    ("{range .clusters[*]}{range .cluster}{.server}{end};{end}", "https://a;https://b;https://c;"),
    ("{range .clusters[*]}{.name}", "abc"),
    ("{range .clusters[*]}x", "xxxx"),
    ("{range}", ""),
    ("{true}", "true"),
    ("{1.5}{1}{+1}", "1.511"),
    ('{.clusters[?(@.name=="a")].cluster}', '{"server":"https://a"}'),
    ("{.clusters[?(@.name=='a')].name}", "a"),
    ('{.clusters[?( @.name == "b" )].name}', "b"),
    ('{.clusters[?(@.name!="a")].name}', "b c"),
    ('{.clusters[?(@.name>"a")].name}', "b c"),
    ('{.clusters[?(@.name=="x)")].name}', ""),
    ("{.clusters[?(@.name==@.name)].name}", "a b c"),
    ("{.clusters[?(@.foo)].name}", ""),
    ("{.clusters[?(@.cluster.insecure)].name}", "b"),
    ("{.clusters[?(@.cluster.insecure==true)].name}", "b"),
    ('{"a\\tb"}', "a\tb"),
    ("{'it\\'s'}", "it's"),
    ('{"\\u00e9\\x41"}', "éA"),
    ("{'a\"b'}", 'a"b'),
    ("{.empty}", "null"),
    ("{.empty[0]}", ""),
    ("{.users}", "[]"),
    ("{.clusters[2].cluster}", '{"html":"\\u003c\\u0026\\u003e","server":"https://c"}'),
    ("{.weight}", "1"),
    ("{.large}", "9007199254740993"),
]


@pytest.mark.parametrize(("template", "text"), FOUND)
def test_a_template_finds_what_kubectl_finds(template: str, text: str) -> None:
    assert jsonpath.as_text(jsonpath.find(jsonpath.parse(template), CONFIG)) == text


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{.kind", "unclosed action"),
        ("{.kind\n}", "unclosed action"),
        ("{.clusters[0", "unterminated array"),
        ("{.clusters[a]}", "invalid array index a"),
        ("{.clusters[ 0 ]}", "invalid array index  0 "),
        ('{.clusters["a"]}', 'invalid array index "a"'),
        ("{.clusters[-].name}", "array index - is not a number"),
        ('{.clusters[?(@.name=="a"]}', "unterminated filter"),
        ("{.clusters[?(@.name)}", "unclosed array expect ]"),
        ('{.clusters[?(@.name=~"a")]}', "unrecognized character in action: U+007E '~'"),
        ("{*}", "unrecognized character in action: U+002A '*'"),
        ("{\t.kind}", "unrecognized character in action: U+0009"),
        ('{"a', "unterminated quoted string"),
        ('{"\\q"}', 'unquote string "\\q" error invalid syntax'),
        ("{-}", "cannot parse number -"),
        ("{1.2.3}", "cannot parse number 1.2.3"),
        ("{.. ..a}", "invalid multiple recursive descent"),
    ],
)
def test_a_template_that_cannot_be_read_says_why(template: str, problem: str) -> None:
    with pytest.raises(jsonpath.JSONPathError) as caught:
        jsonpath.parse(template)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{foo}", "unrecognized identifier foo"),
        ("{end}", "not in range, nothing to end"),
        ("{.clusters[5].name}", "array index out of bounds: index 5, length 3"),
        ("{.clusters[-5].name}", "array index out of bounds: index -2, length 3"),
        ("{.clusters[0:9].name}", "array index out of bounds: index 8, length 3"),
        ("{.clusters[2:1].name}", "starting index 2 is greater than ending index 1"),
        ("{.clusters[::-1].name}", "step must be > 0"),
        ("{.kind[0]}", "string is not array or slice"),
        ("{..[0].name}", "map[string]interface {} is not array or slice"),
        ("{.kind[?(@.a)]}", "Config is not array or slice and cannot be filtered"),
        ("{.clusters[?(@.name==1)].name}", "incompatible types for comparison"),
        ("{.clusters[?(@==true)].name}", "invalid type for comparison"),
        ("{.clusters[?(@.name===1)]}", "unrecognized filter operator ==="),
        ("{.clusters[?(@.*=='a')]}", "can only compare one element at a time"),
    ],
)
def test_a_template_that_does_not_fit_says_why(template: str, problem: str) -> None:
    with pytest.raises(jsonpath.JSONPathError) as caught:
        jsonpath.find(jsonpath.parse(template), CONFIG)
    assert str(caught.value) == problem


def test_a_missing_member_may_be_an_error() -> None:
    with pytest.raises(jsonpath.JSONPathError, match="nothing is not found"):
        jsonpath.find(jsonpath.parse("{.nothing}"), CONFIG, missing_ok=False)


def test_as_json_every_part_is_a_list() -> None:
    found = jsonpath.find(jsonpath.parse("{.kind}x{.none}"), CONFIG)
    assert jsonpath.as_json(found) == '[\n    "Config"\n]\n[\n    "x"\n]\n[]\n'
