"""What a measurement has to say when it is done: summaries, verdicts, rows and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable


class Summary(msgspec.Struct, frozen=True):
    """One file of a report: ``<name>_<test>_<time>.<ext>``; perfdash knows it by its name."""

    name: str
    content: str
    unix_ns: int
    ext: str = "json"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was to be so, and whether it is.

    `name` says what is judged (``pod_startup p99``), `value` and `threshold` are in `unit`, None
    where there is nothing to compare. `samples` is how many observations the value rests on: a
    pass on none of them is an empty one, and is said to be. `is_upper` tells a value that may be
    at most the threshold from one that must be at least it. `is_enforced` is False where a miss is
    told and does not fail the test.
    """

    name: str
    passed: bool
    value: float | None = None
    threshold: float | None = None
    unit: str = ""
    samples: int | None = None
    is_upper: bool = True
    is_enforced: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether it passed without a single sample."""
        return self.passed and self.samples == 0


class Latencies(msgspec.Struct, frozen=True):
    """What was observed of each object, in columns: its key, when it began, how long it took."""

    metric: str
    objects: list[str]
    began_ns: list[int]
    took_ns: list[int]


class Series(msgspec.Struct, frozen=True):
    """A value over time, for charts: throughput, usage, replicas."""

    metric: str
    unit: str
    at_ns: list[int]
    values: list[float]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one mention of a measurement.

    `errors` fail the step, and the test by it; `is_fatal` ends the test. `skipped` says why
    nothing was measured, where the feature that is measured is off. `warnings` are told.
    """

    summaries: tuple[Summary, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    latencies: tuple[Latencies, ...] = ()
    series: tuple[Series, ...] = ()
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    skipped: str = ""
    is_fatal: bool = False


NOTHING = Outcome()
"""Nothing to say yet: what starting usually comes to."""


class Later:
    """An outcome that is not there yet."""

    def __init__(self) -> None:
        self._outcome: Outcome | None = None
        self._told: Callable[[Outcome], None] | None = None

    @property
    def is_resolved(self) -> bool:
        """Whether the outcome is there."""
        return self._outcome is not None

    def resolve(self, outcome: Outcome) -> None:
        """Here it is; only the first one counts."""
        if self._outcome is None:
            self._outcome = outcome
            if self._told is not None:
                self._told(outcome)

    def then(self, told: Callable[[Outcome], None]) -> None:
        """Whom to tell; at once if it is there already."""
        self._told = told
        if self._outcome is not None:
            told(self._outcome)


Result = Outcome | Later


def merged(outcomes: list[Outcome]) -> Outcome:
    """Several outcomes as one, in their order."""
    parts: dict[str, Any] = {
        name: tuple(item for outcome in outcomes for item in getattr(outcome, name))
        for name in ("summaries", "verdicts", "latencies", "series", "errors", "warnings")
    }
    return Outcome(
        **parts,
        skipped="; ".join(outcome.skipped for outcome in outcomes if outcome.skipped),
        is_fatal=any(outcome.is_fatal for outcome in outcomes),
    )
