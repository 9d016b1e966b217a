"""YAML means what it means to Kubernetes tools: scalars, keys, anchors, merges."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.objects import manifest


def _only(text: str | bytes) -> Any:
    (document,) = manifest.load_text(text)
    return document.object


def _refusal(text: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        manifest.load_text(text, "m.yaml")
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # As go-yaml v2 resolves them, which is what sigs.k8s.io/yaml v1.6 uses.
        *((word, True) for word in ("y", "Y", "yes", "Yes", "YES", "true", "True", "on", "ON")),
        *((word, False) for word in ("n", "N", "no", "No", "false", "FALSE", "off", "Off")),
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        ("yEs", "yEs"),
        ("nUll", "nUll"),
        ("0", 0),
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("1_000", 1000),
        ("0777", 511),
        ("0o14", 12),
        ("0x1F", 31),
        ("-0x1f", -31),
        ("0b101", 5),
        ("08", 8),
        ("0899.5", 899.5),
        ("1e3", 1000),
        ("1.0", 1),
        ("-0.0", 0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5),
        ("1e21", 1e21),
        ("1e400", "1e400"),
        ("9223372036854775807", 2**63 - 1),
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854775808", -(2**63)),
        ("12:30:45", "12:30:45"),
        ("190:20:30", "190:20:30"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("100m", "100m"),
        ("1Gi", "1Gi"),
        ("0x", "0x"),
        (".", "."),
        ("'1'", "1"),
        ('"yes"', "yes"),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!float 3", 3),
        ("!!bool 'yes'", True),
        ("!!null ''", None),
        ("!!binary aGk=", "hi"),
        ("!mine text", "text"),
    ],
)
def test_a_scalar_is_what_go_makes_of_it(text: str, value: Any) -> None:
    found = _only(f"a: {text}")["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1", "1"),
        ("010", "8"),
        ("1.10", "1.1"),
        ("1e6", "1e+06"),
        ("123456.0", "123456"),
        ("0.00001", "1e-05"),
        ("1e40", ".inf"),
        (".nan", ".nan"),
        ("-.inf", "-.inf"),
        ("yes", "true"),
        ("n", "false"),
        ("'yes'", "yes"),
        ("2026-01-01", "2026-01-01"),
        ("&k name", "name"),
        ("!!str 5", "5"),
    ],
)
def test_a_key_becomes_text_as_in_go(text: str, key: str) -> None:
    assert list(_only(f"{text}: x")) == [key]


@pytest.mark.parametrize("text", ["~: x", "18446744073709551615: x", "null: x"])
def test_a_key_that_json_cannot_have_is_refused(text: str) -> None:
    assert "cannot be a key" in _refusal(text).problem


@pytest.mark.parametrize("text", [".nan", ".inf", "-.inf", "!!int x", "!!binary %", "!!null 1"])
def test_a_value_that_json_cannot_have_is_refused_with_its_line(text: str) -> None:
    assert _refusal(f"a: 1\nb: {text}\n").line == 2


def test_anchors_are_filled_in() -> None:
    text = "a: &x {k: 1}\nb: *x\nc: &n five\nd: [*n, *n]\n"
    assert _only(text) == {"a": {"k": 1}, "b": {"k": 1}, "c": "five", "d": ["five", "five"]}


def test_merged_keys_yield_to_later_ones() -> None:
    text = "x: &x {k: 1, m: 2}\ny: &y {k: 7, z: 9}\na:\n  <<: *x\n  k: 3\nb:\n  <<: [*x, *y]\n"
    found = _only(text)
    assert found["a"] == {"k": 3, "m": 2}
    assert found["b"] == {"k": 1, "m": 2, "z": 9}


def test_a_quoted_merge_key_is_an_ordinary_key() -> None:
    assert _only("'<<': 1") == {"<<": 1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: *b", "unknown anchor 'b' referenced"),
        ("a: &a [*a]", "anchor 'a' value contains itself"),
        ("<<: 5", "map merge requires map or sequence of maps as the value"),
        ("? [a]\n: b", "a mapping or list cannot be a key"),
        ("a: {{ .Values.b }}", "a mapping or list cannot be a key"),
    ],
)
def test_misused_anchors_and_keys_are_refused(text: str, problem: str) -> None:
    assert _refusal(text).problem == problem


def test_aliases_cannot_blow_up() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    assert _refusal("\n".join(lines)).problem == "document contains excessive aliasing"


@pytest.mark.parametrize("text", ["a: " + "[" * 5000, "[" * 100_000, '{"a":' * 100_000])
def test_endless_nesting_is_refused(text: str) -> None:
    assert "deep" in _refusal(text).problem or "not valid" in _refusal(text).problem
