"""A served stage, put together: security, application, clock and journal."""

from __future__ import annotations

import pathlib  # noqa: TC003 - read by msgspec
from collections.abc import Mapping  # noqa: TC003 - read by msgspec
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from kubestage.scenario.settings import Settings as ScenarioSettings
from kubestage.server import kernel_loading
from kubestage.server.app import Application
from kubestage.server.exposition import Exposition
from kubestage.server.external_scheduler import ExternalScheduler, ExternalSchedulerSettings
from kubestage.server.history import History, HistoryLimits
from kubestage.server.kubestage_api import recorders
from kubestage.server.live import Live
from kubestage.server.pacing import Mode, Pacer
from kubestage.server.recording import SessionRecorder
from kubestage.server.scenarios import Scenarios
from kubestage.server.security.guard import Guard
from kubestage.server.security.settings import SecuritySettings
from kubestage.server.security.traffic import Traffic
from kubestage.server.wall_clock import WallClock

if TYPE_CHECKING:
    from kubestage.scenario.sink import Sink
    from kubestage.server.journal.journal import Journal
    from kubestage.stage import Stage


class AssemblyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a stage is served."""

    security: SecuritySettings = SecuritySettings()
    """Which requests are admitted."""

    mode: Mode = Mode.JUMP
    """How virtual time passes."""

    speed: float = 1.0
    """How many times as fast as real time, in mode `speed`."""

    scheduler: Literal["built-in", "outside", "none"] = "built-in"
    """The stage's own scheduler, a client of the API, or none; without any, no Scenario runs."""

    external: ExternalSchedulerSettings = ExternalSchedulerSettings()
    """How to wait for a scheduler that is a client."""

    plugins: Mapping[str, type[Any]] = {}
    """The scheduler's plugins that users wrote, by name."""

    component_settings: Mapping[str, str] = {}
    """The settings of controllers and autoscalers that were chosen, by name."""

    settings: ScenarioSettings = ScenarioSettings()
    """Settings of Scenarios that do not choose their own."""

    runs: pathlib.Path | None = None
    """The directory for records of Scenarios; without one, it is temporary."""

    record: str | None = None
    """The file that requests of clients are recorded to, as a Scenario."""

    history: HistoryLimits = HistoryLimits()
    """How far back watches reach."""

    follows_wall: bool = False
    """Whether a clock that jumps keeps up with the wall clock."""


class Served:
    """A stage with its server: built, started and closed in one event loop.

    `application` is what an ASGI server runs.
    """

    def __init__(
        self, stage: Stage, options: AssemblyOptions, journal: Journal | None = None
    ) -> None:
        self.live = live = Live(stage)
        self._journal = journal
        self.pacer = _pacer(live, options)
        live.state.plugins = options.plugins
        live.state.component_settings = options.component_settings
        recorders.start_recording(live, options.runs)
        self.recorder = None if options.record is None else SessionRecorder(live, options.record)
        self._history = History(stage.store, options.history, self._kept)
        traffic = Traffic(stage.store.kinds)
        shown = Exposition(Application(live), live, traffic)
        self.application = Guard(shown, options.security, traffic)
        stage.store.object_limit.most = options.security.limits.objects

    def _kept(self) -> int:
        journal = self._journal
        return self.live.store.revision if journal is None else journal.kept

    def start(self) -> None:
        """Record what happens from now on, and start the clock."""
        if self._journal is not None:
            self._journal.start(self.live)
        if self.recorder is not None:
            self.recorder.start()
        kernel_loading.load_in_thread()
        self.pacer.start()

    async def close(self) -> None:
        """Stop the clock, and write everything to disk."""
        await self.live.state.finish()
        await self.pacer.close()
        kernel_loading.load_inline()
        if self.recorder is not None:
            self.recorder.close()
        recorders.close(self.live)
        self._history.close()
        self.live.durability.close()


def _pacer(live: Live, options: AssemblyOptions) -> Pacer:
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
