"""What a search for a limit came to."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.load import pace, report_files
from kubestage.runs.notebook import TableResult
from kubestage.wording import few

with lazy.imports():
    from kubestage.results.load import limit_directory

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kubestage.aliases import Json
    from kubestage.clusterloader.limit_search import FoundLimit
    from kubestage.results.load.limit_directory import LimitDirectory
    from kubestage.runs.load.limit_options import LimitOptions
    from kubestage.runs.load.options import LoadOptions
    from kubestage.runs.load.pace import Pace
    from kubestage.runs.load.slos import Slo, SloResult
    from kubestage.runs.load.targets import TargetInfo

_NAMED: Final = 8
# From so many seconds on, three digits are no longer all of them.
_EXACT: Final = 100
VERDICTS: Final = {True: "meets", False: "misses", None: "unsure"}


class LimitPoint(msgspec.Struct, frozen=True):
    """A load that was tried: the result of each of its runs, and what they show together."""

    value: float
    seeds: tuple[int, ...]
    runs: tuple[SloResult, ...]
    verdict: bool | None
    """None where the runs do not agree enough; the load counts neither as met nor as missed."""

    @property
    def paces(self) -> list[Pace]:
        """The paces of its runs."""
        return [run.pace for run in self.runs if run.pace is not None]

    @property
    def is_growing(self) -> bool:
        """Whether the backlog of its runs, taken together, still grew when the load ended."""
        return pace.is_growing(self.paces)


class LimitResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """A whole search."""

    config: str
    search: LimitOptions
    options: LoadOptions
    slos: tuple[Slo, ...]
    points: tuple[LimitPoint, ...]
    found: FoundLimit
    target: TargetInfo

    @property
    def limit(self) -> float | None:
        """The highest load that meets the goals; None if even the lowest misses them."""
        return self.found.limit

    def headline(self) -> str:
        """The limit, or that there is none."""
        search, found = self.search, self.found
        goals = " and ".join(each.text for each in self.slos)
        unsure = few((f"{each:g}" for each in found.unsure), _NAMED)
        missed = f"missed at {found.above:g}" if found.above is not None else "missed nowhere"
        if found.limit is None:
            if unsure:
                return f"{goals}: unsure at {search.vary} = {unsure}, {missed}, met nowhere."
            if self._has_failed(found.above):
                lowest = f"{search.vary} = {found.above:g}"
                return f"{goals}: met nowhere: even at {lowest} every run fails."
            return f"Even {search.vary} = {found.above:g} misses {goals}."
        if found.above is None and not unsure:
            return f"{goals}: met up to {search.vary} = {found.limit:g}, where the search ends."
        between = f"unsure at {unsure}, " if unsure else ""
        return (
            f"{goals}: met up to {search.vary} = {found.limit:g} with {search.confidence:.0%} "
            f"confidence, {between}{missed}."
        )

    def _has_failed(self, value: float | None) -> bool:
        """Whether every run of a load had an error, whatever its values."""
        return any(
            all(run.problem for run in each.runs) for each in self.points if each.value == value
        )

    def influence(self) -> str:
        """How long the load of the limit lasts, and whether a longer one would have another limit.

        Empty if no run shows it.
        """
        limit = self.found.limit
        at = limit if limit is not None else self.found.above
        point = next((each for each in self.points if each.value == at), None)
        if point is None or not point.paces:
            return ""
        seconds = max(each.seconds for each in point.paces)
        length = f"{seconds:,.0f}" if seconds >= _EXACT else f"{seconds:.3g}"
        lasts = f"At {point.value:g} the load lasts {length}s"
        if not point.is_growing:
            return f"{lasts}, and the backlog does not grow at its end."
        longer = "have a lower limit" if limit is not None else "miss it by more"
        return (
            f"Warning: {lasts[0].lower()}{lasts[1:]}, and the backlog still grows at its end: a "
            f"longer load would {longer}."
        )

    def table(self) -> Table:
        """A row for each run of each load that was tried."""
        goals = columns(**{each.name: Kind.FLOAT for each in self.slos})
        head = columns(
            value=Kind.FLOAT, seed=Kind.INT, met=Kind.INT, requested=Kind.FLOAT, achieved=Kind.FLOAT
        )
        return Table(
            (*head, *goals, *columns(verdict=Kind.TEXT)),
            [
                (
                    point.value,
                    seed,
                    int(run.is_met),
                    *(
                        (None, None)
                        if run.pace is None
                        else (run.pace.requested, run.pace.achieved)
                    ),
                    *run.values,
                    VERDICTS[point.verdict],
                )
                for point in self.points
                for seed, run in zip(point.seeds, point.runs, strict=True)
            ],
        )

    def as_data(self) -> Json:
        """The search as plain values."""
        return {
            "config": self.config,
            "vary": self.search.vary,
            "slos": [each.text for each in self.slos],
            "confidence": self.search.confidence,
            "limit": self.found.limit,
            "above": self.found.above,
            "unsure": list(self.found.unsure),
            "influence": self.influence(),
            "monotonic": self.found.is_monotonic,
            "points": [self._point_data(each) for each in self.points],
        }

    def _point_data(self, point: LimitPoint) -> Json:
        return {
            "value": point.value,
            "verdict": VERDICTS[point.verdict],
            "backlogGrows": point.is_growing,
            "runs": [
                {
                    "seed": seed,
                    "met": run.is_met,
                    "values": {
                        slo.name: value for slo, value in zip(self.slos, run.values, strict=True)
                    },
                    "problem": run.problem,
                    **_pace_data(run.pace),
                }
                for seed, run in zip(point.seeds, point.runs, strict=True)
            ],
        }

    def save(self, directory: str) -> None:
        """Write limit.html, its chart and limit.json."""
        with limit_directory.LimitDirectory(directory) as claimed:
            self.write(claimed)

    def write(self, directory: LimitDirectory, command: str = "") -> None:
        """Write the search into a directory that was claimed before it started.

        `command` is what to type to get the same result.
        """
        about = report_files.about(self.options, self.target, command)
        directory.write(self.as_data(), about)


def _pace_data(found: Pace | None) -> Json:
    if found is None:
        return {}
    return {
        "requested": found.requested,
        "achieved": found.achieved,
        "loadSeconds": found.seconds,
        "backlogInTheMiddle": found.middle,
        "backlogAtTheEnd": found.end,
    }


def claim(report_dir: str | None) -> AbstractContextManager[LimitDirectory | None]:
    """The directory, refused before anything is run if it cannot be written."""
    if report_dir is None:
        return contextlib.nullcontext()
    return limit_directory.LimitDirectory(report_dir)
