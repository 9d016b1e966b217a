"""Replay a recording: its intent at its times, and how far the stage agrees with what happened."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import pinned
from kubestage.objects import timestamps
from kubestage.results.agreement import ReplayAgreement
from kubestage.results.life import wording
from kubestage.runs import free_nodes, living_run, run_inputs
from kubestage.runs.inputs import config_file, plugin_files, sources
from kubestage.runs.observer import SILENT
from kubestage.runs.replay_options import ReplayOptions
from kubestage.runs.replaying import agreement, decisions, demand, recorded, steps
from kubestage.runs.replaying.durations import RunDurations
from kubestage.runs.replaying.pod_log import PodLog
from kubestage.runs.replaying.result import ReplayResult
from kubestage.runs.run_options import RunOptions
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from kubestage.results.agreement import Agreement, Decisions
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.replaying.recorded import Recorded
    from kubestage.stage import Stage

_DEFAULT: Final = ReplayOptions()
_OWN: Final = frozenset({"begin", "end", "nodes_from", "predictions", "recorded_config"})
# Options that change nothing of what happens.
_HARMLESS: Final = ("out", "prices", "predictions")


def replay(
    files: Files, options: ReplayOptions = _DEFAULT, *, observer: Observer = SILENT
) -> ReplayResult:
    """Replay what sources with time have recorded, under other settings if options name some.

    The result has the run, and how far it agrees with the recording. Without other settings that
    is how far a what-if can be trusted.
    """
    return Replays(files, options, observer).replay(options, observer)


def replay_once(files: Files, options: ReplayOptions = _DEFAULT) -> ReplayResult:
    """The same under these settings alone: it has no `baseline`, and nothing is predicted."""
    replays = Replays(files, msgspec.structs.replace(options, predictions=0))
    return replays.replay_once(options)


def check(files: Files, options: ReplayOptions = _DEFAULT) -> None:
    """Read and check what `replay` would read, and replay nothing."""
    Replays(files, msgspec.structs.replace(options, predictions=0)).check(options)


class Replays:
    """One recording, that is replayed under one setting after another.

    Of the options that it is made with, those count that say what was recorded.
    """

    def __init__(
        self, files: Files, options: ReplayOptions = _DEFAULT, observer: Observer = SILENT
    ) -> None:
        if options.start is not None:
            fix = "leave it out, or choose a part of the recording with --from"
            raise InputError("time begins with the recording", path="--start", fix=fix)
        self._usual = _recorded_settings(options)
        names = sources.file_names(files)
        self._this = this = recorded.read(names, options.begin, options.end)
        key = ("happened", tuple(names), options.begin, options.end)
        self._happened = pinned.once(key, lambda: agreement.happened(this))
        self._durations = RunDurations(self._happened.ended_pods)
        self.decisions = _decisions(self._this, options, observer)
        """How far decisions on the recorded state agree."""

        self._baseline: ReplayResult | None = None

    @property
    def baseline(self) -> ReplayResult:
        """A replay under the recorded settings; it is done once."""
        if self._baseline is None:
            self._baseline = self._replayed(self._usual, SILENT, None)
        return self._baseline

    def replay(self, options: ReplayOptions, observer: Observer = SILENT) -> ReplayResult:
        """Replay it once, under these settings."""
        same = {name: getattr(options, name) for name in _HARMLESS}
        if options == msgspec.structs.replace(self._usual, **same):
            self._baseline = self._replayed(options, observer, None)
            return self._baseline
        return self._replayed(options, observer, self.baseline.agreement)

    def replay_once(self, options: ReplayOptions) -> ReplayResult:
        """Replay it under these settings, without the recorded ones beside them."""
        return self._replayed(options, SILENT, None)

    def check(self, options: ReplayOptions) -> None:
        """Check what a replay under these settings would read."""
        run_options = _run_options(self._this, options)
        loaded = steps.cluster(self._this, self._durations, options.nodes_from)
        # What is created later can be varied, too.
        steps.created(self._this, self._durations)
        ready = run_inputs.prepare(loaded, run_options, SILENT)
        living_run.plan(ready.loaded, ready.settings, run_options, SILENT, None, ())

    def _replayed(
        self, options: ReplayOptions, observer: Observer, baseline: Agreement | None
    ) -> ReplayResult:
        this = self._this
        loaded = steps.cluster(this, self._durations, options.nodes_from)
        later = steps.later(this, self._durations, nodes=options.nodes_from is None)
        run_options = _run_options(this, options)
        ready = run_inputs.prepare(loaded, run_options, observer)
        log = PodLog(this.begin_ns)
        summary = functools.partial(self._summary, log, baseline)
        with plugin_files.error_context(ready.settings.plugins):
            run = living_run.run(
                ready.loaded,
                ready.settings,
                ready.scheduler,
                run_options,
                observer,
                on_stage=functools.partial(_follow, log),
                recorded=later,
                agreement=summary,
                demands=demand.of_recording(this, this.usage) if this.usage else (),
            )
        notes = [*ready.notes, *run.notes]
        if options.reschedule is not None:
            notes.append(free_nodes.note(run.stage))
        return ReplayResult(run=msgspec.structs.replace(run, notes=notes), summary=summary())

    def _summary(self, log: PodLog, baseline: Agreement | None) -> ReplayAgreement:
        this = self._this
        return ReplayAgreement(
            recording=this.title,
            begin=timestamps.format_time(this.begin_ns),
            end=timestamps.format_time(this.end_ns),
            actions=len(this.actions),
            consequences=sum(this.consequences.values()),
            agreement=agreement.compare(self._happened, log),
            baseline=baseline,
            decisions=self.decisions,
        )


def _decisions(this: Recorded, options: ReplayOptions, observer: Observer) -> Decisions | None:
    """The recorded placements, predicted under the recorded settings."""
    if options.predictions < 1:
        return None
    configuration = config_file.load(options.recorded_config, config_file.Flags())
    specs = () if options.recorded_config is None else options.plugins
    plugins = plugin_files.load(specs, configuration)
    config_file.check(configuration, plugins, options.recorded_config)
    with plugin_files.error_context(plugins):
        return decisions.predicted(
            this,
            configuration,
            plugins=plugins,
            tie_break=TieBreak(options.tie_break),
            at_most=options.predictions,
            seed=options.seed,
            observer=observer,
        )


def _follow(log: PodLog, stage: Stage) -> None:
    stage.store.subscribe(functools.partial(log.on_stored, stage))


def _run_options(this: Recorded, options: ReplayOptions) -> RunOptions:
    shared = {
        name: getattr(options, name) for name in options.__struct_fields__ if name not in _OWN
    }
    shared["config"] = options.config or options.recorded_config
    return RunOptions(**shared, run_for=wording.duration(this.duration_ns))


def _recorded_settings(options: ReplayOptions) -> ReplayOptions:
    """Options of the recording itself, and none that make a difference to it."""
    return ReplayOptions(
        begin=options.begin,
        end=options.end,
        recorded_config=options.recorded_config,
        plugins=() if options.recorded_config is None else options.plugins,
    )
