"""Values as text, as Go's `fmt.Print` and `fmt.Println` write them."""

from __future__ import annotations

from typing import Any, Final

from kubestage.golang import floats
from kubestage.golang.template import limits
from kubestage.golang.template.values import MISSING

NIL: Final = "<nil>"


def text(value: Any) -> str:
    """A value in its default form."""
    if isinstance(value, (list, dict)):
        limits.tree(value)
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if value is None or value is MISSING:
        return NIL
    if isinstance(value, float):
        return floats.text(value)
    if isinstance(value, list):
        return f"[{' '.join(map(_text, value))}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{_text(k)}:{_text(v)}' for k, v in sorted(value.items()))}]"
    if isinstance(value, complex):
        imaginary = floats.text(value.imag)
        sign = "" if imaginary[0] in "+-" else "+"
        return f"({floats.text(value.real)}{sign}{imaginary}i)"
    return str(value)


def joined(values: tuple[Any, ...]) -> str:
    """Values one after the other, with a space between two of which neither is a text."""
    parts: list[str] = []
    after_text = True
    for value in values:
        is_text = isinstance(value, str)
        if not is_text and not after_text:
            parts.append(" ")
        parts.append(text(value))
        after_text = is_text
    return "".join(parts)


def line(values: tuple[Any, ...]) -> str:
    """Values with a space between any two, and the end of a line."""
    return " ".join(map(text, values)) + "\n"
