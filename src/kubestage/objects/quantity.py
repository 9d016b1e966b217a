"""Resource amounts such as ``100m``, ``1.5Gi`` or ``12e6``, exact to the last digit.

``parse`` remembers what it has seen, so the same text costs a dictionary look-up. Overflow,
rounding and error texts are those of the real API, including where they surprise.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final

from kubestage.objects import quantity_text
from kubestage.objects.quantity_text import (
    BINARY_SI,
    DECIMAL_EXPONENT,
    DECIMAL_SI,
    INT64_MAX,
    INT64_MIN,
    NANO,
    QuantityError,
)

__all__ = [
    "BINARY_SI",
    "DECIMAL_EXPONENT",
    "DECIMAL_SI",
    "MILLI",
    "NANO",
    "ZERO",
    "Quantity",
    "QuantityError",
    "exact_of",
    "from_int",
    "from_json",
    "from_milli",
    "milli_value_of",
    "of",
    "parse",
    "value_of",
]

MILLI: Final = -3

# The steps for which the real API reports the wrapped product of an overflow; for others, zero.
_WRAPPING_STEPS: Final = frozenset({1, 2, 3, 6, 9})
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    chr(code) for code in range(0x2000, 0x200B)
)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quantity:
    """An amount, ``unscaled * 10**scale``, that remembers how it was written.

    Equality and order are those of the number: ``parse("1") == parse("1000m")``.
    """

    unscaled: int
    scale: int = 0
    is_big: bool = False
    format: str = DECIMAL_SI
    text: str = ""

    def __str__(self) -> str:
        return self.text or self.canonical

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    @property
    def canonical(self) -> str:
        """The text the API would store, whatever was typed."""
        return quantity_text.canonical(self.unscaled, self.scale, self.is_big, self.format)

    @property
    def value(self) -> int:
        """The number, rounded up to a whole one."""
        return self.scaled_value(0)

    @property
    def milli_value(self) -> int:
        """Thousandths, rounded up: the unit in which CPU is counted."""
        return self.scaled_value(MILLI)

    def scaled_value(self, scale: int) -> int:
        """The number in units of ``10**scale`` as an int64, with upstream's overflow."""
        places = scale - self.scale
        if self.is_big:
            return _scaled_big(self.unscaled, places)
        if places > 0:
            return quantity_text.rescale(self.unscaled, self.scale, scale)[0]
        return _scale_int64(self.unscaled, -places)[0]

    def as_int64(self) -> tuple[int, bool]:
        """The whole number, and whether an int64 holds it without work or loss."""
        if self.is_big or self.scale < 0:
            return 0, False
        return _scale_int64(self.unscaled, self.scale)

    def round_up(self, scale: int) -> tuple[Quantity, bool]:
        """At least ``10**scale`` coarse, rounded away from zero; and whether nothing was lost."""
        if not self.is_big and self.scale >= scale:
            return self, True
        unscaled, exact = quantity_text.rescale(self.unscaled, self.scale, scale)
        return Quantity(unscaled, scale, self.is_big, self.format), exact

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return (self.unscaled > 0) - (self.unscaled < 0)

    @property
    def is_zero(self) -> bool:
        """Whether the amount is nothing."""
        return self.unscaled == 0

    def compare(self, other: Quantity) -> int:
        """-1, 0 or 1 as this is less than, equal to or more than the other."""
        if self.scale == other.scale:
            return (self.unscaled > other.unscaled) - (self.unscaled < other.unscaled)
        if self.sign != other.sign or self.sign == 0:
            return (self.sign > other.sign) - (self.sign < other.sign)
        # Amounts that are many orders apart need no common scale, which could be huge.
        gap = _magnitude(self) - _magnitude(other)
        if abs(gap) > 2:
            return self.sign if gap > 0 else -self.sign
        scale = min(self.scale, other.scale)
        mine = self.unscaled * quantity_text.power_of_ten(self.scale - scale)
        theirs = other.unscaled * quantity_text.power_of_ten(other.scale - scale)
        return (mine > theirs) - (mine < theirs)

    def __eq__(self, other: object) -> bool:
        return self.compare(other) == 0 if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: Quantity) -> bool:
        return self.compare(other) < 0

    def __le__(self, other: Quantity) -> bool:
        return self.compare(other) <= 0

    def __gt__(self, other: Quantity) -> bool:
        return self.compare(other) > 0

    def __ge__(self, other: Quantity) -> bool:
        return self.compare(other) >= 0

    def __hash__(self) -> int:
        unscaled, scale = self.unscaled, self.scale
        while unscaled and unscaled % 10 == 0:
            unscaled //= 10
            scale += 1
        return hash((unscaled, scale if unscaled else 0))

    def __add__(self, other: Quantity) -> Quantity:
        return self._plus(other, other.unscaled)

    def __sub__(self, other: Quantity) -> Quantity:
        return self._plus(other, -other.unscaled)

    def __neg__(self) -> Quantity:
        unscaled = -self.unscaled if self.is_big else _wrap(-self.unscaled)
        return Quantity(unscaled, self.scale, self.is_big, self.format)

    def _plus(self, other: Quantity, addend: int) -> Quantity:
        number_format = self.format if self.unscaled else other.format
        if not (self.is_big or other.is_big):
            total = _add_int64(self.unscaled, self.scale, addend, other.scale)
            if total is not None:
                return Quantity(*total, False, number_format)
        scale = min(self.scale, other.scale)
        mine = self.unscaled * quantity_text.power_of_ten(self.scale - scale)
        theirs = addend * quantity_text.power_of_ten(other.scale - scale)
        return Quantity(mine + theirs, scale, True, number_format)


ZERO: Final = Quantity(0, text="0")


@functools.lru_cache(maxsize=1 << 16)
def parse(text: str) -> Quantity:
    """Read a quantity; ``QuantityError`` if it is none."""
    amount = quantity_text.scan(text)
    return Quantity(
        amount.unscaled,
        amount.scale,
        amount.is_big,
        amount.format,
        text if amount.keep_text else "",
    )


def from_json(raw: str) -> Quantity:
    """Read the raw text of a JSON value, as the API's decoder does: escapes are not undone."""
    if raw == "null":
        return Quantity(0, format="")
    if len(raw) >= 2 and raw[0] == '"' and raw[-1] == '"':
        raw = raw[1:-1]
    return parse(raw.strip(_SPACE))


def of(value: Any) -> Quantity:
    """Read a decoded JSON value; manifests may hold ``cpu: 2`` as well as ``cpu: "2"``."""
    if isinstance(value, str):
        return parse(value.strip(_SPACE))
    if value is None:
        return ZERO
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return parse(repr(value))
    raise QuantityError(quantity_text.WRONG_FORMAT)


def from_int(value: int, number_format: str = DECIMAL_SI) -> Quantity:
    """A whole amount."""
    return Quantity(value, format=number_format)


def from_milli(value: int, number_format: str = DECIMAL_SI) -> Quantity:
    """An amount in thousandths."""
    return Quantity(value, MILLI, format=number_format)


@functools.lru_cache(maxsize=1 << 16, typed=True)
def value_of(value: Any) -> int:
    """``of(value).value``, remembered: the short way from a resource list to a number."""
    return of(value).value


@functools.lru_cache(maxsize=1 << 16, typed=True)
def milli_value_of(value: Any) -> int:
    """``of(value).milli_value``, remembered."""
    return of(value).milli_value


@functools.lru_cache(maxsize=1 << 16, typed=True)
def exact_of(value: Any, scale: int) -> int | None:
    """``of(value)`` in units of ``10**scale`` if that is a whole int64; None if it is not."""
    amount = of(value)
    if amount.scale >= scale and not amount.is_big:
        number, exact = _scale_int64(amount.unscaled, amount.scale - scale)
    else:
        number, exact = quantity_text.rescale(amount.unscaled, amount.scale, scale)
    return number if exact and INT64_MIN <= number <= INT64_MAX else None


def _wrap(number: int) -> int:
    return (number - INT64_MIN) % (1 << 64) + INT64_MIN


def _magnitude(amount: Quantity) -> int:
    return amount.unscaled.bit_length() * 30103 // 100_000 + amount.scale


def _scale_int64(number: int, places: int) -> tuple[int, bool]:
    """``number * 10**places`` in an int64, and whether it fitted."""
    if number == 0:
        return 0, True
    if places > 19:
        return 0, False
    product = number * 10**places
    if INT64_MIN <= product <= INT64_MAX:
        return product, True
    return (_wrap(product) if places in _WRAPPING_STEPS else 0), False


def _add_int64(mine: int, my_scale: int, theirs: int, scale: int) -> tuple[int, int] | None:
    if theirs == 0:
        return mine, my_scale
    if mine == 0:
        return _wrap(theirs), scale
    common = min(my_scale, scale)
    mine, fits = _scale_int64(mine, my_scale - common)
    theirs, also_fits = _scale_int64(_wrap(theirs), scale - common)
    total = mine + theirs
    if fits and also_fits and INT64_MIN <= total <= INT64_MAX:
        return total, common
    return None


def _scaled_big(unscaled: int, places: int) -> int:
    """Upstream's scaling of big decimals: wraps on overflow, and adds one to any rest."""
    if places == 0:
        return _wrap(unscaled)
    if places < 0:
        # A power beyond int64 becomes the lowest int64 when it is converted from a float.
        power = quantity_text.power_of_ten(-places) if places > -19 else INT64_MIN
        return _wrap(_wrap(unscaled) * power)
    if unscaled < INT64_MAX and places < 19:
        number = _wrap(unscaled)
        quotient, rest = divmod(abs(number), quantity_text.power_of_ten(places))
        return (quotient if number >= 0 else -quotient) + (rest != 0)
    quotient, rest = divmod(unscaled, quantity_text.power_of_ten(places))
    return _wrap(_wrap(quotient) + (rest != 0))
