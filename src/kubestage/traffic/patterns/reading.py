"""From a pattern as it is written to streams of arrivals: a sum has several, all others one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.golang import durations
from kubestage.objects import request_traces
from kubestage.traffic import draws
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
    """One stream of arrivals, and how long after the start of the traffic it starts."""

    after_ns: int
    arrivals: Arrivals


def components(pattern: Json, seed: int, name: str) -> list[Component]:
    """The streams of a valid pattern, each with a random stream of its own."""
    parts = pattern.get("sum") or [pattern]
    found = []
    for number, part in enumerate(parts):
        ((kind, fields),) = part.items()
        stream = draws.stream_of(seed, name, "arrivals", str(number))
        found.append(_component(kind, fields, stream))
    return found


def _component(kind: str, fields: Json, stream: np.random.Generator) -> Component:
    if kind == "uniform":
        duration_ns = durations.parse_duration(fields["duration"])
        scattered = Scattered(fields["requests"], duration_ns, stream)
        return Component(durations.parse_duration(fields.get("start", "0s")), scattered)
    how = fields.get("arrivals", {"poisson": POISSON, "constant": EVEN}.get(kind, UNIFORM))
    if kind == "trace":
        return Component(0, _of_trace(fields, how, stream))
    after_ns = durations.parse_duration(fields.get("after", "0s"))
    return Component(after_ns, _placed(_rates(kind, fields, how), how, stream))


def _rates(kind: str, fields: Json, how: str) -> Rates:
    # Skenario's formulas give whole requests; those of a Poisson process are a mean.
    is_whole = how != POISSON
    if kind == "ramp":
        return rates.Ramp(fields["delta"], fields["max"], is_whole=is_whole)
    if kind == "sinusoidal":
        period_s = durations.parse_duration(fields["period"]) / durations.SECOND
        return rates.Sinusoidal(fields["amplitude"], period_s, is_whole=is_whole)
    return rates.Steady(fields["rps"])


def _of_trace(fields: Json, how: str, stream: np.random.Generator) -> Arrivals:
    trace = request_traces.read(fields["csv"])
    scale, speed, repeats = (
        fields.get("scale", 1),
        fields.get("speed", 1),
        fields.get("repeat", False),
    )
    if trace.rates is None:
        return Recorded(trace, scale, speed, repeats=repeats)
    return _placed(rates.RateTable(trace, scale, speed, repeats=repeats), how, stream)


def _placed(expected: Rates, how: str, stream: np.random.Generator) -> Arrivals:
    if how == POISSON:
        return Poisson(expected, stream)
    return Counted(expected, stream if how == UNIFORM else None)
