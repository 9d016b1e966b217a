"""Go's ``math/rand``: the numbers and texts that it makes from a seed, one by one.

It is an additive lagged Fibonacci generator, ``x[n] = x[n-607] + x[n-273]`` modulo 2^64. A seed
is mixed with the state of the generator after 7.8e12 steps from seed 1.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ALPHABET: Final = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LENGTH: Final = 607
_TAP: Final = 273
_FEED: Final = _LENGTH - _TAP
_STEPS: Final = 7_800_000_000_000
_PRIME: Final = 2**31 - 1
_MULTIPLIER: Final = 48271
_MASK: Final = 2**64 - 1
_MASK_32: Final = 2**32 - 1
_WARM_UP: Final = 20


class Rand:
    """Go's ``rand.New(rand.NewSource(seed))``, as far as it is needed."""

    __slots__ = ("_drawn", "_seed", "_source")

    def __init__(self, seed: int) -> None:
        self._source = _numbers(seed)
        self._seed, self._drawn = seed, 0

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy draws what comes next."""
        return _after, (self._seed, self._drawn)

    def int63(self) -> int:
        """A number of 63 bits."""
        self._drawn += 1
        return next(self._source) & (2**63 - 1)

    def intn(self, n: int) -> int:
        """A number below `n`, which is less than 2^31."""
        if n & (n - 1) == 0:
            return self.int63() >> 32 & (n - 1)
        highest = 2**31 - 1 - 2**31 % n
        drawn = self.int63() >> 32
        while drawn > highest:
            drawn = self.int63() >> 32
        return drawn % n

    def perm(self, n: int) -> list[int]:
        """The numbers below `n` in a random order."""
        order = [0] * n
        for at in range(n):
            other = self.intn(at + 1)
            order[at] = order[other]
            order[other] = at
        return order

    def shuffle(self, items: list[Any]) -> None:
        """Put a list in a random order."""
        for at in range(len(items) - 1, 0, -1):
            other = self._scaled(at + 1)
            items[at], items[other] = items[other], items[at]

    def _scaled(self, n: int) -> int:
        """A number below `n`, as Go draws it for a shuffle."""
        product = (self.int63() >> 31) * n
        if product & _MASK_32 < n:
            least = (2**32 - n) % n
            while product & _MASK_32 < least:
                product = (self.int63() >> 31) * n
        return product >> 32


def _after(seed: int, drawn: int) -> Rand:
    source = Rand(seed)
    for _ in range(drawn):
        source.int63()
    return source


def text_with_seed(length: int, seed: str) -> str:
    """Letters and digits that depend on nothing but the seed."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogateescape")).digest()
    numbers = _numbers(int.from_bytes(digest[:8], "big", signed=True))
    highest = 2**31 - 1 - 2**31 % len(ALPHABET)
    letters: list[str] = []
    for number in numbers:
        if len(letters) == length:
            break
        drawn = (number & (2**63 - 1)) >> 32
        if drawn <= highest:
            letters.append(ALPHABET[drawn % len(ALPHABET)])
    return "".join(letters)


def _numbers(seed: int) -> Iterator[int]:
    """Endless 64-bit numbers."""
    start = abs(seed) % _PRIME
    start = (_PRIME - start) % _PRIME if seed < 0 else start
    mixed = _mixed(start or 89482311, (40, 20, 0))
    state = [each ^ cooked for each, cooked in zip(mixed, _cooked(), strict=True)]
    tap, feed = 0, _FEED
    while True:
        tap = (tap - 1) % _LENGTH
        feed = (feed - 1) % _LENGTH
        state[feed] = (state[feed] + state[tap]) & _MASK
        yield state[feed]


def _mixed(start: int, shifts: tuple[int, int, int]) -> list[int]:
    """The state that a multiplicative generator fills from a start."""
    x = start
    for _ in range(_WARM_UP):
        x = x * _MULTIPLIER % _PRIME
    state = []
    for _ in range(_LENGTH):
        value = 0
        for shift in shifts:
            x = x * _MULTIPLIER % _PRIME
            value ^= x << shift
        state.append(value & _MASK)
    return state


@functools.cache
def _cooked() -> tuple[int, ...]:
    """The state after 7.8e12 steps from seed 1.

    NOTE: reached by one power of ``x`` modulo ``x^607 - x^334 - 1`` instead of that many steps,
    which takes about 20 ms; the table that Go keeps would be a third of this room.
    """
    import numpy as np  # noqa: PLC0415 - few loads need it

    power = _power(np)
    # A place of the state by the time at which it was written: 607 steps fill all of it.
    places = [(_FEED - 1 - at) % _LENGTH for at in range(_LENGTH)]
    start = _mixed(1, (20, 10, 0))
    written = [start[place] for place in places]
    for at in range(_LENGTH, 2 * _LENGTH):
        written.append((written[at - _LENGTH] + written[at - _TAP]) & _MASK)
    history = np.array(written, dtype=np.uint64)
    jumped = [int((power * history[at : at + _LENGTH]).sum()) for at in range(_LENGTH)]
    # The last of 7.8e12 steps was written at a place that need not be the first.
    cooked = [0] * _LENGTH
    for at, value in enumerate(jumped):
        cooked[(_FEED - 1 - (_STEPS + at)) % _LENGTH] = value
    return tuple(cooked)


def _power(np: Any) -> Any:
    """``x`` to the number of steps, as the coefficients of a polynomial of degree 606."""
    result = np.zeros(_LENGTH, dtype=np.uint64)
    result[0] = 1
    for bit in f"{_STEPS:b}":
        result = _reduced(np.convolve(result, result))
        if bit == "1":
            result = _reduced(np.concatenate((np.zeros(1, dtype=np.uint64), result)))
    return result


def _reduced(product: Any) -> Any:
    """A polynomial modulo ``x^607 - x^334 - 1``."""
    whole = product.copy()
    while len(whole) > _LENGTH:
        over = whole[_LENGTH:].copy()
        whole = whole[: max(_LENGTH, _FEED + len(over))]
        whole[_LENGTH:] = 0
        whole[: len(over)] += over
        whole[_FEED : _FEED + len(over)] += over
    return whole
