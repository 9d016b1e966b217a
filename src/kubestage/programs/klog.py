"""Lines of a log as klog writes them."""

from __future__ import annotations

import datetime as dt


def line(severity: str, unix_ns: int, place: str, text: str) -> bytes:
    """A line of process 1; `place` is the file and the line that wrote it."""
    unix_us = unix_ns // 1000
    now = dt.datetime.fromtimestamp(unix_us // 10**6, dt.UTC)
    stamp = f"{now:%m%d %H:%M:%S}.{unix_us % 10**6:06}"
    return f"{severity}{stamp}       1 {place}] {text}\n".encode()
