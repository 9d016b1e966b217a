"""A fuzzer of all languages in which input is written: each text has a value or our error.

Seeded, so that a failure can be had again. Limits are small here: what is tested is that each text
comes to its end, with no error but ours, and with no more output than it may have.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

import pytest

from kubestage.controllers.kwok import cel_programs, queries
from kubestage.errors import KubestageError
from kubestage.golang import template as gotemplate
from kubestage.golang.template import sprig
from kubestage.golang.template.limits import Limits
from kubestage.objects import jsonpath
from kubestage.promql import queries as promql
from kubestage.promql.series import SeriesStore
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

_OBJECT: Final = {
    "metadata": {"name": "p", "labels": {"a": "b"}, "annotations": {"n": "12"}},
    "spec": {"list": [1, 2, {"a": [3]}], "text": "abc" * 20},
    "status": {"conditions": [{"type": "Ready", "status": "True"}], "count": 3},
}
_LIMITS: Final = Limits(steps=5_000, made=1 << 18, written=1 << 16)

_TEMPLATES: Final = [
    "{{", "}}", "(", ")", "|", " ", " ", "$x", ":=", "=", ".", ".spec", ".spec.list", "$", "end",
    "range", "if", "with", "else", "define", "template", "block", '"t"', "1", "2000000000", "-1",
    "1.5", '"a"', '"%1000000d"', '"%v"', "`x`", "x", "\n", ",", "printf", "print", "index",
    "slice", "len", "and", "or", "not", "eq", "lt", "html", "js", *sorted(sprig.FUNCTIONS),
]  # fmt: skip
_CEL: Final = [
    "self", ".", "spec", "list", "text", "(", ")", "[", "]", "+", "-", "*", "/", "==", "&&", "||",
    "?", ":", "'a'", "1", "1000000000", "1.5", ",", "x", "true", "null", "{", "}", "in", "has(",
    ".map(x, ", ".all(x, ", ".filter(x, ", ".exists(x, ", ".replace('a', ", ".join(", ".size()",
    "lists.range(", ".split(", ".contains(", ".matches(", ".flatten()", "'%s'.format(", ".sort()",
]  # fmt: skip
_PROMQL: Final = [
    "up", "(", ")", "{", "}", "[", "]", ":", "5m", "1ms", "100y", "1d", "sum", "by", "without",
    "on", "rate", "sum_over_time", "quantile_over_time", "label_replace", "label_join", "offset",
    "@", "+", "-", "*", "^", "==", "bool", "or", "unless", "job", "=", "=~", '"a"', '"(.*)"',
    '"$1$1"', ",", "1", "0.5", "time()", "vector(1)", "histogram_quantile", "absent",
    "group_left",
]  # fmt: skip
_JQ: Final = [
    ".", ".spec", ".spec.list", "|", ",", "[", "]", "[]", "(", ")", "{", "}", "..", "+", "-", "*",
    "1", "100000", '"a"', "range(100000)", "length", "select(", "map(", "tojson", "recurse",
    "reduce", "as $x", "$x", "def f: f;", "f", "first(", "limit(3;", "repeat(", "env", "input",
    "import", "?",
]  # fmt: skip
_PATHS: Final = [
    "{", "}", ".", "..", ".spec", ".spec.list", "[", "]", "*", "[*]", "[0]", "[0,0]", "['a','b']",
    "range", "{range ", "{end}", "[?(", ")]", "@", "@.a", "==", "<", "'a'", '"', "1", ":", "$",
    " ",
]  # fmt: skip


def _texts(words: list[str], count: int) -> list[str]:
    rng = random.Random(20)
    return ["".join(rng.choices(words, k=rng.randint(1, 14))) for _ in range(count)]


def _nested(words: list[str], count: int) -> list[str]:
    """The same word again and again: what makes parsers call themselves."""
    rng = random.Random(21)
    return [rng.choice(words) * rng.randint(50, 3000) for _ in range(count)]


def _template(text: str) -> int:
    shaped = text if "{{" in text else "{{ " + " ".join(text.split("|")) + " }}"
    return len(gotemplate.parse(shaped, "t", sprig.FUNCTIONS).execute(_OBJECT, limits=_LIMITS))


def _cel(text: str) -> int:
    cel_programs.check(text, "expression")
    return len(repr(cel_programs.ask(text, _OBJECT, False)))


def _path(text: str) -> int:
    return len(jsonpath.as_text(jsonpath.find(jsonpath.parse(text), _OBJECT)))


def _jq(text: str) -> int:
    queries.check(text, "key")
    return len(queries.ask(text, _OBJECT) or ())


def _store() -> SeriesStore:
    store = SeriesStore()
    for at_ms in range(0, 300_000, 15_000):
        store.append({"__name__": "up", "job": "a"}, at_ms, at_ms / 1000)
        store.append({"__name__": "up", "job": "b"}, at_ms, 1.0)
    return store


_SERIES: Final = _store()


def _query(text: str) -> int:
    return len(repr(promql.evaluate(_SERIES, text, 300 * SECOND_NS)))


@pytest.mark.parametrize(
    ("run", "words", "count", "longest"),
    [
        pytest.param(_template, _TEMPLATES, 3000, _LIMITS.written, id="templates"),
        pytest.param(_cel, _CEL, 2000, 64 << 20, id="CEL"),
        pytest.param(_query, _PROMQL, 3000, 64 << 20, id="PromQL"),
        pytest.param(_path, _PATHS, 3000, 64 << 20, id="JSONPath"),
        pytest.param(_jq, _JQ, 1000, 1 << 22, id="jq"),
    ],
)
def test_every_text_has_a_value_or_our_error(
    run: Callable[[str], int], words: list[str], count: int, longest: int
) -> None:
    values = 0
    for text in [*_texts(words, count), *_nested(words, count // 20)]:
        try:
            size = run(text)
        except KubestageError:
            continue
        assert size <= longest
        values += 1
    assert values > count // 100, "most texts should not be refused at once"


def test_texts_are_the_same_in_every_run() -> None:
    words: list[Any] = ["a", "b", "c"]
    assert _texts(words, 3) == _texts(words, 3)
