"""Draws from a distribution, many at a time.

The distributions are those of `objects.distributions`. Draws are taken one after the other from a
stream of their own, so that the result does not depend on how many are drawn at once. They are
rounded to whole nanoseconds, so that other machines, which may differ in the last digit, agree.
"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from kubestage.objects.distributions import Distribution

    Floats = npt.NDArray[np.float64]

_LARGEST: Final = float(1 << 62)


def stream_of(seed: int, *names: str) -> np.random.Generator:
    """A random stream that depends on the seed and the names only."""
    digest = hashlib.sha256("/".join((str(seed), *names)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def draw_ns(distribution: Distribution, stream: np.random.Generator, count: int) -> Floats:
    """The next so many draws, whole and never below zero."""
    name, first, second = distribution.family, distribution.first, distribution.second
    if name == "exp":
        drawn = stream.standard_exponential(count) * first
    elif name == "uniform":
        drawn = first + (second - first) * stream.random(count)
    elif name == "normal":
        drawn = first + second * stream.standard_normal(count)
    elif name == "lognormal" and first and second:
        drawn = _lognormal(first, second, stream, count)
    else:
        drawn = np.full(count, first)
    whole: Floats = np.clip(np.rint(drawn), 0.0, _LARGEST)
    return whole


def _lognormal(mean: float, deviation: float, stream: np.random.Generator, count: int) -> Floats:
    shape = math.log1p((deviation / mean) ** 2)
    drawn: Floats = mean * np.exp(math.sqrt(shape) * stream.standard_normal(count) - shape / 2)
    return drawn
