"""One input run under several configurations, to be compared."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.runs import free_nodes, interruption, run_settings, scenario_run
from kubestage.runs.compare import names, saving, side_by_side
from kubestage.runs.compare.contenders import Contender
from kubestage.runs.compare.side_by_side import SteppedRun
from kubestage.runs.explain import repetition
from kubestage.runs.explain.details import AttemptDetails
from kubestage.runs.inputs import (
    catalog_files,
    config_file,
    measure_files,
    plain_nodes,
    plugin_files,
    price_files,
    scenario_inputs,
    stage_inputs,
    what_if,
)
from kubestage.runs.run_settings import SchedulerInputs
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.cluster.profile import Profile
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.compare_options import CompareOptions
    from kubestage.runs.explain.repetition import Repeatable
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_settings import RunSettings

DEFAULT: Final = "default"
"""The word for kube-scheduler's own configuration."""


class FreshContender(Contender):
    """A run that was made just now, with the explanations that were kept of it."""

    def __init__(
        self,
        name: str,
        scenario: Json,
        again: Repeatable,
        explanations: dict[int, Json],
        timings: RecordedTimings | None,
    ) -> None:
        super().__init__(name, scenario, {}, timings)
        self._again = again
        self._explanations = explanations

    def details(self, numbers: Sequence[int]) -> AttemptDetails:
        """The details of attempts; those that were not kept are from a repetition."""
        if all(number in self._explanations for number in numbers):
            return AttemptDetails({number: self._explanations[number] for number in numbers})
        return AttemptDetails(dict(repetition.repeat(self._again, numbers).explanations))


def run_all(
    files: Sequence[str], options: CompareOptions, plane: Profile | None, observer: Observer
) -> list[Contender]:
    """Run one input under each configuration of the options."""
    settings, schedulers = _settings(options, plane, observer)
    loaded = stage_inputs.load_cluster(files, options.configs[0], observer)
    what_if.apply(loaded, options, options.configs[0], observer)
    plain_nodes.add(loaded, options.nodes, options.node)
    notes = [*loaded.notes, *catalog_files.add(loaded, options.catalogue)]
    for note in (*notes, *price_files.add(loaded, options.prices)):
        observer.note(note)
    inputs = scenario_inputs.read(loaded, options.controllers)
    if len(inputs.scenarios) > 1:
        several = ", ".join(str(each["metadata"]["name"]) for each in inputs.scenarios)
        raise InputError(
            f"there are several Scenarios: {several}", fix="compare with one at a time"
        )
    short = names.short(options.configs)
    quiet = [dataclasses.replace(each, recording=Recording.NONE) for each in settings]
    found: list[Contender] = []
    with (
        saving.KeptContenders(options.out, short, inputs, observer) as kept,
        interruption.reporting(
            lambda: f"{len(found)} of {len(short)} runs had ended, and none of them is kept"
        ),
    ):
        runs = [
            SteppedRun(inputs, each, observer, kept.sink(name))
            for each, name in zip(quiet, short, strict=True)
        ]
        # What explaining takes would be measured, too.
        if options.explains and not options.timings:
            side_by_side.run_until_they_part(runs, names.pairs(short, options.between))
        for at, name in enumerate(short):
            observer.on_run(name, at + 1, len(short))
            # Its stage is large, and goes with it.
            run = runs.pop(0)
            ended = run.finish()
            scenario_run.raise_refusal(ended, inputs, loaded)
            scenario = ended.scenario(inputs.scenarios[0]["metadata"]["name"])
            durations = run_settings.timings_of(ended.scheduler)
            if options.reschedule is not None:
                observer.note(f"{name}: {free_nodes.note(ended.stage)}")
            kept.keep(name, scenario, settings[at], schedulers[at], durations)
            again = _again(inputs, settings[at])
            found.append(FreshContender(name, scenario, again, run.log.kept, durations))
        kept.write()
    return found


def _again(inputs: Inputs, settings: RunSettings) -> Repeatable:
    return repetition.Repeatable(inputs, dataclasses.replace(settings, stopwatch=None))


def _settings(
    options: CompareOptions, plane: Profile | None, observer: Observer
) -> tuple[list[RunSettings], list[SchedulerInputs]]:
    """All configurations with their plugins, checked before the first run starts."""
    found: list[RunSettings] = []
    written: list[SchedulerInputs] = []
    flags = config_file.Flags()
    unused: set[str] = set()
    measures = measure_files.load(options.measures)
    for at, each in enumerate(options.configs):
        path = None if each == DEFAULT else each
        configuration = config_file.load(path, flags)
        plugins = plugin_files.load(options.plugins, configuration)
        completed = config_file.check(configuration, plugins, path)
        text = config_file.text_of(path, flags)
        written.append(SchedulerInputs(path, text, flags, options.plugins, completed))
        idle = set(plugin_files.unused(plugins, configuration))
        unused = idle & unused if at else idle
        found.append(
            run_settings.RunSettings(
                configuration,
                plugins,
                options.seed,
                TieBreak(options.tie_break),
                Recording.DECISIONS,
                stopwatch=time.perf_counter_ns if options.timings else None,
                control_plane=plane,
                measures=measures,
            )
        )
    if unused:
        named = ", ".join(sorted(unused))
        observer.note(f"no configuration enables {named}, so it takes no part")
    return found, written
