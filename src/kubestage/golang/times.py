"""Points in time as Go's ``time`` prints them; all are nanoseconds since 1970, in UTC."""

from __future__ import annotations

import datetime as dt
import functools
from typing import Final

from kubestage.units import SECOND_NS

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_ZERO: Final = "0001-01-01T00:00:00Z"


def rfc3339(time_ns: int) -> str:
    """``2026-01-01T00:00:00Z``: whole seconds."""
    return _seconds(time_ns // SECOND_NS)


def rfc3339_nano(time_ns: int | None) -> str:
    """``2026-01-01T00:00:00.5Z``: as many digits as it takes; none is Go's zero time."""
    if time_ns is None:
        return _ZERO
    seconds, rest = divmod(time_ns, SECOND_NS)
    text = _seconds(seconds)
    return f"{text[:-1]}.{rest:09d}".rstrip("0") + "Z" if rest else text


def in_text(time_ns: int | None) -> str:
    """``2026-01-01 00:00:00.5 +0000 UTC``: as ``%v`` prints a time."""
    return rfc3339_nano(time_ns).replace("T", " ").replace("Z", " +0000 UTC")


@functools.lru_cache(maxsize=4096)
def _seconds(seconds: int) -> str:
    moment = _EPOCH + dt.timedelta(seconds=seconds)
    return moment.replace(tzinfo=None).isoformat() + "Z"
