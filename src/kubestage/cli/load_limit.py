"""Runs the loads of a search: each with several seeds, in processes of their own."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.cli import (
    load_grounds,
    load_measurements,
    load_running,
    load_slo,
    load_tests,
    load_view,
)
from kubestage.cli.load_grounds import Where  # noqa: TC001 - read by msgspec
from kubestage.cli.load_slo import Judged, Slo  # noqa: TC001 - read by msgspec
from kubestage.cli.load_vary import Vary
from kubestage.errors import InputError
from kubestage.load import limit_search
from kubestage.load.limit_search import Found, Range
from kubestage.load.reading.problems import InvalidConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.cli.load_choices import Choices

_WIDE: Final = 1024
# Where seeds disagree, a load is run with more of them, up to so many times as many.
_ROUNDS: Final = 3


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants to know; `start` and `highest` are None where nobody said."""

    config: str
    slos: tuple[str, ...]
    vary: str
    start: float | None
    highest: float | None
    seeds: int
    confidence: float
    precision: float
    jobs: int


class Point(msgspec.Struct, frozen=True):
    """A load that was tried: what became of each of its runs, and what that says.

    `verdict` is None where the runs do not agree enough; the load does not count as met then.
    """

    value: float
    seeds: tuple[int, ...]
    runs: tuple[Judged, ...]
    verdict: bool | None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A whole search."""

    wanted: Wanted
    slos: tuple[Slo, ...]
    points: tuple[Point, ...]
    found: Found
    where: Where


class Task(msgspec.Struct, frozen=True):
    """One run, as it is sent to another process."""

    choices: Any
    config: str
    vary: Vary
    value: float
    slos: tuple[Slo, ...]


class Search:
    """A search that has been checked: it can begin."""

    def __init__(self, wanted: Wanted, choices: Choices) -> None:
        self._wanted = wanted
        self._choices = choices
        self._slos = tuple(load_slo.read(each) for each in wanted.slos)
        self._vary = Vary(wanted.vary)
        self._vary.check()
        needed = limit_search.runs_needed(wanted.confidence)
        if wanted.seeds < needed:
            fix = f"write --seeds {needed}, or a smaller --confidence"
            problem = f"{wanted.seeds} runs cannot make anybody {wanted.confidence:.0%} sure"
            raise InputError(problem, path="--seeds", fix=fix)
        self._range = self._ranged()
        self._points: dict[float, Point] = {}

    def run(self) -> Outcome:
        """Search."""
        with _runners(1 if self._choices.is_real else self._wanted.jobs) as runs:
            self._runs = runs
            found = limit_search.search(self._meets, self._range)
        points = tuple(self._points[value] for value, _ in found.tried)
        return Outcome(
            wanted=self._wanted, slos=self._slos, points=points, found=found, where=self._where
        )

    def _ranged(self) -> Range:
        """Where to search, from what the configuration says where a person does not."""
        wanted = self._wanted
        registry = load_measurements.registry(self._choices.measurements)
        choices = self._choices
        if wanted.start is not None:
            choices = self._vary.chosen(choices, wanted.start)
        ground = load_grounds.ground(choices, registry)
        self._where = ground.where
        try:
            [test] = _tests(wanted.config)
            [loaded] = load_running.loaded_for([test], choices, ground)
        finally:
            ground.close()
        load_slo.check(self._slos, loaded.config)
        now = self._vary.current(loaded.config, loaded.mapping)
        start = wanted.start if wanted.start is not None else now
        if start is None:
            problem = f"nothing says what {self._vary.parameter} is"
            raise InputError(problem, path="--vary", fix="say where to begin with --from")
        is_whole = isinstance(now, int) and float(start).is_integer()
        lowest = start if wanted.start is not None else start / _WIDE
        highest = wanted.highest if wanted.highest is not None else start * _WIDE
        if highest < start:
            problem = f"{highest:g} is below {start:g}, which the configuration says"
            raise InputError(problem, path="--to", fix="say where to begin with --from")
        if is_whole:
            lowest, highest = max(float(round(lowest)), 1.0), float(int(highest))
        return Range(
            lowest=lowest,
            start=start,
            highest=highest,
            precision=wanted.precision,
            is_whole=is_whole,
        )

    def _meets(self, value: float) -> bool:
        """Run a load with as many seeds as it takes to be sure, within reason."""
        wanted = self._wanted
        runs: list[Judged] = []
        verdict: bool | None = None
        for _ in range(_ROUNDS):
            seeds = range(len(runs), len(runs) + wanted.seeds)
            runs.extend(self._runs([self._task(value, seed) for seed in seeds]))
            passed = sum(each.is_met for each in runs)
            verdict = limit_search.verdict(passed, len(runs), wanted.confidence)
            if verdict is not None:
                break
        seeds_used = tuple(self._choices.seed + each for each in range(len(runs)))
        self._points[value] = Point(value, seeds_used, tuple(runs), verdict)
        _tell(self._points[value], self._vary)
        return verdict is True

    def _task(self, value: float, seed: int) -> Task:
        choices = msgspec.structs.replace(self._choices, seed=self._choices.seed + seed)
        return Task(
            self._vary.chosen(choices, value), self._wanted.config, self._vary, value, self._slos
        )


def run_one(task: Task) -> Judged:
    """One run of a load, from the beginning."""
    choices = task.choices
    registry = load_measurements.registry(choices.measurements)
    ground = load_grounds.ground(choices, registry)
    try:
        [test] = _tests(task.config)
        try:
            [loaded] = load_running.loaded_for([test], choices, ground)
        except InvalidConfig as error:
            # An error of many problems does not travel between processes.
            first = error.problems[0]
            problem = f"{first.problem} (at {task.vary.path} = {task.value:g})"
            raise InputError(problem, file=first.file, path=first.path, fix=first.fix) from None
        config = task.vary.changed(loaded.config, task.value)
        loaded = msgspec.structs.replace(loaded, config=config)
        [ran] = load_running.run([test], [loaded], choices, ground, load_view.Unseen())
    finally:
        ground.close()
    if ran.result.is_interrupted:
        raise KeyboardInterrupt
    return load_slo.judge(task.slos, ran.result)


def _tests(config: str) -> list[load_tests.Test]:
    tests = load_tests.named([config], [])
    if len(tests) != 1:
        fix = "name one of its configurations"
        raise InputError("a search is about one test, and this is a suite", file=config, fix=fix)
    return tests


@contextlib.contextmanager
def _runners(jobs: int) -> Iterator[Any]:
    """Somebody who runs tasks and gives their outcomes in order, `jobs` at a time."""
    if jobs == 1:
        yield lambda tasks: [run_one(each) for each in tasks]
        return
    with multiprocessing.get_context("spawn").Pool(jobs, _deafen) as pool:
        yield lambda tasks: pool.map(run_one, tasks, chunksize=1)


def _deafen() -> None:
    """Ctrl-C is for the process that a person sees."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _tell(point: Point, vary: Vary) -> None:
    if sys.stderr.isatty():
        met = sum(each.is_met for each in point.runs)
        sys.stderr.write(f"{vary.path} = {point.value:g}: {met} of {len(point.runs)} runs meet\n")
