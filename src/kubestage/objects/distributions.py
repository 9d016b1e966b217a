"""Random distributions as people write them: ``5s``, ``normal(5s,1s)``, ``uniform(64Mi,1Gi)``.

A distribution has no random numbers of its own: the caller passes a stream. Amounts are never
below zero; a draw that would be is zero.
"""

from __future__ import annotations

import functools
import hashlib
import math
import random
import re
import statistics
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import quantity

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
    """A distribution of amounts: of nanoseconds, or of the unit that it was read with.

    ``family`` is constant, normal, lognormal, exp or uniform. Of a lognormal one, as of a normal
    one, the mean and the standard deviation are those of the amount itself.
    """

    family: str
    first: float
    second: float = 0.0

    @property
    def is_constant(self) -> bool:
        """Whether it always gives the same amount."""
        return self.family == "constant"

    def sample(self, stream: random.Random) -> float:
        """One draw."""
        family, first, second = self.family, self.first, self.second
        if family == "constant":
            return first
        if family == "exp":
            drawn = -math.log1p(-stream.random()) * first
        elif family == "uniform":
            drawn = first + (second - first) * stream.random()
        elif family == "normal":
            drawn = stream.gauss(first, second)
        elif not first or not second:
            drawn = first
        else:
            spread, lowered = _lognormal(first, second)
            drawn = first * math.exp(stream.gauss(0.0, spread) - lowered)
        return min(max(drawn, 0.0), _LARGEST)

    def quantile(self, share: float) -> float:
        """The amount below which this share of all draws lies; `share` is between 0 and 1."""
        family, first, second = self.family, self.first, self.second
        if family == "exp":
            found = -math.log1p(-share) * first
        elif family == "uniform":
            found = first + (second - first) * share
        elif family == "constant" or not second:
            found = first
        elif family == "normal":
            found = statistics.NormalDist(first, second).inv_cdf(share)
        elif not first:
            found = first
        else:
            shape = math.log1p((second / first) ** 2)
            normal = statistics.NormalDist(0.0, math.sqrt(shape)).inv_cdf(share)
            found = first * math.exp(normal - shape / 2)
        return min(max(found, 0.0), _LARGEST)

    def sample_ns(self, stream: random.Random) -> int:
        """One draw as whole nanoseconds."""
        return round(self.sample(stream))


@functools.lru_cache(maxsize=1024)
def _lognormal(mean: float, deviation: float) -> tuple[float, float]:
    """Of the normal distribution behind a lognormal one: its deviation, and what brings the mean.

    NOTE: a third of the time of a draw, and there are some for every call of a load.
    """
    shape = math.log1p((deviation / mean) ** 2)
    return math.sqrt(shape), shape / 2


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Distribution:
    """Read a distribution of durations; `InputError` if it is none."""
    return _read(text, _duration, _FIX)


@functools.lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Distribution:
    """Read a distribution of resource amounts, such as ``250m`` or ``normal(100Mi,10Mi)``."""
    return _read(text, _amount, _FIX.replace("5s", "100Mi").replace("10s", "1Gi"))


def stream_of(seed: int, *names: str) -> random.Random:
    """A random stream for one use: it depends on the seed and the names only."""
    digest = hashlib.sha256("/".join((str(seed), *names)).encode()).digest()
    return random.Random(int.from_bytes(digest[:16], "big"))


def _read(text: str, read: Callable[[str], float], fix: str) -> Distribution:
    match = _CALL.fullmatch(text)
    if match is None:
        return Distribution("constant", _number(text, text, read, fix))
    family, inside = match.groups()
    names = _ARGUMENTS.get(family)
    if names is None:
        raise InputError(f"{text!r} names no distribution that there is: {family!r}", fix=fix)
    arguments = inside.split(",")
    if len(arguments) != len(names) or not all(part.strip() for part in arguments):
        expected = " and ".join(names)
        raise InputError(f"{text!r}: {family} takes {expected}", fix=fix)
    numbers = [_number(part, text, read, fix) for part in arguments]
    if family == "uniform" and numbers[0] > numbers[1]:
        raise InputError(f"{text!r}: low is above high", fix=fix)
    return Distribution(family, *numbers)


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
