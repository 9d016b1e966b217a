"""Time zones by name, out of the `tzdata` package: the same rules on every machine.

The zone files of the operating system are left alone, since a run must not depend on them.
"""

from __future__ import annotations

import datetime as dt
import functools
import importlib.resources
import zoneinfo
from typing import Final

from kubestage.errors import MalformedValue

UTC: Final = "UTC"

# Names that need no rules; the simulated server's own zone is UTC.
_UTC_NAMES: Final = frozenset({"", UTC, "Local"})


class UnknownTimeZone(MalformedValue):
    """No zone of that name; the text has Go's words."""


@functools.lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    listed = importlib.resources.files("tzdata").joinpath("zones").read_text("utf-8")
    return frozenset(listed.split())


@functools.lru_cache(maxsize=1024)
def _rules(name: str) -> zoneinfo.ZoneInfo:
    path = importlib.resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with path.open("rb") as file:
        return zoneinfo.ZoneInfo.from_file(file, key=name)


def check(name: str) -> None:
    """Raise `UnknownTimeZone` unless there is a zone of that name."""
    if name in _UTC_NAMES or name in _names():
        return
    if ".." in name or name.startswith(("/", "\\")):
        raise UnknownTimeZone("time: invalid location name")
    raise UnknownTimeZone(f"unknown time zone {name}")


def offset_seconds(name: str, unix_seconds: int) -> int:
    """How far local time is ahead of UTC at a moment."""
    if name in _UTC_NAMES:
        return 0
    offset = dt.datetime.fromtimestamp(unix_seconds, _rules(name)).utcoffset()
    assert offset is not None
    return offset.days * 86_400 + offset.seconds


def to_unix_seconds(name: str, local_seconds: int) -> int:
    """The moment at which a clock on the wall shows a time, given as if it were UTC.

    A time that a change of the clock skips or repeats is resolved as Go's ``time.Date`` does.
    """
    offset = offset_seconds(name, local_seconds)
    if offset:
        offset = offset_seconds(name, local_seconds - offset)
    return local_seconds - offset
