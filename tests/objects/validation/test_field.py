"""A broken rule and its wording."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (field.invalid("a", "x\ty", "must not"), 'a: Invalid value: "x\\ty": must not'),
        (field.invalid("a", 3, "too small"), "a: Invalid value: 3: too small"),
        (field.invalid("a", True, "no"), "a: Invalid value: true: no"),
        (field.invalid("a", None, "no"), "a: Invalid value: null: no"),
        (field.invalid("a", field.Rendered("{A:1}"), "no"), "a: Invalid value: {A:1}: no"),
        (field.required("a"), "a: Required value"),
        (field.required("a", "say it"), "a: Required value: say it"),
        (field.duplicate("a[1]", "n"), 'a[1]: Duplicate value: "n"'),
        (field.not_found("a", "n"), 'a: Not found: "n"'),
        (field.not_supported("a", "x", ["b", "c"]),
         'a: Unsupported value: "x": supported values: "b", "c"'),
        (field.forbidden("a", "never"), "a: Forbidden: never"),
        (field.too_long("a", 1), "a: Too long: may not be more than 1 byte"),
        (field.too_long("a", 253), "a: Too long: may not be more than 253 bytes"),
        (field.too_many("a", 9, 8), "a: Too many: 9: must have at most 8 items"),
        (field.internal("a", "oops"), "a: Internal error: oops"),
    ],
)  # fmt: skip
def test_an_error_reads_as_upstream_words_it(error: FieldError, text: str) -> None:
    assert str(error) == text


def test_a_cause_has_reason_message_and_field() -> None:
    assert field.required("spec.x", "now").cause == {
        "reason": "FieldValueRequired",
        "message": "Required value: now",
        "field": "spec.x",
    }


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", '""'),
        ('say "hi"', '"say \\"hi\\""'),
        ("a\\b", '"a\\\\b"'),
        ("\x00\x7f", '"\\x00\\x7f"'),
        ("é世", '"é世"'),
        ("\u200b", '"\\u200b"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_strings_are_quoted_as_go_quotes_them(text: str, quoted: str) -> None:
    assert field.quote(text) == quoted


def test_strings_of_enumerations_and_lists_are_shown_as_json() -> None:
    choice = field.not_supported("a", "<b>", ("c",))
    assert choice.body == 'Unsupported value: "\\u003cb\\u003e": supported values: "c"'
    assert field.invalid("a", ["<"], "d").body == 'Invalid value: ["\\u003c"]: d'
    assert field.invalid("a", "<b>", "d").body == 'Invalid value: "<b>": d'
