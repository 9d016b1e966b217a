"""Names that the cluster makes up, from a seeded stream: the same run gives the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random

# No vowels and no look-alikes, so that random names spell no words.
ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
MAX_BASE_LENGTH: Final = 63 - _SUFFIX_LENGTH

_VERSION_AND_VARIANT: Final = 0x4 << 76 | 0x2 << 62
_RANDOM_BITS: Final = (1 << 128) - 1 & ~(0xF << 76 | 0x3 << 62)


def generate_name(base: str, random: random.Random) -> str:
    """The name for a ``generateName``: the base, cut to 58 characters, and five random ones."""
    return base[:MAX_BASE_LENGTH] + "".join(random.choices(ALPHABET, k=_SUFFIX_LENGTH))


def uid(random: random.Random) -> str:
    """A version 4 UUID, drawn from the stream."""
    bits = random.getrandbits(128) & _RANDOM_BITS | _VERSION_AND_VARIANT
    # NOTE: groups of four digits, of which some are joined again, take half the time of cutting
    # the digits into five groups (0.5 us against 1.0 us, for every pod and every Event).
    fours = bits.to_bytes(16, "big").hex("-", 2)
    return f"{fours[:4]}{fours[5:29]}{fours[30:34]}{fours[35:]}"
