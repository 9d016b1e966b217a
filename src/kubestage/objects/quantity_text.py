"""How a quantity is read and written: the text rules behind ``quantity``.

An amount here is ``unscaled * 10**scale``. The real API holds most amounts as an int64 and falls
back to a big decimal; which of the two it chose is visible later (rounding of negative fractions,
wrap-around on overflow), so the reader reports it.
"""

from __future__ import annotations

import decimal
import re
from typing import Final, NamedTuple

from kubestage.errors import MalformedValue

DECIMAL_SI: Final = "DecimalSI"
BINARY_SI: Final = "BinarySI"
DECIMAL_EXPONENT: Final = "DecimalExponent"

INT64_MAX: Final = (1 << 63) - 1
INT64_MIN: Final = -(1 << 63)
NANO: Final = -9

WRONG_FORMAT: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
WRONG_NUMBER: Final = "unable to parse numeric part of quantity"
WRONG_SUFFIX: Final = "unable to parse quantity's suffix"

# Upstream would compute 10**n here for as long as it takes; past this many digits we refuse.
_MAX_SHIFT: Final = 100_000
_MAX_INT64_DIGITS: Final = 18
# Python refuses to convert longer decimal text directly (CVE-2020-10735).
_MAX_PLAIN_DIGITS: Final = 4000

_SCANNER: Final = re.compile(
    r"([+-]?)(0*+)([0-9]*+)(?:\.([0-9]*+))?+([eEinumkKMGTP]*+[+-]?+[0-9]*+)", re.ASCII
)
_DECIMAL_SUFFIXES: Final = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY_SUFFIXES: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES: Final = {exponent: name for name, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES: Final = {exponent // 10: name for name, exponent in _BINARY_SUFFIXES.items()}


class QuantityError(MalformedValue):
    """Text that is no quantity; the message is the API's own."""


class Amount(NamedTuple):
    """What a text holds: the number, its format, and whether the text itself is kept."""

    unscaled: int
    scale: int
    is_big: bool
    format: str
    keep_text: bool


def scan(text: str) -> Amount:
    """Read a quantity's text, or raise ``QuantityError``."""
    if text == "0":
        return Amount(0, 0, False, DECIMAL_SI, True)
    match = _SCANNER.fullmatch(text)
    if match is None or not text:
        raise QuantityError(WRONG_FORMAT)
    sign, zeroes, whole, fraction, suffix = match.groups()
    digits = whole or "0"
    fraction = fraction or ""
    exponent, number_format = _interpret(suffix)
    amount = _scan_int64(digits, fraction, exponent, number_format)
    if amount is None:
        if not (zeroes or whole or fraction):
            raise QuantityError(WRONG_NUMBER)
        amount = _scan_big(digits, fraction, exponent, number_format)
    if sign == "-":
        amount = amount._replace(unscaled=-amount.unscaled)
    return amount


def _interpret(suffix: str) -> tuple[int, str]:
    exponent = _DECIMAL_SUFFIXES.get(suffix)
    if exponent is not None:
        return exponent, DECIMAL_SI
    exponent = _BINARY_SUFFIXES.get(suffix)
    if exponent is not None:
        return exponent, BINARY_SI
    # A lone "E" was a decimal suffix already; here digits, or a sign and digits, must follow.
    if suffix[0] in "eE" and len(suffix) > 1 and suffix[-1].isdigit() and suffix[1] not in _LETTERS:
        exponent = to_int(suffix[1:])
        if INT64_MIN <= exponent <= INT64_MAX:
            return _int32(exponent), DECIMAL_EXPONENT
    raise QuantityError(WRONG_SUFFIX)


_LETTERS: Final = "eEinumkKMGTP"


def _scan_int64(digits: str, fraction: str, exponent: int, number_format: str) -> Amount | None:
    """The amount as the API's int64 form holds it; None where it takes a big decimal."""
    factor, scale = 1, 0
    if number_format == BINARY_SI:
        precision = -1 if fraction else 14 - len(digits) - exponent * 3 // 10
        factor = 1 << exponent
    else:
        precision = _MAX_INT64_DIGITS - len(digits) - len(fraction)
        scale = _int32(exponent - len(fraction))
    if precision < 0 or scale < NANO:
        return None
    shifted = digits + fraction
    number = int(shifted)
    if number * factor > INT64_MAX:
        return None
    if number_format == BINARY_SI:
        keep = number & 7 != 0
    else:
        keep = scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    return Amount(number * factor, scale, False, number_format, keep)


def _scan_big(digits: str, fraction: str, exponent: int, number_format: str) -> Amount:
    """The amount as a big decimal: at least a nano, and at most an int64 for binary suffixes."""
    unscaled = to_int(digits + fraction)
    if number_format == BINARY_SI:
        unscaled, scale = unscaled << exponent, -len(fraction)
    else:
        scale = exponent - len(fraction)
    if unscaled:
        unscaled, _ = rescale(unscaled, scale, NANO)
        scale = NANO
    if number_format == BINARY_SI:
        if unscaled > INT64_MAX * 10**-scale:
            unscaled, scale = INT64_MAX, 0
        elif 0 < unscaled < 10**-scale:
            number_format = DECIMAL_SI
    return Amount(unscaled, scale, True, number_format, False)


def rescale(unscaled: int, scale: int, target: int) -> tuple[int, bool]:
    """Express ``unscaled * 10**scale`` at 10**target, rounded away from zero; and was it exact."""
    places = target - scale
    if places <= 0:
        return unscaled * power_of_ten(-places), True
    # One decimal digit needs more than 3 bits, so past this many places nothing but a rest is left.
    if places > unscaled.bit_length() // 3 + 1:
        return (unscaled > 0) - (unscaled < 0), unscaled == 0
    quotient, rest = divmod(abs(unscaled), power_of_ten(places))
    quotient += rest > 0
    return (quotient if unscaled > 0 else -quotient), rest == 0


def canonical(unscaled: int, scale: int, is_big: bool, number_format: str) -> str:
    """The one text of an amount: no fraction, the largest suffix that loses nothing."""
    if unscaled == 0:
        return "0"
    if number_format == BINARY_SI:
        whole, exact = rescale(unscaled, scale, 0)
        if exact and not -1024 < whole < 1024:
            return _binary_text(whole, is_big)
        number_format = DECIMAL_SI
    # Three zeros at a time keep the loop short for numbers with hundreds of them.
    while unscaled % 1000 == 0:
        unscaled //= 1000
        scale += 3
    while unscaled % 10 == 0:
        unscaled //= 10
        scale += 1
    unscaled *= 10 ** (scale % 3)
    scale -= scale % 3
    if number_format == DECIMAL_SI:
        return to_digits(unscaled) + _DECIMAL_NAMES.get(scale, "")
    return to_digits(unscaled) + (f"e{scale}" if scale else "")


def _binary_text(whole: int, is_big: bool) -> str:
    times = 0
    # Upstream negates before it divides, which leaves the lowest int64 negative and undivided.
    if is_big or whole != INT64_MIN:
        while whole % 1024 == 0:
            whole //= 1024
            times += 1
    return to_digits(whole) + _BINARY_NAMES.get(times, "")


def power_of_ten(places: int) -> int:
    """10**places, refused where it would not end."""
    if places > _MAX_SHIFT:
        raise QuantityError(WRONG_NUMBER)
    power: int = 10**places
    return power


def to_int(digits: str) -> int:
    """``int(digits)`` without Python's length limit."""
    return int(digits) if len(digits) < _MAX_PLAIN_DIGITS else int(decimal.Decimal(digits))


def to_digits(number: int) -> str:
    """``str(number)`` without Python's length limit."""
    if number.bit_length() < _MAX_PLAIN_DIGITS * 3:
        return str(number)
    return f"{decimal.Decimal(number):f}"


def _int32(number: int) -> int:
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)
