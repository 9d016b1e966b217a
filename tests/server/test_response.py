from __future__ import annotations

from kubestage.server.response import warning_headers


def texts(*warnings: str) -> list[str]:
    return [value.decode() for _, value in warning_headers(warnings)]


def test_warnings_are_told_once_and_quoted() -> None:
    assert texts('say "x"', "a\\b", 'say "x"', "") == [
        '299 - "say \\"x\\""',
        '299 - "a\\\\b"',
    ]


def test_a_warning_with_control_characters_is_not_sent() -> None:
    assert texts("a\nb", "c") == ['299 - "c"']


def test_many_long_warnings_are_cut() -> None:
    # All of them fit.
    assert texts("a" * 4000, "b" * 96)[0] == f'299 - "{"a" * 4000}"'
    # The second does not, so both are cut.
    cut = texts("a" * 4000, "b" * 97, "c" * 300)
    assert [len(each) - len('299 - ""') for each in cut] == [256, 97, 256]
    # In the end there is room for no more.
    assert len(texts(*(f"{number:0300}" for number in range(100)))) == 16
