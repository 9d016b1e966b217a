"""How large a load may be: beyond this a number is a slip of the hand, and would never end."""

from __future__ import annotations

from typing import Final

MOST_NAMESPACES: Final = 100_000
# A cluster of 5,000 nodes has 150,000 pods.
MOST_OBJECTS: Final = 10_000_000
# An action in 30 years; a longer gap is none that virtual time can hold.
SLOWEST_QPS: Final = 1e-9


def too_many(what: str, number: int, most: int) -> str:
    """The refusal of a number."""
    return f"asks for {number:,} {what}, and {most:,} are the most"
