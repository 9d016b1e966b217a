"""Tuning sets: a name, a delay and exactly one load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.config import (
    GlobalQpsLoad,
    Load,
    ParallelismLimitedLoad,
    PoissonLoad,
    QpsLoad,
    RandomizedLoad,
    RandomizedTimeLimitedLoad,
    SteppedLoad,
    TimeLimitedLoad,
    TuningSet,
)
from kubestage.clusterloader.reading import sizes
from kubestage.clusterloader.reading.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.clusterloader.reading.problems import Place, Problems

NUMBER: Final = "number"
INTEGER: Final = "integer"
DURATION: Final = "duration"

LOADS: Final[dict[str, tuple[Callable[..., Load], tuple[tuple[str, str], ...]]]] = {
    "qpsLoad": (QpsLoad, (("qps", NUMBER),)),
    "randomizedLoad": (RandomizedLoad, (("averageQps", NUMBER),)),
    "steppedLoad": (SteppedLoad, (("burstSize", INTEGER), ("stepDelay", DURATION))),
    "timeLimitedLoad": (TimeLimitedLoad, (("timeLimit", DURATION),)),
    "randomizedTimeLimitedLoad": (RandomizedTimeLimitedLoad, (("timeLimit", DURATION),)),
    "parallelismLimitedLoad": (ParallelismLimitedLoad, (("parallelismLimit", INTEGER),)),
    "globalQPSLoad": (GlobalQpsLoad, (("qps", NUMBER), ("burst", INTEGER))),
    "poissonLoad": (PoissonLoad, (("expectedActionsPerSecond", NUMBER),)),
}
"""Each load with its fields and their types, in the order of the load's own."""


def tuning_set(value: Any, place: Place, problems: Problems) -> TuningSet | None:
    """A tuning set; None if it has no load that could be used."""
    fields = Fields(value, place, problems, ("name", "initialDelay", *LOADS))
    if not fields.is_sound:
        return None
    loads = [_load(name, fields, problems) for name in LOADS if name in fields]
    if len(loads) != 1:
        found = ", ".join(name for name in LOADS if name in fields) or "none"
        problems.error(
            place, f"must specify exactly 1 tuning set type, found {found}", "keep one load"
        )
        return None
    delay_ns = fields.duration_ns("initialDelay") or 0
    if delay_ns < 0:
        problems.error(place.child("initialDelay"), "must be non-negative")
    name, load = fields.text("name"), loads[0]
    return None if load is None else TuningSet(name, load, delay_ns)


def _load(name: str, outer: Fields, problems: Problems) -> Load | None:
    make, known = LOADS[name]
    place = outer.place.child(name)
    fields = Fields(outer.value(name), place, problems, tuple(key for key, _ in known))
    if not fields.is_sound:
        return None
    found: list[float] = []
    for key, kind in known:
        value = _value(fields, key, kind)
        if value is not None and value <= 0:
            problems.error(place.child(key), "must have positive value", _FIXES[kind])
        elif value is not None and kind == NUMBER and value < sizes.SLOWEST_QPS:
            problems.error(place.child(key), f"{value:g}: must be at least {sizes.SLOWEST_QPS:g}")
        found.append(value or 0)
    return make(*found)


def _value(fields: Fields, key: str, kind: str) -> float | None:
    if kind == NUMBER:
        return fields.number(key)
    if kind == INTEGER:
        return fields.integer(key)
    if key not in fields:
        return 0
    return fields.duration_ns(key)


_FIXES: Final = {
    NUMBER: None,
    INTEGER: None,
    DURATION: "it may come to zero on a cluster this small: raise what it is computed from",
}
