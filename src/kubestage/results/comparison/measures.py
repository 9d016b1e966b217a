"""Figures of several runs side by side, and which of two is the better one."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects.pod_resources import CPU, MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kubestage.results.analysis.measured import MeasureFigures
    from kubestage.results.analysis.overview import ResourceSummary, Summary

MORE: Final = "more"
LESS: Final = "less"

# Measures of whole runs, and what is better of them, if that can be said at all: a cluster may be
# meant to use few nodes or many.
_COUNTS: Final = {
    "scheduled": MORE,
    "pending": LESS,
    "gated": None,
    "preempted": LESS,
    "finished": None,
    "deleted": None,
    "attempts": LESS,
    "nodesUsed": None,
}
_RATES: Final = {"allocation": MORE, "min": None, "max": None, "stddev": LESS}
# Measures that a summary's packing has, and those that it has of CPU and memory, by its fields.
_COSTS: Final = {"costPerHour": "cost_per_hour", "idleShare": "idle_rate"}
_PACKING: Final = {"strandedShare": "stranded_rate", "fragmentation": "fragmentation"}
_SHARES: Final = frozenset({"idleShare"})
_SHARE: Final = "share"
# Shown only where a run has any.
_RARE: Final = ("gated", "finished", "deleted")
DEFAULT_CHECKS: Final = ("scheduled", "pending", "preempted", "stddev")
"""What must not get worse by default."""

_PARTS: Final = ", or one resource's, as in stddev.cpu"

# Rates that differ by less are the same: sums of floating point numbers.
_TOLERANCE: Final = 1e-9

Value = float | int | None


class Measure(msgspec.Struct, frozen=True):
    """One figure of every run, in the order of the runs; None where a run does not have it.

    `better` is ``more``, ``less``, or None where neither is better in itself. `stddev` is the
    standard deviation of the rates of the nodes, between their `min` and `max`.
    """

    name: str
    resource: str | None
    better: str | None
    values: tuple[Value, ...]
    currency: str | None = None
    """Of amounts of money; None of everything else."""
    is_own: bool = False
    """Whether it is a measure of the user's own."""
    unit: str | None = None
    """Of such a measure, if it has one."""

    @property
    def key(self) -> str:
        """Its full name, as in ``pending`` or ``stddev.cpu``."""
        return self.name if self.resource is None else f"{self.name}.{self.resource}"

    @property
    def is_rate(self) -> bool:
        """Whether values are shares of a whole."""
        return self.resource is not None or self.name in _SHARES or self.unit == _SHARE

    def delta(self, at: int, to: int = 0) -> Value:
        """By how much one run has more than another, by default than the first."""
        value, against = self.values[at], self.values[to]
        return None if value is None or against is None else value - against

    def is_worse(self, at: int, than: int = 0) -> bool:
        """Whether one run is worse than another, by default than the first."""
        delta = self.delta(at, than)
        if delta is None or self.better is None:
            return False
        return delta > _TOLERANCE if self.better == LESS else delta < -_TOLERANCE

    @property
    def best(self) -> frozenset[int]:
        """The runs that no other is better than; none where all are the same."""
        known = [at for at, value in enumerate(self.values) if value is not None]
        if self.better is None or not known:
            return frozenset()
        unbeaten = [at for at in known if not any(self.is_worse(at, other) for other in known)]
        return frozenset(unbeaten) if len(unbeaten) < len(known) else frozenset()


class Worse(msgspec.Struct, frozen=True):
    """A measure in which a run is worse than the first."""

    run: str
    measure: Measure
    at: int


def measures(
    summaries: Sequence[Summary], *, every: bool = False, packing: Iterable[Measure] = ()
) -> list[Measure]:
    """All figures of runs, those of the whole first; with `every`, also those that are rare.

    `packing` are figures that a summary does not have.
    """
    return [
        *_counts(summaries, every=every),
        *packing,
        *_costs(summaries),
        *_rates(summaries),
        *of_user([each.measures or {} for each in summaries]),
    ]


def of_user(runs: Sequence[Mapping[str, MeasureFigures]]) -> Iterator[Measure]:
    """The user's own measures: the last value, the mean and the greatest."""
    for name in dict.fromkeys(name for run in runs for name in run):
        found = [run.get(name) for run in runs]
        declared = next(each for each in found if each is not None)
        for part in ("final", "mean", "max"):
            values = tuple(None if each is None else getattr(each, part) for each in found)
            title = name if part == "final" else f"{name}.{part}"
            yield Measure(title, None, declared.better, values, is_own=True, unit=declared.unit)


def chosen(known: Iterable[Measure], names: Sequence[str], parts: str = _PARTS) -> list[Measure]:
    """The measures of these names, ``stddev`` for that of every resource; InputError if none is.

    `parts` describes how to select one of several measures of a name.
    """
    known = list(known)
    found: dict[str, Measure] = {}
    for name in names:
        matching = [each for each in known if name in (each.key, each.name)]
        sided = [each for each in matching if each.better is not None]
        if not sided:
            raise _refused(name, known, parts, is_known=bool(matching))
        found |= {each.key: each for each in sided}
    return list(found.values())


def _refused(name: str, known: Sequence[Measure], parts: str, *, is_known: bool) -> InputError:
    sided = dict.fromkeys(each.name for each in known if each.better is not None)
    fix = f"use any of {', '.join(sided)}{parts}"
    if is_known:
        return InputError(f'neither more nor less "{name}" is worse', fix=fix)
    near = difflib.get_close_matches(name, [*sided, *(each.key for each in known)], n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    return InputError(f'there is no measure "{name}"', fix=f"{hint}{fix}")


def _counts(summaries: Sequence[Summary], *, every: bool) -> Iterator[Measure]:
    for name, better in _COUNTS.items():
        values = tuple(_count(each, name) for each in summaries)
        if every or name not in _RARE or any(values):
            yield Measure(name, None, better, values)


def _count(summary: Summary, name: str) -> Value:
    if name == "scheduled":
        # A pod that has come to its end had a node: a run is not worse for having got so far.
        return summary.scheduled + summary.finished
    if name == "nodesUsed":
        return summary.nodes_used
    value: int | None = getattr(summary, name)
    return value


def _rates(summaries: Sequence[Summary]) -> Iterator[Measure]:
    for resource in dict.fromkeys(name for each in summaries for name in each.resources):
        for name, better in _RATES.items():
            found = (each.resources.get(resource) for each in summaries)
            values = tuple(None if each is None else _rate(each, name) for each in found)
            yield Measure(name, resource, better, values)
        yield from _packing(summaries, resource)


def _costs(summaries: Sequence[Summary]) -> Iterator[Measure]:
    """What nodes cost, where they have prices: of one currency, or there is nothing to compare."""
    found = [each.packing for each in summaries]
    priced = [each for each in found if each is not None and each.cost_per_hour is not None]
    currencies = {each.currency for each in priced}
    if len(currencies) != 1:
        return
    (currency,) = currencies
    for name, field in _COSTS.items():
        values = tuple(None if each is None else getattr(each, field) for each in found)
        yield Measure(name, None, LESS, values, None if name in _SHARES else currency)


def _packing(summaries: Sequence[Summary], resource: str) -> Iterator[Measure]:
    """How much of what is free is stranded, and how scattered it is; known of CPU and memory."""
    if resource not in (CPU, MEMORY):
        return
    for name, field in _PACKING.items():
        found = (each.packing for each in summaries)
        values = tuple(
            None if each is None else getattr(each, f"{resource}_{field}") for each in found
        )
        yield Measure(name, resource, LESS, values)


def _rate(summary: ResourceSummary, name: str) -> float | None:
    value: float | None = getattr(summary, "rate" if name == "allocation" else name)
    return None if value is None or math.isnan(value) else value
