"""The runs that are compared: those that were kept, or those that are run for it."""

from __future__ import annotations

import abc
import contextlib
import functools
from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.results import analysis, comparison, run_directory, timings
from kubestage.runs.compare import names, spare_nodes
from kubestage.runs.explain import details
from kubestage.runs.inputs import file_kinds
from kubestage.runs.observer import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest
    from kubestage.results.comparison import Tried
    from kubestage.results.comparison.packed_ends import PackedEnd
    from kubestage.results.run_directory import Run
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.explain.details import AttemptDetails
    from kubestage.runs.observer import Observer


class Contender(abc.ABC):
    """One of the runs that are compared, with its name in tables.

    `conditions` is what it was run with besides events and a configuration, as far as is known;
    `timings` how long scheduling took, if that was measured or modelled.
    """

    def __init__(
        self,
        name: str,
        scenario: Json,
        conditions: Mapping[str, object],
        timings: RecordedTimings | None = None,
    ) -> None:
        self.name = name
        self.scenario = scenario
        self.conditions = conditions
        self.timings = timings

    @functools.cached_property
    def digest(self) -> Digest:
        """The digest of the run."""
        return analysis.digest(self.scenario)

    def attempts(self) -> list[Tried]:
        """Every attempt, in order."""
        return comparison.tried(self.digest)

    @abc.abstractmethod
    def details(self, numbers: Sequence[int]) -> AttemptDetails:
        """The details of attempts."""

    def end(self, observer: Observer) -> PackedEnd | None:
        """What is left over on nodes at its end; None if that is not known."""
        return spare_nodes.of_scenario(self.scenario, observer)


class KeptContender(Contender):
    """A run that was kept in a directory or a file."""

    def __init__(self, name: str, run: Run, observer: Observer = SILENT) -> None:
        super().__init__(name, run.scenario, _conditions(run), timings.beside(run.name))
        self._run = run
        self._observer = observer

    @functools.cached_property
    def digest(self) -> Digest:
        """The digest of the run."""
        return details.digest(self._run)

    def attempts(self) -> list[Tried]:
        """Every attempt, in order, those that only the record has included."""
        return details.attempts_of(self._run, self.digest)

    def details(self, numbers: Sequence[int]) -> AttemptDetails:
        """The details of attempts: recorded, or from a repetition."""
        return details.details_of(self._run, numbers, self.attempts, self._observer)


def _conditions(run: Run) -> dict[str, object]:
    how = run.repeat
    if how is None:
        return {}
    return {
        "seed": how.seed,
        "tie break": how.tie_break,
        "unschedulable": how.leaving.value,
        "controllers": how.controllers,
        "start": how.start,
        "version": how.version,
    }


@contextlib.contextmanager
def kept(paths: Sequence[str], observer: Observer) -> Iterator[list[Contender]]:
    """Runs that were kept, open until the end of the block."""
    with contextlib.ExitStack() as stack:
        runs = [stack.enter_context(_opened(path)) for path in paths]
        short = names.short([names.directory(run.name) for run in runs])
        yield [KeptContender(name, run, observer) for name, run in zip(short, runs, strict=True)]


def _opened(path: str) -> Run:
    try:
        file_kinds.expect_run(path)
        return run_directory.open_run(path)
    except InputError as error:
        other = "to run it now, give --config for each configuration"
        error.fix = f"{error.fix}; {other}" if error.fix else other
        raise
