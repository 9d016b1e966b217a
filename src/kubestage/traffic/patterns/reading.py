"""From a pattern as it is written to streams of arrivals: a sum has several, all others one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import durations, request_traces
from kubestage.traffic import laws
from kubestage.traffic.patterns import rates
from kubestage.traffic.patterns.arrivals import Counted, Poisson, Recorded, Scattered

if TYPE_CHECKING:
    import numpy as np

    from kubestage.aliases import Json
    from kubestage.traffic.patterns.arrivals import Arrivals
    from kubestage.traffic.patterns.rates import Rates


UNIFORM: Final = "Uniform"
POISSON: Final = "Poisson"
EVEN: Final = "Even"


class Component(NamedTuple):
    """One stream of arrivals, and how long after the traffic's begin its own time begins."""

    after_ns: int
    arrivals: Arrivals


def components(pattern: Json, seed: int, name: str) -> list[Component]:
    """The streams of a pattern that is known to be sound, each with luck of its own."""
    parts = pattern.get("sum") or [pattern]
    found = []
    for number, part in enumerate(parts):
        ((kind, given),) = part.items()
        stream = laws.stream_of(seed, name, "arrivals", str(number))
        found.append(_component(kind, given, stream))
    return found


def _component(kind: str, given: Json, stream: np.random.Generator) -> Component:
    if kind == "uniform":
        duration_ns = durations.parse_duration(given["duration"])
        scattered = Scattered(given["requests"], duration_ns, stream)
        return Component(durations.parse_duration(given.get("start", "0s")), scattered)
    how = given.get("arrivals", {"poisson": POISSON, "constant": EVEN}.get(kind, UNIFORM))
    if kind == "trace":
        return Component(0, _of_trace(given, how, stream))
    after_ns = durations.parse_duration(given.get("after", "0s"))
    return Component(after_ns, _placed(_rates(kind, given, how), how, stream))


def _rates(kind: str, given: Json, how: str) -> Rates:
    # Skenario's formulas give whole requests; those of a Poisson process are a mean.
    is_whole = how != POISSON
    if kind == "ramp":
        return rates.Ramp(given["delta"], given["max"], is_whole=is_whole)
    if kind == "sinusoidal":
        period_s = durations.parse_duration(given["period"]) / durations.SECOND
        return rates.Sinusoidal(given["amplitude"], period_s, is_whole=is_whole)
    return rates.Steady(given["rps"])


def _of_trace(given: Json, how: str, stream: np.random.Generator) -> Arrivals:
    trace = request_traces.read(given["csv"])
    scale, speed, repeats = given.get("scale", 1), given.get("speed", 1), given.get("repeat", False)
    if trace.rates is None:
        return Recorded(trace, scale, speed, repeats=repeats)
    return _placed(rates.Table(trace, scale, speed, repeats=repeats), how, stream)


def _placed(wanted: Rates, how: str, stream: np.random.Generator) -> Arrivals:
    if how == POISSON:
        return Poisson(wanted, stream)
    return Counted(wanted, stream if how == UNIFORM else None)
