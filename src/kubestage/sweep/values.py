"""What a parameter may be: lists, ranges and distributions, as people write them.

::

    a.yaml,b.yaml           these
    40..80/5                40, 45, ... 80;  100m..500m/100m and 10s..60s/10s with a unit
    1..100*2                1, 2, 4, ... 64
    uniform(1,5)            drawn: whole numbers, as both are whole; uniform(1.0,5.0) draws any
    normal(10,2) lognormal(10,2) exp(3)       mean and standard deviation; the mean
    choice(a,b,c)           drawn from these
    '1.30'                  a text, whatever it looks like
"""

from __future__ import annotations

import decimal
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import distributions
from kubestage.objects.distributions import Distribution  # noqa: TC001 - msgspec reads it
from kubestage.sweep.rows import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_RANGE: Final = re.compile(
    rf"(?P<low>{_NUMBER})(?P<unit>[A-Za-z%]*)\.\.(?P<high>{_NUMBER})(?P<unit2>[A-Za-z%]*)"
    rf"(?:(?P<how>[/*])(?P<step>{_NUMBER})(?P<unit3>[A-Za-z%]*))?"
)
_CALL: Final = re.compile(r"\s*([a-z]+)\s*\((.*)\)\s*", re.DOTALL)
_AMOUNT: Final = re.compile(rf"\s*({_NUMBER})\s*([A-Za-z%]*)\s*")
_FAMILIES: Final = ("uniform", "normal", "lognormal", "exp")
_CHOICE: Final = "choice"
_QUOTES: Final = "\"'"
_MOST: Final = 100_000
_FIX: Final = "write 1,2,3 or 40..80/5 or 1..100*2 or uniform(1,5)"


class Draws(msgspec.Struct, frozen=True):
    """A distribution that values are drawn from: of numbers with a unit, or of a few values."""

    text: str
    distribution: Distribution | None = None
    choices: tuple[Scalar, ...] = ()
    unit: str = ""
    is_whole: bool = False
    is_text: bool = False
    """Whether numbers are to be texts, as the parameter is one."""

    def at(self, share: float) -> Scalar:
        """The value below which this share of all draws lies; `share` is between 0 and 1."""
        if self.distribution is None:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.is_whole and self.distribution.family == "uniform":
            # Each of the whole numbers is as likely as the others, both ends included.
            low, high = self.distribution.first, self.distribution.second
            number: float = min(int(low + share * (high - low + 1)), int(high))
        else:
            # Zero and one themselves may be infinitely far away.
            number = self.distribution.quantile(min(max(share, 1e-12), 1 - 1e-12))
            number = round(number) if self.is_whole else float(f"{number:.12g}")
        if self.unit:
            return f"{number:g}{self.unit}"
        return str(number) if self.is_text else number


Values = tuple[Scalar, ...] | Draws


def parse(text: str, *, are_texts: bool = False) -> Values:
    """The values of a text. With `are_texts` each is taken as it is written: a distribution is
    then itself the value, as of ``launch-delay``.
    """
    parts = split(text)
    if not parts or not all(parts):
        raise InputError(f'"{text}" has an empty value', fix=_FIX)
    if are_texts:
        return tuple(_unquoted(each) for each in parts)
    if len(parts) == 1 and (found := _draws(parts[0])) is not None:
        return found
    values = tuple(value for each in parts for value in _values(each))
    if len(set(map(repr, values))) < len(values):
        raise InputError(f'"{text}" has a value twice', fix="leave one out")
    return values


def split(text: str) -> list[str]:
    """The parts between commas that are not in brackets or quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        depth += (letter in "([{") - (letter in ")]}") if not quote else 0
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return [each.strip() for each in parts]


def whole_numbers(text: str, path: str) -> tuple[int, ...]:
    """Numbers such as ``1..50`` or ``1,2,7``; InputError if others are among them."""
    found = parse(text)
    if isinstance(found, Draws) or not all(type(each) is int and each >= 0 for each in found):
        raise InputError(f'"{text}" are no seeds', path=path, fix="write 1..50 or 1,2,7")
    return tuple(each for each in found if isinstance(each, int))


def scalar(text: str) -> Scalar:
    """A value as YAML reads it: a number, true, false, null, or a text."""
    if text[:1] in tuple(_QUOTES):
        return _unquoted(text)
    words: dict[str, Scalar] = {"true": True, "false": False, "null": None, "~": None}
    if text in words:
        return words[text]
    if re.fullmatch(_NUMBER, text):
        return float(text) if "." in text else int(text)
    return text


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] in _QUOTES and text[-1] == text[0]
    return text[1:-1] if is_quoted else text


def _values(text: str) -> Iterator[Scalar]:
    match = _RANGE.fullmatch(text)
    if match is None:
        yield scalar(text)
        return
    unit = match["unit2"]
    if match["unit"] not in ("", unit) or match["unit3"] not in (None, "", unit):
        raise InputError(f'"{text}" has several units', fix="write 100m..500m/100m")
    low, high = decimal.Decimal(match["low"]), decimal.Decimal(match["high"])
    step = decimal.Decimal(match["step"] or 1)
    if high < low:
        raise InputError(f'"{text}": the end is below the beginning', fix="exchange them")
    grows = match["how"] == "*"
    if step <= (1 if grows else 0) or (grows and low <= 0):
        raise InputError(f'"{text}" never comes to its end', fix=_FIX)
    for count in range(_MOST + 1):
        number = low * step**count if grows else low + count * step
        if number > high:
            return
        if count == _MOST:
            raise InputError(f'"{text}" has more than {_MOST:,} values', fix="take larger steps")
        yield _with_unit(number, unit)


def _with_unit(number: decimal.Decimal, unit: str) -> Scalar:
    is_whole = number == number.to_integral_value()
    plain: int | float = int(number) if is_whole else float(number)
    return f"{plain}{unit}" if unit else plain


def _draws(text: str) -> Draws | None:
    match = _CALL.fullmatch(text)
    if match is None or match[1] not in (*_FAMILIES, _CHOICE):
        return None
    parts = split(match[2])
    if match[1] == _CHOICE:
        if not all(parts):
            raise InputError(f'"{text}" has an empty value', fix="write choice(a,b,c)")
        return Draws(text, choices=tuple(map(scalar, parts)))
    amounts = [_AMOUNT.fullmatch(each) for each in parts]
    units = {each[2] for each in amounts if each is not None}
    if None in amounts or len(units) != 1:
        fix = "write numbers of one unit: uniform(1,5), normal(100m,20m)"
        raise InputError(f'"{text}" cannot be read', fix=fix)
    numbers = [each[1] for each in amounts if each is not None]
    found = distributions.parse_quantity(f"{match[1]}({','.join(numbers)})")
    is_whole = not any("." in each for each in numbers)
    return Draws(text, found, (), units.pop(), is_whole)
