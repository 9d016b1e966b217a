"""How many requests a rehearsal may have: each of them takes time, and a user waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects import request_traces
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

MOST_REQUESTS: Final = 20_000_000


def check(objects: Iterable[Json], duration_ns: int) -> None:
    """Refuse Traffic that may send more requests than a rehearsal has time for."""
    total = 0.0
    for number, obj in enumerate(objects):
        if obj.get("kind") != "Traffic":
            continue
        total += _most(obj, duration_ns / SECOND_NS)
        if total > MOST_REQUESTS:
            raise InputError(
                f"may send {total:,.0f} requests, more than a rehearsal takes: {MOST_REQUESTS:,}",
                path=f"objects[{number}].spec.pattern",
                fix="lower the rate, rehearse a shorter time, or use kubestage run",
            )


def _most(traffic: Json, seconds: float) -> float:
    """How many requests a Traffic sends at most; what is malformed the API refuses later."""
    spec = traffic.get("spec")
    pattern = spec.get("pattern") if isinstance(spec, dict) else None
    if not isinstance(pattern, dict):
        return 0
    summed = pattern.get("sum")
    parts = summed if isinstance(summed, list) else [pattern]
    return sum((_of_part(part, seconds) for part in parts if isinstance(part, dict)), 0.0)


def _of_part(part: Json, seconds: float) -> float:
    total = 0.0
    for kind, fields in part.items():
        if not isinstance(fields, dict):
            continue
        if kind == "uniform":
            total += _number(fields.get("requests"))
        elif kind == "trace":
            total += _of_trace(fields, seconds)
        else:
            highest = (_number(fields.get("rps")), _number(fields.get("max")))
            total += max(*highest, 2 * _number(fields.get("amplitude"))) * seconds
    return total


def _of_trace(fields: Json, seconds: float) -> float:
    try:
        trace = request_traces.read(str(fields.get("csv") or ""))
    except InputError:
        return 0
    scale = _number(fields.get("scale", 1))
    if trace.rates is None:
        length_s = max(trace.end_ns / SECOND_NS / max(_number(fields.get("speed", 1)), 1e-9), 1e-3)
        repeats = 1 + seconds / length_s if fields.get("repeat") else 1
        return len(trace.times_ns) * scale * repeats
    return max(trace.rates, default=0) * scale * seconds


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
