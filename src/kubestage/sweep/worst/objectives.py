"""What a search makes as large as possible: a measure, a difference, or a broken invariant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from kubestage.errors import InputError
from kubestage.sweep.worst.invariants import registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.comparison.measures import Measure
    from kubestage.stage import Stage
    from kubestage.sweep.worst.invariants.invariant import Invariant, Observation
    from kubestage.sweep.worst.options import WorstOptions
    from kubestage.sweep.worst.runner import CaseRun

RARE: Final = frozenset({
    "belowDesiredMinutes", "deleted", "evictionsRefused", "finished", "gated", "jobsFailed",
    "lostMinutes", "notReadyMinutes", "pendingPeak", "longestWaitSeconds", "podsEvicted",
    "restarts", "waitP99Seconds",
})  # fmt: skip
"""Counts that a run has only if there is any; without them they are 0."""


class Outcome(msgspec.Struct, frozen=True):
    """What one configuration did in one run: its value, and what happened if that is known."""

    value: float | None
    sentence: str = ""
    pods: tuple[str, ...] = ()


class Objective(Protocol):
    """A number that is the higher, the worse a run is."""

    @property
    def title(self) -> str:
        """What it is, in a few words."""

    @property
    def is_search_over_at(self) -> float | None:
        """The score that is enough, so that nothing more needs to be searched for."""

    def observe(self, stage: Stage) -> Observation | None:
        """Watch a run, if that is needed."""

    def outcome(self, run: CaseRun, seen: Observation | None) -> Outcome:
        """The value of a run that has ended."""

    def score(self, values: Sequence[float]) -> float:
        """The score of the values of one or two configurations."""

    def preserves(self, score: float, threshold: float) -> bool:
        """Whether a smaller case still shows what was found."""


class MeasureObjective(msgspec.Struct, frozen=True):
    """A measure, or by how much it is more than that of the other configuration."""

    measure: str
    is_minimised: bool
    enough: float | None = None
    tolerance: float = 1e-9

    @property
    def title(self) -> str:
        """The measure."""
        return f"{'least' if self.is_minimised else 'most'} {self.measure}"

    @property
    def is_search_over_at(self) -> float | None:
        """What the user says."""
        if self.enough is None:
            return None
        return -self.enough if self.is_minimised else self.enough

    def observe(self, stage: Stage) -> Observation | None:  # noqa: ARG002
        """The record of a run has all measures."""
        return None

    def outcome(self, run: CaseRun, seen: Observation | None) -> Outcome:  # noqa: ARG002
        """The measure of the run."""
        return Outcome(value_of(run.measures(), self.measure))

    def score(self, values: Sequence[float]) -> float:
        """The value; of two configurations, the first value minus the second."""
        found = values[0] - values[1] if len(values) > 1 else values[0]
        return -found if self.is_minimised else found

    def preserves(self, score: float, threshold: float) -> bool:
        """The score is no lower."""
        return score >= threshold - self.tolerance


class InvariantObjective(msgspec.Struct, frozen=True):
    """An invariant that is broken; with another configuration, one that is broken only here."""

    name: str
    invariant: Invariant

    @property
    def title(self) -> str:
        """The invariant."""
        return f"{self.name} broken"

    @property
    def is_search_over_at(self) -> float | None:
        """Broken once is enough."""
        return 1e-9

    def observe(self, stage: Stage) -> Observation | None:
        """Watch the run."""
        return self.invariant.observe(stage)

    def outcome(self, run: CaseRun, seen: Observation | None) -> Outcome:
        """How clearly the invariant is broken."""
        assert seen is not None
        verdict = seen.verdict(run)
        return Outcome(verdict.score, verdict.sentence, verdict.pods)

    def score(self, values: Sequence[float]) -> float:
        """The verdict; it does not count as broken if the other configuration breaks it, too."""
        first, *others = values
        return min(first, 0.0) if any(each > 0 for each in others) else first

    def preserves(self, score: float, threshold: float) -> bool:  # noqa: ARG002
        """It is still broken."""
        return score > 0


def read(options: WorstOptions) -> Objective:
    """The one objective that options name."""
    stated = [
        (name, value)
        for name in ("maximise", "minimise", "breaks")
        if (value := getattr(options, name)) is not None
    ]
    if len(stated) != 1:
        problem = "nothing to search for" if not stated else "there are several objectives"
        fix = "use one of --maximise MEASURE, --minimise MEASURE and --breaks INVARIANT"
        raise InputError(problem, fix=fix)
    ((name, value),) = stated
    if name != "breaks":
        return MeasureObjective(value, name == "minimise", options.at_least)
    if options.at_least is not None:
        fix = "leave it out, or use a parameter of the invariant"
        raise InputError("is for a measure", path="--at-least", fix=fix)
    return InvariantObjective(value.partition(":")[0], registry.read(value))


def value_of(known: Sequence[Measure], name: str) -> float | None:
    """The value of a measure of a run; None if it has none."""
    for each in known:
        if each.key == name or (each.name == name and each.resource is None):
            value = each.values[0]
            return None if value is None else float(value)
    return 0.0 if name in RARE else None


def check(objective: Objective, known: Sequence[Measure]) -> None:
    """Refuse a measure that runs do not have."""
    if not isinstance(objective, MeasureObjective):
        return
    if value_of(known, objective.measure) is not None:
        return
    option = "--minimise" if objective.is_minimised else "--maximise"
    keys = [each.key for each in known if each.values[0] is not None]
    parts = [each for each in keys if each.partition(".")[0] == objective.measure]
    if parts:
        problem = f'"{objective.measure}" is of several'
        raise InputError(problem, path=option, fix=f"use one of {', '.join(parts)}")
    near = difflib.get_close_matches(objective.measure, keys, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    fix = f"{hint}runs of this input have {', '.join(keys)}"
    raise InputError(f'there is no measure "{objective.measure}"', path=option, fix=fix)
