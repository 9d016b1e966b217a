"""What a run depends on besides its objects, and the scheduler made from that."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.files import pinned
from kubestage.runs import kernel_notice
from kubestage.runs.inputs import (
    config_file,
    control_plane,
    edits,
    measure_files,
    plugin_files,
    setting_option,
)
from kubestage.runs.observer import SILENT
from kubestage.scheduler import extender_http
from kubestage.scheduler.failure_handler import Unschedulable
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from kubestage.cluster.profile import Profile as ControlPlane
    from kubestage.results.timings import RecordedTimings
    from kubestage.runs.inputs.config_file import Flags
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_options import RunOptions
    from kubestage.scheduler.config import Completed, SchedulerConfiguration
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage


@dataclasses.dataclass(frozen=True, slots=True)
class RunSettings:
    """All that a run depends on besides its objects."""

    configuration: SchedulerConfiguration
    plugins: Mapping[str, type[Any]]
    seed: int
    tie_break: TieBreak
    recording: Recording = Recording.DECISIONS
    setting_values: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """How long containers take to start, to run and to end, and settings of controllers and
    autoscalers, by name."""
    as_written: bool = False
    """Whether nodes are created in the order of the files."""
    annotates_results: bool = False
    """Whether the results of attempts are written on their pods."""
    unschedulable: Unschedulable = Unschedulable.RETRY
    """What becomes of pods that fit nowhere."""
    stopwatch: Callable[[], int] | None = None
    """Measures the scheduler."""
    control_plane: ControlPlane | None = None
    """Models the time that the scheduler takes."""
    measures: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The user's measures, functions and classes, by how they were named."""


class SchedulerInputs(NamedTuple):
    """The scheduler's configuration as the user wrote it, which a saved run repeats."""

    file: str | None
    text: str | None
    flags: Flags
    plugins: Sequence[str]
    completed: Completed

    def weights_of(self, profile: str) -> Mapping[str, int]:
        """How much the scores of a profile's plugins count."""
        weights = {each.scheduler_name: each.weights["score"] for each in self.completed.profiles}
        return weights.get(profile, {})

    def unused_flags(self) -> Sequence[str]:
        """Flags of the scheduler that have no effect, as there is a configuration file."""
        return [] if self.file is None else self.flags.stated


def read_settings(
    options: RunOptions, values: Mapping[str, str], loaded: LoadedManifests
) -> tuple[RunSettings, SchedulerInputs]:
    """The settings of options and imported files, checked; `values` are those of controllers."""
    flags = config_file.Flags(
        options.scheduler_name,
        options.algorithm_provider,
        options.hard_pod_affinity_symmetric_weight,
    )
    if loaded.imported:
        configuration, plugins, completed = _scheduler(options, flags, loaded)
    else:
        key = ("scheduler", options.config, flags, options.plugins, edits.config_edits())
        configuration, plugins, completed = pinned.once(
            key, lambda: _scheduler(options, flags, loaded)
        )
    settings = RunSettings(
        configuration,
        plugins,
        options.seed,
        TieBreak(options.tie_break),
        setting_values=values,
        as_written=options.as_written,
        annotates_results=options.result_annotations,
        unschedulable=Unschedulable(options.unschedulable),
        stopwatch=time.perf_counter_ns if options.timings else None,
        control_plane=control_plane.read(options.profile, is_measured=options.timings),
        measures=measure_files.load(options.measures),
    )
    text = config_file.text_of(options.config, flags, loaded.imported)
    return settings, SchedulerInputs(options.config, text, flags, options.plugins, completed)


def _scheduler(
    options: RunOptions, flags: Flags, loaded: LoadedManifests
) -> tuple[SchedulerConfiguration, dict[str, type[Any]], Completed]:
    configuration = config_file.load(options.config, flags, loaded.imported)
    plugins = plugin_files.load(options.plugins, configuration)
    return configuration, plugins, config_file.check(configuration, plugins, options.config)


def setting_values(settings: Sequence[str] | None, **kubelets: str | None) -> dict[str, str]:
    """Settings by name: those of --setting, and those of kubelets that have a flag of their own."""
    values = {name: value for name, value in kubelets.items() if value is not None}
    return setting_option.split(settings or ()) | values


def add_scheduler(
    stage: Stage,
    settings: RunSettings,
    explain_at: Collection[int],
    observer: Observer = SILENT,
    *,
    is_paced: bool = False,
) -> Scheduler:
    """Add the scheduler of these settings; the attempts of these numbers are explained in full.

    If it `is_paced`, it takes the virtual time that the control plane says; else that time is only
    recorded.
    """
    kernel_notice.expect(observer)
    stage.annotates_results = settings.annotates_results
    plane = None if settings.control_plane is None else settings.control_plane.scheduler
    scheduler = stage.add_scheduler(
        settings.configuration,
        plugins=settings.plugins,
        tie_break=settings.tie_break,
        unschedulable=settings.unschedulable,
        measures=tuple(settings.measures.values()),
        recording=settings.recording,
        transport=extender_http.post,
        stopwatch=settings.stopwatch,
        pacing=plane if is_paced else None,
        keeps_timings=is_paced and plane is not None,
        model=None if is_paced else plane,
    )
    for number in explain_at:
        scheduler.record.explain_at(number)
    return scheduler


def timings_of(scheduler: Scheduler) -> RecordedTimings | None:
    """How long scheduling took, if that was measured or modelled."""
    if scheduler.timings is None:
        return None
    from kubestage.results import timings

    return timings.of(scheduler.timings)
