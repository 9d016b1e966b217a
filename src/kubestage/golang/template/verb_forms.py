"""One value in the form of one verb of Go's `fmt`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from kubestage.golang import floats
from kubestage.golang.quote import quote
from kubestage.golang.template import limits, printing
from kubestage.golang.template.values import encoded, type_name

_BASES: Final = {"v": "d", "d": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_PREFIXES: Final = {"b": "0b", "x": "0x", "X": "0X"}
_FLOAT_DIGITS: Final = {"v": -1, "g": -1, "G": -1, "e": 6, "E": 6, "f": 6, "F": 6}
_LAST_RUNE: Final = 0x10FFFF
_NOT_A_RUNE: Final = "\ufffd"


@dataclass(slots=True)
class Flags:
    """How a verb is modified."""

    sharp: bool = False
    zero: bool = False
    plus: bool = False
    minus: bool = False
    space: bool = False
    width: int | None = None
    precision: int | None = None


def shown(value: Any, verb: str, flags: Flags) -> str:
    """The value as the verb and its flags print it."""
    if isinstance(value, (list, dict)):
        limits.tree(value)
    if verb == "T":
        name = printing.NIL if value is None else type_name(value)
        return _padded(name[: flags.precision], flags)
    if verb == "w":
        verb = "v"
    if verb == "v" and flags.sharp:
        return _padded(_go_syntax(value), flags)
    if verb == "v":
        flags = replace(flags, plus=False)
    return _nested(value, verb, flags)


def _nested(value: Any, verb: str, flags: Flags) -> str:
    if flags.width or flags.precision:
        limits.text((flags.width or 0) + (flags.precision or 0))
    if isinstance(value, list):
        return f"[{' '.join(_nested(each, verb, flags) for each in value)}]"
    if isinstance(value, dict):
        pairs = (
            f"{_nested(key, verb, flags)}:{_nested(each, verb, flags)}"
            for key, each in sorted(value.items())
        )
        return f"map[{' '.join(pairs)}]"
    if value is None:
        return _padded(printing.NIL, flags) if verb == "v" else f"%!{verb}({printing.NIL})"
    form = None
    if isinstance(value, bool):
        form = _padded(printing.text(value), flags) if verb in "tv" else None
    elif isinstance(value, str):
        form = _text_form(value, verb, flags)
    elif isinstance(value, int):
        form = _int_form(value, verb, flags)
    elif isinstance(value, float):
        form = _float_form(value, verb, flags)
    elif verb == "v":
        form = _padded(printing.text(value), flags)
    if form is None:
        return f"%!{verb}({type_name(value)}={printing.text(value)})"
    return form


def _padded(text: str, flags: Flags) -> str:
    width = flags.width
    if not width or len(text) >= width:
        return text
    if flags.minus:
        return text.ljust(width)
    return text.rjust(width, "0" if flags.zero else " ")


def _text_form(text: str, verb: str, flags: Flags) -> str | None:
    if verb in "vs":
        return _padded(text[: flags.precision], flags)
    if verb == "q":
        text = text[: flags.precision]
        if flags.sharp and _can_be_raw(text):
            return _padded(f"`{text}`", flags)
        return _padded(quote(text, ascii_only=flags.plus), flags)
    if verb in "xX":
        return _padded(_hexadecimal(text, verb, flags), flags)
    return None


def _can_be_raw(text: str) -> bool:
    """Whether a text may be written between back quotes."""
    return all(
        each == "\t"
        or (each >= " " and each not in "`\x7f\ufeff" and not "\ud800" <= each <= "\udfff")
        for each in text
    )


def _hexadecimal(text: str, verb: str, flags: Flags) -> str:
    data = encoded(text)[: flags.precision]
    prefix = "0x" if flags.sharp else ""
    if flags.space:
        digits = " ".join(f"{prefix}{byte:02x}" for byte in data)
    else:
        digits = prefix + data.hex() if data else ""
    return digits.upper() if verb == "X" else digits


def _int_form(value: int, verb: str, flags: Flags) -> str | None:
    if verb in _BASES:
        return _padded_int(value, verb, flags)
    character = chr(value) if 0 <= value <= _LAST_RUNE else _NOT_A_RUNE
    if verb == "c":
        return _padded(character, flags)
    if verb == "q":
        return _padded(quote(character, "'", flags.plus), flags)
    if verb == "U":
        shown_character = f" '{character}'" if flags.sharp and character.isprintable() else ""
        digits = f"{value & (2**64 - 1):X}".rjust(max(flags.precision or 4, 4), "0")
        return _padded(f"U+{digits}{shown_character}", replace(flags, zero=False))
    return None


def _padded_int(value: int, verb: str, flags: Flags) -> str:
    base = _BASES[verb]
    digits = format(abs(value), base)
    sign = "-" if value < 0 else "+" if flags.plus else " " if flags.space else ""
    if flags.precision is not None:
        if flags.precision == 0 and value == 0:
            return " " * (flags.width or 0)
        digits = digits.rjust(flags.precision, "0")
    elif flags.zero and not flags.minus and flags.width:
        digits = digits.rjust(flags.width - len(sign), "0")
    if flags.sharp and base in _PREFIXES:
        digits = _PREFIXES[base] + digits
    elif flags.sharp and base == "o" and not digits.startswith("0"):
        digits = "0" + digits
    if verb == "O":
        digits = "0o" + digits
    return _padded(sign + digits, replace(flags, zero=False))


def _float_form(value: float, verb: str, flags: Flags) -> str | None:
    if verb not in _FLOAT_DIGITS:
        return None
    precision = _FLOAT_DIGITS[verb] if flags.precision is None else flags.precision
    form = {"v": "g", "F": "f"}.get(verb, verb)
    digits = floats.format_float(value, form, precision)
    sign = digits[0] if digits[0] in "+-" else ""
    digits = digits[len(sign) :]
    is_number = digits[0] not in "IN"
    if not sign or sign == "+":
        sign = "+" if flags.plus or (sign and not flags.space) else " " if flags.space else ""
    if flags.sharp and is_number:
        digits = _with_zeros(digits, form, precision)
    if not is_number:
        return _padded(sign + digits, replace(flags, zero=False))
    if sign and flags.zero and not flags.minus and flags.width:
        return sign + digits.rjust(flags.width - 1, "0")
    return _padded(sign + digits, flags)


def _with_zeros(digits: str, form: str, precision: int) -> str:
    """With a point and, in the general form, all digits of the precision."""
    mark = "E" if form in "EG" else "e"
    mantissa, exponent_mark, exponent = digits.partition(mark)
    places = (6 if precision < 0 else precision) if form in "gG" else 0
    significant = len(mantissa.replace(".", "").lstrip("0"))
    if "." not in mantissa:
        significant += mantissa == "0"
        mantissa += "."
    return mantissa + "0" * (places - significant) + exponent_mark + exponent


def _go_syntax(value: Any) -> str:
    if value is None:
        return printing.NIL
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"{type_name(value)}{{{', '.join(map(_go_syntax_within, value))}}}"
    if isinstance(value, dict):
        pairs = (
            f"{_go_syntax(key)}:{_go_syntax_within(each)}" for key, each in sorted(value.items())
        )
        return f"{type_name(value)}{{{', '.join(pairs)}}}"
    return printing.text(value)


def _go_syntax_within(value: Any) -> str:
    return "interface {}(nil)" if value is None else _go_syntax(value)
