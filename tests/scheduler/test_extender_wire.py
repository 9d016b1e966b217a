"""Answers are read as Go reads them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.scheduler import extender_wire
from kubestage.scheduler.extender_wire import ExtenderError, FilterAnswer


@pytest.mark.parametrize("body", [b"{}", b"null", b' {"Unknown": [1]} '])
def test_what_an_answer_does_not_say_is_nothing(body: bytes) -> None:
    assert extender_wire.filter_answer(body) == FilterAnswer(None, None, {}, {}, "")
    assert extender_wire.binding_error(body) == ""
    assert extender_wire.meta_victims(body) == {}


def test_the_case_of_names_does_not_matter() -> None:
    body = b'{"nodenames": ["a"], "FAILEDNODES": {"b": "x"}, "nodes": {"Items": null}}'
    assert extender_wire.filter_answer(body) == FilterAnswer(["a"], [], {"b": "x"}, {}, "")
    assert extender_wire.priorities(b'[{"host": "a", "score": 3}, null]') == [("a", 3), ("", 0)]


def test_what_follows_the_first_value_is_not_looked_at() -> None:
    assert extender_wire.binding_error(b' {"Error": "no"} <html>') == "no"


def test_broken_text_is_mended() -> None:
    assert extender_wire.binding_error(b'{"Error": "\xff"}') == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("read", "body"),
    [
        (extender_wire.filter_answer, b'{"NodeNames": "a"}'),
        (extender_wire.filter_answer, b'{"Error": {}}'),
        (extender_wire.filter_answer, b'{"FailedNodes": {"a": 1}}'),
        (extender_wire.priorities, b'[{"Score": 1.5}]'),
        (extender_wire.priorities, b'[{"Score": true}]'),
        (extender_wire.priorities, b'[{"Score": 9223372036854775808}]'),
        (extender_wire.priorities, b"{}"),
        (extender_wire.meta_victims, b'{"NodeNameToMetaVictims": {"a": {"Pods": [1]}}}'),
        (extender_wire.binding_error, b"{"),
    ],
)
def test_a_value_of_the_wrong_kind_is_an_error(read: Any, body: bytes) -> None:
    with pytest.raises(ExtenderError):
        read(body)
