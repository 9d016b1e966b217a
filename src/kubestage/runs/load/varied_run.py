"""One run of a load with some of its numbers changed, as searches and sweeps make many."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec

from kubestage.clusterloader.reading.problems import InvalidConfig
from kubestage.errors import InputError
from kubestage.runs.inputs import config_file, edits, measure_files, stage_inputs
from kubestage.runs.load import (
    load_test,
    measurement_files,
    planning,
    program_files,
    running,
    targets,
)
from kubestage.runs.load.observer import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.clusterloader.config_loading import LoadedConfig
    from kubestage.clusterloader.result import LoadResult
    from kubestage.results.load.cost import LoadCost
    from kubestage.runs.load.load_test import LoadTest
    from kubestage.runs.load.observer import LoadObserver
    from kubestage.runs.load.options import LoadOptions
    from kubestage.runs.load.vary import Vary

    Changes = Sequence[tuple[Vary, float]]


class VariedRun(msgspec.Struct, frozen=True):
    """What came of such a run."""

    result: LoadResult
    cost: LoadCost | None


def run(
    config: str, changes: Changes, options: LoadOptions, observer: LoadObserver = SILENT
) -> VariedRun:
    """Run a load from the beginning; parameters of templates are in the options already."""
    target = targets.open_target(
        options, measurement_files.registry(options.measurements), observer
    )
    try:
        test = test_of(config)
        loaded = changed(lambda: running.load_all([test], options, target)[0], changes)
        [completed] = running.run([test], [loaded], options, target, observer)
        cost = target.cost()
    finally:
        target.close()
    if completed.result.is_interrupted:
        raise KeyboardInterrupt
    return VariedRun(completed.result, cost)


def check(config: str, changes: Changes, options: LoadOptions) -> None:
    """Render, read, change and check the configuration, and what its stage is made of."""
    options.check()
    if options.stage:
        stage_inputs.load(options.stage, options.scheduler_config)
    if options.scheduler_config is not None or edits.config_edits():
        config_file.load(options.scheduler_config, config_file.Flags())
    measure_files.load(options.measures)
    program_files.load(options.programs)
    nodes = planning.node_count(options)
    registry = measurement_files.registry(options.measurements)
    test, rng = test_of(config), random.Random(options.seed)
    changed(lambda: load_test.load(test, options, nodes, registry, rng), changes)


def changed(load: Callable[[], LoadedConfig], changes: Changes) -> LoadedConfig:
    """A configuration with numbers changed."""
    try:
        loaded = load()
    except InvalidConfig as error:
        # An error of many problems does not travel between processes.
        first = error.problems[0]
        values = ", ".join(f"{vary.path} = {value:g}" for vary, value in changes)
        problem = f"{first.problem} (at {values})" if values else first.problem
        raise InputError(problem, file=first.file, path=first.path, fix=first.fix) from None
    config = loaded.config
    for vary, value in changes:
        config = vary.changed(config, value)
    return msgspec.structs.replace(loaded, config=config)


def test_of(config: str) -> LoadTest:
    """The one test of a configuration; InputError if it is a suite."""
    tests = load_test.find([config])
    if len(tests) != 1:
        fix = "name one of its configurations"
        raise InputError("this is about one test, and this is a suite", file=config, fix=fix)
    return tests[0]
