"""Gives a stage that is being served its clock, its Scenarios, and whoever schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import kubestage
from kubestage.scenario.controller import ScenarioController
from kubestage.server.outside import OutsideSettings, OverTheApi
from kubestage.server.pacing import Mode, Pacer
from kubestage.server.scenarios import Scenarios

if TYPE_CHECKING:
    from kubestage.scenario.settings import Settings
    from kubestage.scenario.sink import Sink
    from kubestage.server.live import Live
    from kubestage.server.wall_clock import WallClock


def set_up(
    live: Live,
    mode: Mode = Mode.JUMP,
    speed: float = 1.0,
    *,
    outside: OutsideSettings | None = None,
    settings: Settings | None = None,
    sink: Sink | None = None,
    wall: WallClock | None = None,
) -> Pacer:
    """The clock of a stage, to be started in the loop that serves it; Scenarios run from then on.

    With `outside`, whoever talks to the API schedules, and the stage must have no scheduler. With
    a `wall`, virtual time keeps up with the wall clock while it jumps.
    """
    scheduler = None if outside is None else _outside(live, outside, settings, sink)
    if live.stage.scenarios is None:
        live.stage.add_scenarios(settings, sink=sink, is_live=True)
    controller = live.stage.scenarios
    assert controller is not None
    scenarios = Scenarios(live, controller, scheduler)
    return Pacer(live, mode, speed, scenarios=scenarios, outside=scheduler, wall=wall)


def _outside(
    live: Live, asked: OutsideSettings, settings: Settings | None, sink: Sink | None
) -> OverTheApi:
    stage = live.stage
    assert stage.scheduler is None, "there is one scheduler only, and it is outside"
    assert stage.scenarios is None, "Scenarios are to be scheduled by somebody else already"
    scheduler = OverTheApi(stage, live.fanout.followers, asked)
    live.listeners.append(scheduler.on_write)
    stage.scenarios = ScenarioController(
        stage.store,
        stage.environment,
        scheduler,
        settings,
        is_alive=stage.controllers is not None,
        version=kubestage.__version__,
        start_over=stage.start_over,
        sink=sink,
    )
    stage.scenarios.start()
    return scheduler
