"""Scenarios run on a stage of their own, by the scheduler that a person asked for."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from kubestage import stage as stages
from kubestage.cli import running
from kubestage.scenario.resource import SCENARIO

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from kubestage.cli.running import Settings
    from kubestage.cli.scenario_inputs import Inputs
    from kubestage.scenario.controller import ScenarioController
    from kubestage.scenario.settings import Settings as ScenarioSettings
    from kubestage.scenario.sink import Sink
    from kubestage.scheduler.scheduler import Scheduler

Json = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Played:
    """The stage as it is at the end, and who was at work on it."""

    stage: stages.Stage
    scheduler: Scheduler
    controller: ScenarioController

    def scenario(self, name: str) -> Json:
        """A Scenario with its status."""
        return self.stage.store.read(SCENARIO)[name]


@dataclasses.dataclass(frozen=True, slots=True)
class Watching:
    """Who wants to know what while Scenarios run.

    `sink_for` gives the sink of a Scenario that is about to begin, `ended` hears of one that has
    ended or is paused, `progress` is called now and then with the controller.
    """

    sink_for: Callable[[str], Sink | None] | None = None
    ended: Callable[[Json], None] | None = None
    progress: Callable[[ScenarioController], None] | None = None


def play(
    inputs: Inputs,
    settings: Settings,
    scenarios: ScenarioSettings | None = None,
    watching: Watching | None = None,
    *,
    explain_at: Collection[int] = (),
) -> Played:
    """Run Scenarios one after the other; the attempts of these numbers are told in full.

    To explain attempts, the run ends with the step in which the last of them is made.
    """
    watching = watching or Watching()
    stage = stages.Stage(settings.seed, start=inputs.start)
    scheduler = running.add_scheduler(stage, settings, explain_at)
    if inputs.is_alive:
        stage.add_controllers()
    controller = stage.add_scenarios(scenarios)
    if watching.progress is not None:
        controller.attempts.progress = _Calling(watching.progress, controller)
    for scenario in inputs.scenarios:
        stage.store.create(scenario)
    played = Played(stage, scheduler, controller)
    with stages.few_collections():
        _advance(played, watching, max(explain_at, default=0))
    controller.attempts.progress = None
    return played


def _advance(played: Played, watching: Watching, last_attempt: int) -> None:
    controller = played.controller
    while True:
        begun = controller.next_up
        if begun is not None and watching.sink_for is not None:
            controller.sink = watching.sink_for(begun)
        current = begun or controller.current
        went_on = controller.advance()
        is_over = controller.current is None or controller.is_paused
        if went_on and is_over and current is not None and watching.ended is not None:
            watching.ended(played.scenario(current))
        if not went_on or 0 < last_attempt <= controller.attempts.count:
            return


@dataclasses.dataclass(frozen=True, slots=True)
class _Calling:
    """Calls back with the controller."""

    tell: Callable[[ScenarioController], None]
    controller: ScenarioController

    def __call__(self) -> None:
        self.tell(self.controller)
