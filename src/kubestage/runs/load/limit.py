"""Searches for the highest load that meets its goals: runs with several seeds, in processes."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.clusterloader import limit_search
from kubestage.clusterloader.limit_search import SearchRange
from kubestage.errors import InputError
from kubestage.runs.load import measurement_files, running, slos, targets, varied_run
from kubestage.runs.load.limit_result import LimitPoint, LimitResult
from kubestage.runs.load.observer import SILENT, LoadObserver
from kubestage.runs.load.options import LoadOptions
from kubestage.runs.load.slos import Slo  # noqa: TC001 - read by msgspec
from kubestage.runs.load.vary import Vary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.runs.load.limit_options import LimitOptions
    from kubestage.runs.load.slos import SloResult

_WIDE: Final = 1024
# Where seeds disagree, a load is run with more of them, up to so many times as many.
_ROUNDS: Final = 3


class Task(msgspec.Struct, frozen=True):
    """One run, as it is sent to another process."""

    options: LoadOptions
    config: str
    vary: Vary
    value: float
    slos: tuple[Slo, ...]


def find_limit(
    config: str,
    search: LimitOptions,
    options: LoadOptions | None = None,
    *,
    observer: LoadObserver = SILENT,
) -> LimitResult:
    """Search for the highest load of a configuration that meets its goals."""
    return LimitSearch(config, search, options or LoadOptions(), observer).run()


class LimitSearch:
    """A search that has been checked: it can start.

    `observer` is sent to other processes.
    """

    def __init__(
        self,
        config: str,
        search: LimitOptions,
        options: LoadOptions,
        observer: LoadObserver = SILENT,
    ) -> None:
        options.check()
        search.check()
        if options.prices is not None:
            fix = "leave it out, and run the load at the limit with `kubestage load --prices`"
            raise InputError("a search for a limit reports no cost", path="--prices", fix=fix)
        self._config = config
        self._search = search
        self._options = options
        self._observer = observer
        self._slos = tuple(slos.read(each) for each in search.slos)
        self._vary = Vary(search.vary)
        self._vary.check()
        needed = limit_search.runs_needed(search.confidence)
        if search.seeds < needed:
            fix = f"write --seeds {needed}, or a smaller --confidence"
            problem = f"{search.seeds} runs cannot make anybody {search.confidence:.0%} sure"
            raise InputError(problem, path="--seeds", fix=fix)
        self._range = self._find_range()
        self._points: dict[float, LimitPoint] = {}

    def run(self) -> LimitResult:
        """Search."""
        jobs = 1 if self._options.is_real else self._search.jobs or _cores()
        with _runner(jobs, self._observer) as run_tasks:
            found = limit_search.search(functools.partial(self._meets, run_tasks), self._range)
        return LimitResult(
            config=self._config,
            search=self._search,
            options=self._options,
            slos=self._slos,
            points=tuple(self._points[value] for value, _ in found.tried),
            found=found,
            target=self._target,
        )

    def _find_range(self) -> SearchRange:
        """Where to search, from the configuration where the options do not say it."""
        search = self._search
        registry = measurement_files.registry(self._options.measurements)
        options = self._options
        if search.start is not None:
            options = self._vary.chosen(options, search.start)
        target = targets.open_target(options, registry, self._observer)
        self._target = target.info
        try:
            test = varied_run.test_of(self._config)
            [loaded] = running.load_all([test], options, target)
        finally:
            target.close()
        slos.check(self._slos, loaded.config)
        now = self._vary.current(loaded.config, loaded.mapping)
        start = search.start if search.start is not None else now
        if start is None:
            problem = f"nothing says what {self._vary.parameter} is"
            raise InputError(problem, path="--vary", fix="say where to begin with --from")
        is_whole = isinstance(now, int) and float(start).is_integer()
        lowest = start if search.start is not None else start / _WIDE
        highest = search.highest if search.highest is not None else start * _WIDE
        if highest < start:
            problem = f"{highest:g} is below {start:g}, which the configuration says"
            raise InputError(problem, path="--to", fix="say where to begin with --from")
        if is_whole:
            lowest, highest = max(float(round(lowest)), 1.0), float(int(highest))
        return SearchRange(
            lowest=lowest,
            start=start,
            highest=highest,
            precision=search.precision,
            is_whole=is_whole,
        )

    def _meets(
        self, run_tasks: Callable[[list[Task]], list[SloResult]], value: float
    ) -> bool | None:
        """Run a load with as many seeds as it takes to be sure, within reason."""
        search = self._search
        runs: list[SloResult] = []
        verdict: bool | None = None
        for _ in range(_ROUNDS):
            seeds = range(len(runs), len(runs) + search.seeds)
            runs.extend(run_tasks([self._task(value, seed) for seed in seeds]))
            passed = sum(each.is_met for each in runs)
            verdict = limit_search.verdict(passed, len(runs), search.confidence)
            if verdict is not None:
                break
        used = tuple(self._options.seed + each for each in range(len(runs)))
        self._points[value] = LimitPoint(value, used, tuple(runs), verdict)
        self._observer.point_decided(self._points[value], self._vary.path)
        return verdict

    def _task(self, value: float, seed: int) -> Task:
        options = msgspec.structs.replace(self._options, seed=self._options.seed + seed)
        return Task(self._vary.chosen(options, value), self._config, self._vary, value, self._slos)


def run_one(observer: LoadObserver, task: Task) -> SloResult:
    """One run of a load, from the beginning; only interrupts and failures are reported."""
    found = varied_run.run(task.config, [(task.vary, task.value)], task.options, observer)
    return slos.evaluate(task.slos, found.result)


@contextlib.contextmanager
def _runner(jobs: int, observer: LoadObserver) -> Iterator[Callable[[list[Task]], list[SloResult]]]:
    """A function that runs tasks and returns their results in order, `jobs` at a time."""
    run = functools.partial(run_one, observer)
    if jobs == 1:
        yield lambda tasks: [run(each) for each in tasks]
        return
    with multiprocessing.get_context("spawn").Pool(jobs, _ignore_interrupts) as pool:
        yield lambda tasks: pool.map(run, tasks, chunksize=1)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
