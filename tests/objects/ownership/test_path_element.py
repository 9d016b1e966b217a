"""Path elements: the text in which they are written, sorted and shown."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.ownership import path_element


@pytest.mark.parametrize(
    ("keys", "written", "shown"),
    [
        ([("name", "c")], 'k:{"name":"c"}', '[name="c"]'),
        (
            [("protocol", "TCP"), ("port", 80)],
            'k:{"port":80,"protocol":"TCP"}',
            '[port=80,protocol="TCP"]',
        ),
        ([("a", 'say "<b>"')], r'k:{"a":"say \"\u003cb\u003e\""}', r'[a="say \"<b>\""]'),
        ([("a", 2.0)], 'k:{"a":2}', "[a=2]"),
        ([("a", True)], 'k:{"a":true}', "[a=true]"),
        ([("a", None)], 'k:{"a":null}', "[a=null]"),
    ],
)
def test_keys_are_sorted_and_escaped_as_go_does(
    keys: list[tuple[str, Any]], written: str, shown: str
) -> None:
    assert path_element.of_keys(keys) == written
    assert path_element.text(written) == shown
    assert path_element.canonical(written) == written


@pytest.mark.parametrize(
    ("element", "shown"),
    [("f:spec", ".spec"), ("i:3", "[3]"), ('v:"x"', '[="x"]'), ("v:1", "[=1]")],
)
def test_other_elements_are_shown_as_the_server_shows_them(element: str, shown: str) -> None:
    assert path_element.text(element) == shown
    assert path_element.canonical(element) == element


def test_an_element_of_unknown_form_is_none_at_all() -> None:
    assert path_element.canonical("q:new") is None
