from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.golang import floats
from kubestage.golang.quote import quote
from kubestage.golang.template import literals, printing
from kubestage.golang.template.values import Number
from kubestage.golang.template.verbs import sprintf


@pytest.mark.parametrize(
    ("form", "values", "expected"),
    [
        ("%d|%5d|%-5d|%05d|%+d|% d", (7, 7, 7, 7, 7, 7), "7|    7|7    |00007|+7| 7"),
        ("%x|%X|%#x|%o|%b", (255, 255, 255, 8, 5), "ff|FF|0xff|10|101"),
        ("%c|%U|%q", (65, 65, 65), "A|U+0041|'A'"),
        ("%.3d|%.0d|%08.3d", (7, 0, 7), "007||     007"),
        ("%s|%6s|%-6s|%.2s|%q|%x", ("go",) * 6, 'go|    go|go    |go|"go"|676f'),
        ("%#q|%+q|% x", ("a", "é", "ab"), '`a`|"\\u00e9"|61 62'),
        ("%v|%6.2f|%e", (0.5, 3.14159, 1500.0), "0.5|  3.14|1.500000e+03"),
        ("%g|%G", (1e21, 1e-7), "1e+21|1E-07"),
        ("%t|%v|%5t", (True, False, True), "true|false| true"),
        ("%v %d", ([1, "a", None], [1, 2]), "[1 a <nil>] [1 2]"),
        ("%s", ({"b": 1, "a": "x"},), "map[a:x b:%!s(int=1)]"),
        ("%d", ("x",), "%!d(string=x)"),
        ("%d", (), "%!d(MISSING)"),
        ("%d", (1, "b", None), "1%!(EXTRA string=b, <nil>)"),
        ("%!|%", (1,), "%!!(int=1)|%!(NOVERB)"),
        ("%[2]d %[1]d|%[3]d", (1, 2), "2 1|%!d(BADINDEX)"),
        ("%*d|%-*d|%.*f", (4, 7, 4, 7, 1, 0.25), "   7|7   |0.2"),
        ("%*d", ("a", 7), "%!(BADWIDTH)7"),
        ("%T %T %T", (1, "a", []), "int string []interface {}"),
        ("%#v", ([1, "a", None],), '[]interface {}{1, "a", interface {}(nil)}'),
        ("%#v", ({"k": 1},), 'map[string]interface {}{"k":1}'),
        ("100%% %v", (None,), "100% <nil>"),
        ("%v", (Number("1.50"),), "1.50"),
        ("%6.1f|%-8.2f|%+.1f|%06.1f", (1.25, 1.5, 2.0, -1.5), "   1.2|1.50    |+2.0|-001.5"),
    ],
)
def test_printf_writes_what_go_writes(form: str, values: tuple[Any, ...], expected: str) -> None:
    assert sprintf(form, *values) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (100000.0, "100000"),
        (1000000.0, "1e+06"),
        (123456789.0, "1.23456789e+08"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1.5, "1.5"),
        (float("inf"), "+Inf"),
        (float("nan"), "NaN"),
        (2.5e-310, "2.5e-310"),
    ],
)
def test_fractions_have_their_shortest_form(value: float, expected: str) -> None:
    assert printing.text(value) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_form_of_a_fraction_reads_back_as_the_same(value: float) -> None:
    for form in "efg":
        assert float(floats.format_float(value, form, -1)) == value


@given(st.integers(-(2**63), 2**63 - 1))
def test_whole_numbers_are_written_in_any_base(value: int) -> None:
    assert int(sprintf("%d", value)) == value
    assert int(sprintf("%#x", value), 16) == value
    assert int(sprintf("%O", value), 8) == value


@given(st.text())
def test_a_quoted_text_reads_back_as_the_same(text: str) -> None:
    assert literals.unquote(quote(text, ascii_only=True)) == text


def test_print_puts_spaces_between_values_that_are_no_texts() -> None:
    assert printing.joined((1, 2, "a", "b", 3, None)) == "1 2ab3 <nil>"
    assert printing.line((1, "a")) == "1 a\n"
