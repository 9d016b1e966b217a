from __future__ import annotations

import pytest

from kubestage.golang.quote import quote


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("", '""'),
        ("a b", '"a b"'),
        ('say "a"', r'"say \"a\""'),
        ("a\\b", r'"a\\b"'),
        ("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"'),
        ("\x00\x7f", r'"\x00\x7f"'),
        ("\x80\u2028", r'"\u0080\u2028"'),
        ("\U000e0001", r'"\U000e0001"'),
        ("\udcff", r'"\xff"'),
        ("é☃", '"é☃"'),
    ],
)
def test_a_text_is_quoted_as_go_quotes_it(text: str, quoted: str) -> None:
    assert quote(text) == quoted


def test_other_marks_and_plain_ascii_can_be_chosen() -> None:
    assert quote("'\"", "'") == "'\\'\"'"
    assert quote("é", ascii_only=True) == r'"\u00e9"'
