"""Running a kept run again, for the details of attempts that were recorded in a row each."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import pathlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

import kubestage
from kubestage.errors import InputError
from kubestage.runs import run_settings, scenario_run
from kubestage.runs.inputs import config_file, plugin_files, scenario_inputs
from kubestage.runs.observer import SILENT
from kubestage.scheduler import config
from kubestage.scheduler.record import WAITING, Recording
from kubestage.scheduler.selection import TieBreak

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.results.repeat import Repeat
    from kubestage.results.run_directory import Run
    from kubestage.runs.observer import Observer
    from kubestage.scenario.controller import ScenarioController
    from kubestage.scheduler.record import Decision
    from kubestage.stage import Stage


# Fewer attempts take no second.
_SLOW_ATTEMPTS: Final = 500
_KEPT: Final = ("name", "labels", "annotations")


@dataclasses.dataclass(frozen=True, slots=True)
class Repeatable:
    """All that is needed to run it again.

    `warnings` is what has changed since the run was made.
    """

    inputs: scenario_inputs.Inputs
    settings: run_settings.RunSettings
    warnings: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Repetition:
    """The result of a repetition: explanations and rows, by the number of the attempt."""

    explanations: Mapping[int, Json]
    decisions: Mapping[int, Decision]


def repeatable(run: Run) -> Repeatable:
    """How to repeat a run that says so; InputError if that cannot be done here."""
    how = run.repeat
    assert how is not None
    settings = settings_of(how)
    inputs = scenario_inputs.Inputs([_unrun(run.scenario)], how.start, how.controllers)
    return Repeatable(inputs, settings, tuple(warnings_of(how, settings.plugins)))


def settings_of(how: Repeat) -> run_settings.RunSettings:
    """All that a run depended on besides its objects; InputError if that cannot be had here."""
    configuration = configuration_of(how)
    plugins = plugins_of(how, configuration)
    tie_break = TieBreak(how.tie_break)
    return run_settings.RunSettings(
        configuration,
        plugins,
        how.seed,
        tie_break,
        Recording.DECISIONS,
        how.laws,
        how.as_written,
        unschedulable=how.leaving,
    )


def repeat(this: Repeatable, numbers: Collection[int], observer: Observer = SILENT) -> Repetition:
    """Run it again until the last of these attempts is made."""
    last = max(numbers)
    with (
        plugin_files.error_context(this.settings.plugins),
        observer.progress("repeating the run", last, noticeable=_SLOW_ATTEMPTS) as advance,
    ):

        def show(controller: ScenarioController) -> None:
            advance(min(controller.attempts.count, last))

        hooks = scenario_run.RunHooks(progress=show, observer=observer)
        run = scenario_run.run_scenario(
            this.inputs, this.settings, watching=hooks, explain_at=numbers
        )
    record = run.scheduler.record
    decisions = {each.number: each for each in record.decisions if each.result != WAITING}
    return Repetition(record.explanations, decisions)


def stage_at_end(this: Repeatable, observer: Observer = SILENT) -> Stage:
    """The stage as it is when the run has ended."""
    hooks = scenario_run.RunHooks(observer=observer)
    with plugin_files.error_context(this.settings.plugins):
        return scenario_run.run_scenario(this.inputs, this.settings, watching=hooks).stage


def configuration_of(how: Repeat) -> config.SchedulerConfiguration:
    """The configuration that the scheduler of a run had."""
    if how.configuration is None:
        return config_file.load(None, msgspec.convert(how.flags, config_file.Flags))
    return config.load(how.configuration)


def plugins_of(how: Repeat, configuration: config.SchedulerConfiguration) -> dict[str, type[Any]]:
    """The plugins of the user that a run had; InputError if they cannot be had any more."""
    try:
        found = plugin_files.load([each.reference for each in how.plugins], configuration)
    except InputError as error:
        raise InputError(
            f"its plugins cannot be had: {_text(error)}",
            fix="come back to where it was run, or run it with --detail full",
        ) from error
    config_file.check(configuration, found, None)
    return found


def _text(error: InputError) -> str:
    """What is wrong, without the fix."""
    where = ":".join(str(part) for part in (error.file, error.line) if part is not None)
    has_path = error.path is not None and error.problem.startswith(f"{error.path} ")
    parts = [where, None if has_path else error.path, error.problem]
    return ": ".join(part for part in parts if part)


def _unrun(scenario: Json) -> Json:
    """A Scenario as it was before it ran; events that came too late are left out."""
    metadata = {key: value for key, value in scenario["metadata"].items() if key in _KEPT}
    status, spec = scenario["status"], scenario["spec"]
    timeline = (status.get("scenarioResult") or {}).get("timeline") or {}
    done = {step: {event.get("id") for event in events} for step, events in timeline.items()}
    if status.get("phase") == "Failed":
        done.pop(str(status.get("step")), None)
    events = [
        event
        for event in spec.get("events") or ()
        if event.get("id") in done.get(str(event.get("step", 0)), (event.get("id"),))
    ]
    return {
        "apiVersion": scenario["apiVersion"],
        "kind": scenario["kind"],
        "metadata": metadata,
        "spec": {**spec, "events": events},
    }


def warnings_of(how: Repeat, plugins: Mapping[str, type[Any]]) -> Iterator[str]:
    """What has changed since a run was made."""
    if how.version != kubestage.__version__:
        yield f"it was made by kubestage {how.version}, this is {kubestage.__version__}"
    files = {_sha256(each) for each in plugins.values()}
    for plugin in how.plugins:
        if plugin.sha256 not in files:
            yield f"{plugin.reference} is no longer what it was"


def _sha256(plugin: type[Any]) -> str:
    return hashlib.sha256(pathlib.Path(inspect.getfile(plugin)).read_bytes()).hexdigest()
