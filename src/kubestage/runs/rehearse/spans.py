"""Spans of time as options have them; nothing is a span, too."""

from __future__ import annotations

from kubestage.errors import InputError
from kubestage.runs import living

_NOTHING = ("0", "0s", "0m", "0h")


def parse(text: str, option: str) -> int:
    """Nanoseconds of ``90s``, ``10m``, ``1d`` or ``0s``."""
    if text in _NOTHING:
        return 0
    if text.startswith("-"):
        raise InputError(f"{text} is negative", path=option, fix="write it as in 10m or 1h30m")
    return living.parse_duration(text, option)
