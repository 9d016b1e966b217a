from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import label_selectors


def problems(selector: dict[str, Any] | None) -> list[str]:
    return [str(error) for error in label_selectors.validate_label_selector(selector, "s")]


def test_an_absent_selector_breaks_no_rule() -> None:
    assert problems(None) == []
    assert problems({}) == []


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            {"key": "a", "operator": "In"},
            (
                "s.matchExpressions[0].values: Required value: must be specified when "
                "`operator` is 'In' or 'NotIn'"
            ),
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["b"]},
            (
                "s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is "
                "'Exists' or 'DoesNotExist'"
            ),
        ),
        (
            {"key": "a", "operator": "Foo"},
            's.matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator',
        ),
    ],
)
def test_operator_and_values_must_agree(expression: dict[str, Any], text: str) -> None:
    assert problems({"matchExpressions": [expression]}) == [text]


def test_keys_and_values_are_labels() -> None:
    found = problems(
        {
            "matchLabels": {"bad key": "bad value"},
            "matchExpressions": [{"key": "", "operator": "In", "values": ["-x"]}],
        }
    )
    assert [text.split(":")[0] for text in found] == [
        "s.matchLabels",
        "s.matchLabels",
        "s.matchExpressions[0].key",
        "s.matchExpressions[0].key",
        "s.matchExpressions[0].values[0]",
    ]


def test_an_update_may_keep_values_that_were_ill_formed_before() -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-x"]}]}
    assert label_selectors.has_invalid_value(selector)
    assert not label_selectors.has_invalid_value(None)
    assert not label_selectors.validate_label_selector(selector, "s", allow_invalid_values=True)
