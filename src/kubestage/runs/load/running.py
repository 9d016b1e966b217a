"""Runs loads: tests one after the other on their cluster."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.clusterloader.reading.problems import InvalidConfig
from kubestage.errors import InputError
from kubestage.runs.inputs import python_file
from kubestage.runs.load import (
    composition,
    load_test,
    measurement_files,
    program_files,
    targets,
    user_measures,
)
from kubestage.runs.load.interrupts import Interrupts
from kubestage.runs.load.observer import SILENT
from kubestage.runs.load.options import LoadOptions
from kubestage.runs.load.remaining import remaining_objects
from kubestage.runs.load.results import CompletedTest, LoadResults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.clusterloader.config_loading import LoadedConfig
    from kubestage.clusterloader.run import LoadRun
    from kubestage.measure.registry import Registry
    from kubestage.runs.load.composition import LoadContext
    from kubestage.runs.load.load_test import LoadTest
    from kubestage.runs.load.observer import LoadObserver
    from kubestage.runs.load.targets import LoadTarget

_ATTEMPTS: Final = 1000


def load(
    tests: str | Sequence[str | LoadTest],
    options: LoadOptions | None = None,
    *,
    registry: Registry | None = None,
    observer: LoadObserver = SILENT,
) -> LoadResults:
    """Run tests one after the other; configurations and suites are named by their files.

    `registry` has the measurements that configurations may mention, by default ours and those
    that `options` names. An InputError (`InvalidConfig` if a configuration has several mistakes)
    is raised before the first test starts. After an interrupt no more tests are started.
    """
    options = options or LoadOptions()
    options.check()
    known = registry or measurement_files.registry(options.measurements)
    selected = load_test.select(tests)
    target = targets.open_target(options, known, observer)
    try:
        loaded = [
            with_problems(each, target.context) for each in load_all(selected, options, target)
        ]
        observer.target_ready(target)
        completed = run(selected, loaded, options, target, observer)
        cost, history = target.cost(), target.history()
    finally:
        target.close()
    return LoadResults(tuple(completed), len(selected), options, target.info, cost, history)


def load_all(
    tests: Sequence[LoadTest], options: LoadOptions, target: LoadTarget
) -> list[LoadedConfig]:
    """All tests, read and checked before the first one starts."""
    context = target.context
    rng = context.streams.stream("load/templates")
    return [load_test.load(test, options, context.nodes, context.registry, rng) for test in tests]


def with_problems(loaded: LoadedConfig, context: LoadContext) -> LoadedConfig:
    """A test with what its plan finds wrong in its objects as warnings; errors if it is strict."""
    found = composition.plan(loaded, context.nodes, context.limits).problems
    if found and context.is_strict:
        raise InvalidConfig(tuple(InputError(problem) for problem in found))
    return msgspec.structs.replace(loaded, warnings=(*loaded.warnings, *found))


def run(
    tests: Sequence[LoadTest],
    loaded: Sequence[LoadedConfig],
    options: LoadOptions,
    target: LoadTarget,
    observer: LoadObserver,
) -> list[CompletedTest]:
    """Run tests that were loaded; after an interrupt no more are started."""
    interrupts = Interrupts(observer.interrupted)
    completed: list[CompletedTest] = []
    named = (*options.measurements, *options.measures, *program_files.specs(options.programs))
    files = measurement_files.files(named)
    with interrupts.handled(), python_file.error_context(*files):
        for number, (test, each) in enumerate(zip(tests, loaded, strict=True), 1):
            run = composition.compose(test, each, target.context)
            position = f"{number} of {len(tests)}" if len(tests) > 1 else ""
            observer.test_started(run, each, position)
            measuring = target.measuring()
            measures = None if measuring is None else user_measures.TestMeasures(measuring, run)
            with interrupts.ending(functools.partial(target.interrupt, run)):
                _finish(target, run, observer)
            if measures is not None:
                measures.write()
            if target.context.programs is not None:
                problems = target.context.programs.take_problems()
                (run.result.errors if options.is_strict else run.result.warnings).extend(problems)
                run.result.warnings.extend(target.context.programs.take_refusals())
            observer.test_ended()
            completed.append(CompletedTest(test, each, run.result))
            if interrupts.is_pressed:
                # Also if this one was only cleaning up: others were not started.
                run.result.is_interrupted |= number < len(tests)
                break
    return completed


def _finish(target: LoadTarget, run: LoadRun, observer: LoadObserver) -> None:
    try:
        run.start()
        target.finish(run, observer.progressed)
    except Exception:
        if target.is_real:
            _clean_up(target, run, observer)
        raise
    finally:
        if target.is_real and not run.is_over:
            observer.objects_remain(remaining_objects(run.result.calls))


def _clean_up(target: LoadTarget, run: LoadRun, observer: LoadObserver) -> None:
    """End a run in which a measurement failed: objects do not stay in a real cluster.

    What failed may fail again until it is stopped.
    """
    observer.failed()
    run.interrupt()
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(Exception):
            target.finish(run, observer.progressed)
        if run.is_over:
            break
