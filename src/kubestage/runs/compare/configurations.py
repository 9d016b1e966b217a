"""One input run under several configurations, to be compared."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.runs import interruption, run_settings, scenario_run
from kubestage.runs.compare import names, side_by_side
from kubestage.runs.compare.contenders import Contender
from kubestage.runs.compare.side_by_side import SteppedRun
from kubestage.runs.explain import repetition
from kubestage.runs.explain.details import AttemptDetails
from kubestage.runs.inputs import (
    config_file,
    plugin_files,
    price_files,
    scenario_inputs,
    stage_inputs,
)
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.cluster.profile import Profile
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.compare_options import CompareOptions
    from kubestage.runs.explain.repetition import Repeatable
    from kubestage.runs.inputs.manifests import LoadedManifests
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
    settings = _settings(options, plane, observer)
    loaded = stage_inputs.load(files, options.configs[0], observer)
    for note in price_files.add(loaded, options.prices):
        observer.note(note)
    inputs = scenario_inputs.read(loaded, options.controllers)
    if len(inputs.scenarios) > 1:
        several = ", ".join(str(each["metadata"]["name"]) for each in inputs.scenarios)
        raise InputError(
            f"there are several Scenarios: {several}", fix="compare with one at a time"
        )
    short = names.short(options.configs)
    quiet = [dataclasses.replace(each, recording=Recording.NONE) for each in settings]
    runs = [SteppedRun(inputs, each, observer) for each in quiet]
    found: list[Contender] = []
    with interruption.reporting(
        lambda: f"{len(found)} of {len(short)} runs had ended, and none of them is kept"
    ):
        # What explaining takes would be measured, too.
        if options.explains and not options.timings:
            side_by_side.run_until_they_part(runs, names.pairs(short, options.between))
        for at, name in enumerate(short):
            observer.on_run(name, at + 1, len(short))
            # Its stage is large, and goes with it.
            run = runs.pop(0)
            scenario, durations = _finished(run, inputs, loaded)
            again = _again(inputs, settings[at])
            found.append(FreshContender(name, scenario, again, run.log.kept, durations))
    return found


def _finished(
    run: SteppedRun, inputs: Inputs, loaded: LoadedManifests
) -> tuple[Json, RecordedTimings | None]:
    """Run to the end: the Scenario with its status, and how long scheduling took."""
    ended = run.finish()
    scenario_run.raise_refusal(ended, inputs, loaded)
    scenario = ended.scenario(inputs.scenarios[0]["metadata"]["name"])
    return scenario, run_settings.timings_of(ended.scheduler)


def _again(inputs: Inputs, settings: RunSettings) -> Repeatable:
    return repetition.Repeatable(inputs, dataclasses.replace(settings, stopwatch=None))


def _settings(
    options: CompareOptions, plane: Profile | None, observer: Observer
) -> list[RunSettings]:
    """All configurations with their plugins, checked before the first run starts."""
    found: list[RunSettings] = []
    unused: set[str] = set()
    for at, each in enumerate(options.configs):
        path = None if each == DEFAULT else each
        configuration = config_file.load(path, config_file.Flags())
        plugins = plugin_files.load(options.plugins, configuration)
        config_file.check(configuration, plugins, path)
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
            )
        )
    if unused:
        named = ", ".join(sorted(unused))
        observer.note(f"no configuration enables {named}, so it takes no part")
    return found
