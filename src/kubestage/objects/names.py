"""Names that the cluster makes up, from a seeded stream: the same run gives the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random

# No vowels and no look-alikes, so that chance spells no words.
ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
MAX_BASE_LENGTH: Final = 63 - _SUFFIX_LENGTH


def generate_name(base: str, random: random.Random) -> str:
    """The name for a ``generateName``: the base, cut to 58 characters, and five random ones."""
    return base[:MAX_BASE_LENGTH] + "".join(random.choices(ALPHABET, k=_SUFFIX_LENGTH))


def uid(random: random.Random) -> str:
    """A version 4 UUID, drawn from the stream."""
    bits = random.getrandbits(128)
    bits = bits & ~(0xF << 76) | (0x4 << 76)
    bits = bits & ~(0x3 << 62) | (0x2 << 62)
    digits = f"{bits:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
