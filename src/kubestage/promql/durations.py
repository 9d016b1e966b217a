"""Durations as PromQL writes them (``1h30m``, ``500ms``), in milliseconds."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "y": 365 * 24 * 3600 * 1000,
    "w": 7 * 24 * 3600 * 1000,
    "d": 24 * 3600 * 1000,
    "h": 3600 * 1000,
    "m": 60 * 1000,
    "s": 1000,
    "ms": 1,
}
DURATION: Final = r"(?:[0-9]+(?:ms|[smhdwy]))+"
_WHOLE: Final = re.compile(
    r"(?:([0-9]+)y)?(?:([0-9]+)w)?(?:([0-9]+)d)?(?:([0-9]+)h)?"
    r"(?:([0-9]+)m)?(?:([0-9]+)s)?(?:([0-9]+)ms)?"
)


def parse_ms(text: str) -> int:
    """A duration in milliseconds; units go from the largest to the smallest, each once."""
    match = _WHOLE.fullmatch(text)
    if match is None or not text:
        raise ValueError(f"not a valid duration string: {text!r}")
    return sum(
        int(count) * size
        for count, size in zip(match.groups(), _UNITS.values(), strict=True)
        if count is not None
    )
