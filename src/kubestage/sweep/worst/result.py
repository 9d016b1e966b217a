"""The result of a search: the worst case, how bad it is, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.notebook import TableResult
from kubestage.sweep.worst import wording
from kubestage.sweep.worst.evolution import Generation  # noqa: TC001 - msgspec reads it
from kubestage.sweep.worst.limits import Limits  # noqa: TC001 - msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.start import Start

_COLUMNS: Final = columns(at=Kind.INT, operation=Kind.TEXT, object=Kind.TEXT, details=Kind.TEXT)


class WorstCase(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """The smallest scenario that shows the worst that was found.

    >>> from kubestage.sweep.worst import WorstOptions, search
    >>> search(["scenario.yaml"], WorstOptions(maximise="pending"))  # doctest: +SKIP
    """

    objective: str
    """What was searched for, as in ``most pending`` or ``starvation broken``."""
    is_found: bool
    """Whether the invariant is broken, the value enough, one configuration worse than the other, or
    the case worse than the start."""
    is_interrupted: bool = False
    score: float | None
    """That of the smallest case; the higher, the worse."""
    values: Mapping[str, float | None]
    """The measure, or the verdict of the invariant, under each configuration."""
    best_score: float | None
    """That of the worst case before it was shrunk."""
    start_score: float | None
    seed: int
    run_seed: int
    """The seed with which the smallest case was least bad: all its runs are at least as bad."""
    runs: int
    """How many cases the search has run."""
    shrink_runs: int
    failed: int
    """How many of all cases could not be run, for example because of a quota."""
    is_smallest: bool
    """Whether nothing could be left out any more, before the budget was spent."""
    best_events: int
    """How many events the worst case had before it was shrunk."""
    generations: tuple[Generation, ...]
    limits: Limits
    explanation: tuple[str, ...]
    start: Start
    case: Case
    best: Case

    @property
    def scenario(self) -> Json | None:
        """The smallest case as a Scenario; None of a living run."""
        return None if self.start.living_ns is not None else self.start.scenario(self.case)

    @property
    def manifests(self) -> dict[int, list[Json]] | None:
        """The objects of a living run by the second at which they are applied."""
        return None if self.start.living_ns is None else self.start.manifests(self.case)

    def headline(self) -> str:
        """What was found."""
        values = ", ".join(f"{name} {wording.number(value)}" for name, value in self.values.items())
        found = "found" if self.is_found else "not found"
        return f"{self.objective}: {found} ({values})"

    def table(self) -> Table:
        """The events of the smallest case."""
        rows: list[tuple[Any, ...]] = [
            (each.at, each.operation, str(each.target), wording.details(each))
            for each in self.case.events
        ]
        return Table(_COLUMNS, rows)

    def to_dict(self) -> Json:
        """All that is known; docs/worst.md describes it."""
        return {
            "objective": self.objective,
            "found": self.is_found,
            "interrupted": self.is_interrupted,
            "score": self.score,
            "values": dict(self.values),
            "bestScore": self.best_score,
            "startScore": self.start_score,
            "seed": self.seed,
            "runSeed": self.run_seed,
            "runs": self.runs,
            "shrinkRuns": self.shrink_runs,
            "failed": self.failed,
            "smallest": self.is_smallest,
            "events": len(self.case.events),
            "eventsBeforeShrinking": self.best_events,
            "generations": _plain(self.generations),
            "limits": _plain(self.limits),
            "explanation": list(self.explanation),
            "scenario": self.scenario,
            "manifests": None
            if self.manifests is None
            else {f"{at}s": objects for at, objects in self.manifests.items()},
        }


def _plain(value: Any) -> Any:
    """Lists and dicts, as every format can write them."""
    return msgspec.json.decode(msgspec.json.encode(value))
