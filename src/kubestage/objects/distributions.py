"""Laws of chance as people write them: ``5s``, ``normal(5s,1s)``, ``uniform(64Mi,1Gi)``.

A law says nothing of where its luck comes from: whoever samples brings a stream. Amounts are never
below zero; a draw that would be is zero.
"""

from __future__ import annotations

import functools
import hashlib
import math
import random
import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import durations, quantity

if TYPE_CHECKING:
    from collections.abc import Callable

_CALL: Final = re.compile(r"\s*([a-z]+)\s*\(([^()]*)\)\s*")
_ARGUMENTS: Final = {
    "normal": ("mean", "standard deviation"),
    "lognormal": ("mean", "standard deviation"),
    "exp": ("mean",),
    "uniform": ("low", "high"),
}
_FIX: Final = "write 5s, normal(5s,1s), lognormal(5s,2s), exp(5s) or uniform(1s,10s)"
_LARGEST: Final = float(1 << 62)


class Distribution(msgspec.Struct, frozen=True, gc=False):
    """A law of amounts: of nanoseconds, or of whatever unit it was read with.

    ``law`` is constant, normal, lognormal, exp or uniform. Of a lognormal law, as of a normal one,
    the mean and the standard deviation are those of the amount itself.
    """

    law: str
    first: float
    second: float = 0.0

    @property
    def is_constant(self) -> bool:
        """Whether chance has no say."""
        return self.law == "constant"

    def sample(self, stream: random.Random) -> float:
        """One draw."""
        law, first, second = self.law, self.first, self.second
        if law == "constant":
            return first
        if law == "exp":
            drawn = -math.log1p(-stream.random()) * first
        elif law == "uniform":
            drawn = first + (second - first) * stream.random()
        elif law == "normal":
            drawn = stream.gauss(first, second)
        elif not first or not second:
            drawn = first
        else:
            shape = math.log1p((second / first) ** 2)
            drawn = first * math.exp(stream.gauss(0.0, math.sqrt(shape)) - shape / 2)
        return min(max(drawn, 0.0), _LARGEST)

    def sample_ns(self, stream: random.Random) -> int:
        """One draw as whole nanoseconds."""
        return round(self.sample(stream))


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Distribution:
    """Read a law of durations; `InputError` says what is wrong with it."""
    return _read(text, _duration, _FIX)


@functools.lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Distribution:
    """Read a law of resource amounts, such as ``250m`` or ``normal(100Mi,10Mi)``."""
    return _read(text, _amount, _FIX.replace("5s", "100Mi").replace("10s", "1Gi"))


def stream_of(seed: int, *names: str) -> random.Random:
    """A stream for one use: it depends on the seed and the names only, and nobody keeps it."""
    digest = hashlib.sha256("/".join((str(seed), *names)).encode()).digest()
    return random.Random(int.from_bytes(digest[:16], "big"))


def _read(text: str, read: Callable[[str], float], fix: str) -> Distribution:
    match = _CALL.fullmatch(text)
    if match is None:
        return Distribution("constant", _number(text, text, read, fix))
    law, inside = match.groups()
    names = _ARGUMENTS.get(law)
    if names is None:
        raise InputError(f"{text!r} names no distribution that there is: {law!r}", fix=fix)
    given = inside.split(",")
    if len(given) != len(names) or not all(part.strip() for part in given):
        wanted = " and ".join(names)
        raise InputError(f"{text!r}: {law} takes {wanted}", fix=fix)
    numbers = [_number(part, text, read, fix) for part in given]
    if law == "uniform" and numbers[0] > numbers[1]:
        raise InputError(f"{text!r}: low is above high", fix=fix)
    return Distribution(law, *numbers)


def _number(part: str, text: str, read: Callable[[str], float], fix: str) -> float:
    try:
        number = read(part.strip())
    except ValueError as error:
        raise InputError(f"{text!r} cannot be read: {error}", fix=fix) from error
    if number < 0:
        raise InputError(f"{text!r}: {part.strip()} is below zero", fix=fix)
    return number


def _duration(text: str) -> float:
    return float(durations.parse_duration(text))


def _amount(text: str) -> float:
    parsed = quantity.parse(text)
    digits = len(str(parsed.unscaled)) + parsed.scale
    if digits > 18:
        return math.copysign(_LARGEST, parsed.sign)
    # Finer than anything that is counted: such a text is as good as zero.
    return parsed.unscaled * 10.0**parsed.scale if digits > -18 else 0.0
