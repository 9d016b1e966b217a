from __future__ import annotations

import pytest

from kubestage.wording import plural, shortened


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes"), (12345, "12,345 nodes")]
)
def test_a_number_has_its_noun(number: int, text: str) -> None:
    assert plural(number, "node") == text


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert plural(1, "entry", "entries") == "1 entry"
    assert plural(3, "entry", "entries") == "3 entries"


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert shortened("short", 5) == "short"
    assert shortened("begin" + "x" * 1000 + "end", 10) == "begin ... (998 characters) ... xxend"
