from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubestage import errors
from kubestage.objects import decode, go_scanner, json_documents, nesting, yaml_documents

HALF = nesting.DEEPEST // 2


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_what_holds_nothing_is_not_nested() -> None:
    assert nesting.depth("text") == 0
    assert nesting.depth([]) == 1
    assert nesting.depth({"a": [{}]}) == 3


@pytest.mark.parametrize(("more", "is_deep"), [(0, False), (1, True), (5000, True)])
def test_a_value_is_too_deep_from_one_level_on(more: int, is_deep: bool) -> None:
    value = nested(nesting.DEEPEST + more)
    text = b"[" * (nesting.DEEPEST + more)
    assert nesting.is_too_deep(value, text) is is_deep


def test_every_way_in_refuses_what_is_too_deep() -> None:
    text = msgspec.json.encode(nested(nesting.DEEPEST + 1))
    with pytest.raises(go_scanner.SyntaxProblem, match=nesting.TOO_DEEP):
        go_scanner.scan(text)
    body = b'{"apiVersion":"v1","kind":"ConfigMap","data":' + text + b"}"
    with pytest.raises(errors.BadRequest, match=nesting.TOO_DEEP):
        decode.decode(body, "v1", "ConfigMap")
    with pytest.raises(errors.InputError, match="nested too deeply"):
        json_documents.read(text)
    with pytest.raises(errors.InputError, match="nested too deeply"):
        list(yaml_documents.Reader(b"- " * (nesting.DEEPEST + 1) + b"a").documents())


def test_aliases_cannot_nest_deeper_than_what_is_written_out() -> None:
    half = "[" * HALF + "{}" + "]" * HALF
    other = half.replace("{}", "*a")
    with pytest.raises(errors.InputError, match="nested too deeply"):
        list(yaml_documents.Reader(f"x: &a {half}\ny: {other}".encode()).documents())


def test_as_many_values_as_there_may_be() -> None:
    most = nesting.MOST_VALUES
    assert not nesting.is_too_large(msgspec.json.encode([0] * (most - 1)))
    assert nesting.is_too_large(msgspec.json.encode([0] * most))


def test_commas_within_text_are_no_values() -> None:
    assert not nesting.is_too_large(msgspec.json.encode({"data": "," * 2 * nesting.MOST_VALUES}))


def test_repeated_keys_count_though_one_of_them_is_left() -> None:
    assert nesting.is_too_large(b"{" + b'"a":1,' * nesting.MOST_VALUES + b'"a":1}')


def test_what_is_no_json_is_counted_by_its_marks() -> None:
    assert nesting.is_too_large(b"- a\n" * nesting.MOST_VALUES)
    assert not nesting.is_too_large(b"- a\n" * 10)
