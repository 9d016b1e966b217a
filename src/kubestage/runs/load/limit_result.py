"""What a search for a limit came to."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import lazy
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.load import report_files
from kubestage.runs.notebook import TableResult

with lazy.imports():
    from kubestage.results.load import limit_directory

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from kubestage.aliases import Json
    from kubestage.clusterloader.limit_search import FoundLimit
    from kubestage.results.load.limit_directory import LimitDirectory
    from kubestage.runs.load.limit_options import LimitOptions
    from kubestage.runs.load.options import LoadOptions
    from kubestage.runs.load.slos import Slo, SloResult
    from kubestage.runs.load.targets import TargetInfo

VERDICTS: Final = {True: "meets", False: "misses", None: "unsure"}


class LimitPoint(msgspec.Struct, frozen=True):
    """A load that was tried: the result of each of its runs, and what they show together."""

    value: float
    seeds: tuple[int, ...]
    runs: tuple[SloResult, ...]
    verdict: bool | None
    """None where the runs do not agree enough; the load does not count as met then."""


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
        if found.limit is None:
            return f"Even {search.vary} = {found.above:g} misses {goals}."
        if found.above is None:
            return f"{goals}: met up to {search.vary} = {found.limit:g}, where the search ends."
        return (
            f"{goals}: met up to {search.vary} = {found.limit:g} with {search.confidence:.0%} "
            f"confidence, missed at {found.above:g}."
        )

    def table(self) -> Table:
        """A row for each run of each load that was tried."""
        goals = columns(**{each.name: Kind.FLOAT for each in self.slos})
        head = columns(value=Kind.FLOAT, seed=Kind.INT, met=Kind.INT)
        return Table(
            (*head, *goals, *columns(verdict=Kind.TEXT)),
            [
                (point.value, seed, int(run.is_met), *run.values, VERDICTS[point.verdict])
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
            "monotonic": self.found.is_monotonic,
            "points": [self._point_data(each) for each in self.points],
        }

    def _point_data(self, point: LimitPoint) -> Json:
        return {
            "value": point.value,
            "verdict": VERDICTS[point.verdict],
            "runs": [
                {
                    "seed": seed,
                    "met": run.is_met,
                    "values": {
                        slo.name: value for slo, value in zip(self.slos, run.values, strict=True)
                    },
                    "problem": run.problem,
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


def claim(report_dir: str | None) -> AbstractContextManager[LimitDirectory | None]:
    """The directory, refused before anything is run if it cannot be written."""
    if report_dir is None:
        return contextlib.nullcontext()
    return limit_directory.LimitDirectory(report_dir)
