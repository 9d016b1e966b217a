"""A Scenario run on a stage of its own, with the requested scheduler."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage import stage as stages
from kubestage.errors import ApiError, InputError
from kubestage.runs import living, run_settings
from kubestage.runs.inputs import stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.scenario import phases
from kubestage.scenario.operations import OperationFailed
from kubestage.scenario.resource import SCENARIO
from kubestage.scenario.settings import Settings as ScenarioSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.scenario_inputs import Inputs
    from kubestage.runs.observer import Observer
    from kubestage.runs.run_settings import RunSettings
    from kubestage.scenario.controller import ScenarioController
    from kubestage.scenario.sink import Sink
    from kubestage.scheduler.scheduler import Scheduler


_DELETED: Final = {"phase": phases.UNKNOWN, "message": "it was deleted while it ran"}


@dataclasses.dataclass(frozen=True, slots=True)
class ScenarioRun:
    """The stage as it is at the end, and the components that ran on it; `given` is the Scenario."""

    stage: stages.Stage
    scheduler: Scheduler
    controller: ScenarioController
    written: Json

    def scenario(self, name: str) -> Json:
        """The Scenario with its status; how it would have ended if it deletes itself is unknown."""
        found = self.stage.store.read(SCENARIO).get(name)
        return {**self.written, "status": _DELETED} if found is None else found


@dataclasses.dataclass(frozen=True, slots=True)
class RunHooks:
    """The components that are notified while a Scenario runs.

    `sink` keeps the record, `progress` is called now and then with the controller, `on_stage` with
    the stage before anything happens on it.
    """

    sink: Sink | None = None
    progress: Callable[[ScenarioController], None] | None = None
    observer: Observer = SILENT
    on_stage: Callable[[stages.Stage], None] | None = None


def run_scenario(
    inputs: Inputs,
    settings: RunSettings,
    rules: ScenarioSettings | None = None,
    watching: RunHooks | None = None,
    *,
    explain_at: Collection[int] = (),
) -> ScenarioRun:
    """Run the one Scenario there is; the attempts of these numbers are reported in full.

    To explain attempts, the run ends with the step in which the last of them is made.
    """
    run = start_scenario(inputs, settings, rules, watching, explain_at=explain_at)
    with stages.few_collections():
        advance(run.controller, max(explain_at, default=0))
    run.controller.attempts.progress = None
    return run


def start_scenario(
    inputs: Inputs,
    settings: RunSettings,
    rules: ScenarioSettings | None = None,
    watching: RunHooks | None = None,
    *,
    explain_at: Collection[int] = (),
) -> ScenarioRun:
    """Put the one Scenario there is on a stage; its controller is to be advanced."""
    watching = watching or RunHooks()
    (scenario,) = inputs.scenarios
    stage = stages.Stage(settings.seed, start=inputs.start)
    scheduler = run_settings.add_scheduler(stage, settings, explain_at, watching.observer)
    if watching.on_stage is not None:
        watching.on_stage(stage)
    if inputs.is_alive:
        stage.add_controllers(living.controller_settings(settings.setting_values))
    rules = rules or ScenarioSettings(as_written=settings.as_written)
    controller = stage.add_scenarios(rules, sink=watching.sink)
    if watching.progress is not None:
        controller.attempts.progress = _Calling(watching.progress, controller)
    stage.store.create(scenario)
    return ScenarioRun(stage, scheduler, controller, scenario)


def raise_refusal(played: ScenarioRun, inputs: Inputs, loaded: LoadedManifests) -> None:
    """An object of a plain manifest that was refused is an error at its line."""
    problem = played.controller.problem
    if not isinstance(problem, OperationFailed) or problem.event_id not in inputs.places:
        return
    document, cause = inputs.places[problem.event_id], problem.cause
    if isinstance(cause, ApiError):
        raise loaded.place(document, stage_inputs.refusal(cause)) from cause
    error = cause if isinstance(cause, InputError) else InputError(str(cause))
    raise loaded.place(document, error) from None


def advance(controller: ScenarioController, last_attempt: int = 0) -> None:
    """Go on until the Scenario is over, or until the last attempt that matters is made.

    A Scenario that its own events have created is not started.
    """
    while controller.advance():
        is_over = controller.current is None or controller.is_paused
        if is_over or 0 < last_attempt <= controller.attempts.count:
            return


@dataclasses.dataclass(frozen=True, slots=True)
class _Calling:
    """Calls back with the controller."""

    callback: Callable[[ScenarioController], None]
    controller: ScenarioController

    def __call__(self) -> None:
        self.callback(self.controller)
