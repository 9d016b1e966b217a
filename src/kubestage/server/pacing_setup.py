"""The clock of a stage that is served, with what runs its Scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server.external_scheduler import ExternalScheduler
from kubestage.server.pacing import Mode, Pacer
from kubestage.server.scenarios import Scenarios
from kubestage.server.wall_clock import WallClock

if TYPE_CHECKING:
    from kubestage.scenario.settings import Settings as ScenarioSettings
    from kubestage.scenario.sink import Sink
    from kubestage.server.assembly_options import AssemblyOptions
    from kubestage.server.external_scheduler import ExternalSchedulerSettings
    from kubestage.server.live import Live


def pacer_of(live: Live, options: AssemblyOptions) -> Pacer:
    """The clock that the options describe."""
    wall = WallClock(live.stage.clock) if options.follows_wall else None
    if options.scheduler == "none":
        return Pacer(live, options.mode, options.speed, wall=wall)
    external = options.external if options.scheduler == "outside" else None
    return set_up(
        live, options.mode, options.speed, external=external, settings=options.settings, wall=wall
    )


def set_up(
    live: Live,
    mode: Mode = Mode.JUMP,
    speed: float = 1.0,
    *,
    external: ExternalSchedulerSettings | None = None,
    settings: ScenarioSettings | None = None,
    sink: Sink | None = None,
    wall: WallClock | None = None,
) -> Pacer:
    """The clock of a stage, to be started in the loop that serves it; Scenarios run from then on.

    With `external`, a client of the API schedules, and the stage must have no scheduler. With
    a `wall`, virtual time keeps up with the wall clock while it jumps.
    """
    scheduler = (
        None if external is None else _add_external_scheduler(live, external, settings, sink)
    )
    if live.stage.scenarios is None:
        live.stage.add_scenarios(settings, sink=sink, is_live=True)
    controller = live.stage.scenarios
    assert controller is not None
    scenarios = Scenarios(live, controller, scheduler)
    return Pacer(live, mode, speed, scenarios=scenarios, external_scheduler=scheduler, wall=wall)


def _add_external_scheduler(
    live: Live,
    external: ExternalSchedulerSettings,
    settings: ScenarioSettings | None,
    sink: Sink | None,
) -> ExternalScheduler:
    stage = live.stage
    assert stage.scheduler is None, "there is one scheduler only, and it is external"
    assert stage.scenarios is None, "Scenarios have a scheduler already"
    scheduler = ExternalScheduler(stage, live.fanout.followers, external)
    live.listeners.append(scheduler.on_write)
    stage.add_scenarios(settings, scheduling=scheduler, sink=sink, is_live=True)
    return scheduler
