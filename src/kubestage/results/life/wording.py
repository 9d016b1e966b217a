"""Numbers of a living run in the words of people, the same on a terminal and on a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import durations
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECOND_MS: Final = 1000
_DAY_NS: Final = 24 * 3600 * SECOND_NS
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


def milliseconds(value: float | None) -> str:
    """``85ms``, ``1.25s``; a dash if it is not known."""
    if value is None:
        return "-"
    if value >= _SECOND_MS:
        return f"{value / _SECOND_MS:,.2f}s"
    return f"{value:.0f}ms" if value >= 10 else f"{value:.1f}ms"


def hours(value: float) -> str:
    """``2.25``; two places are enough for a bill."""
    return f"{value:,.2f}"


def count(value: int | None) -> str:
    """``12,345``."""
    return "-" if value is None else f"{value:,}"


def share(part: int, whole: int) -> str:
    """``0.3%``; a trace of something is not nothing."""
    if not whole:
        return "-"
    rate = 100 * part / whole
    return "< 0.01%" if 0 < rate < 0.01 else f"{rate:.2f}".rstrip("0").rstrip(".") + "%"


def moment(seconds: float) -> str:
    """``1h2m3s`` since the beginning."""
    return duration(round(seconds * SECOND_NS))


def duration(duration_ns: int) -> str:
    """``7d``, ``1d12h0m0s``, ``10m0s``."""
    days, rest_ns = divmod(duration_ns, _DAY_NS)
    rest = durations.go_string(rest_ns) if rest_ns or not days else ""
    return f"{days}d{rest}" if days else rest


def reasons(failed: dict[str, Any]) -> str:
    """``12 timeout, 3 no replica``: why requests failed, as far as any did."""
    parts = (
        f"{number:,} {_CAPITAL.sub(' ', reason).lower()}"
        for reason, number in failed.items()
        if number
    )
    return ", ".join(parts)


def span(seconds: float) -> str:
    """``5m12.5s``; what is finer than a tenth of a second says nothing, unless there is no more."""
    if 0 < seconds < 1:
        return moment(round(seconds, 3))
    return moment(round(seconds, 1))


def plural(number: int, noun: str) -> str:
    """``1 pod``, ``2,000 pods``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def replicas(number: int) -> str:
    """``1 replica``, ``3 replicas``."""
    return plural(number, "replica")


def named(names: Sequence[str], most: int = 3) -> str:
    """``a, b and 3 more``."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most:,} more"
