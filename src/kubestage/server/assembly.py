"""A served stage, put together: door, application, clock and journal."""

from __future__ import annotations

import pathlib  # noqa: TC003 - read by msgspec
from collections.abc import Mapping  # noqa: TC003 - read by msgspec
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from kubestage.scenario.settings import Settings as ScenarioSettings
from kubestage.server import kernels_beside
from kubestage.server.app import Application
from kubestage.server.exposition import Exposition
from kubestage.server.kubestage_api import keeping, states
from kubestage.server.live import Live
from kubestage.server.outside import OutsideSettings
from kubestage.server.pacing import Mode, Pacer
from kubestage.server.pacing_setup import set_up
from kubestage.server.recording import Recorder
from kubestage.server.security.guard import Guard
from kubestage.server.security.settings import Settings
from kubestage.server.security.traffic import Traffic
from kubestage.server.wall_clock import WallClock

if TYPE_CHECKING:
    from kubestage.server.journal.journal import Journal
    from kubestage.stage import Stage


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How a stage is served: who may come in, how time passes, and who schedules.

    That is the stage's own scheduler, which is then on it (built-in), one that talks to the API
    (outside), or nobody (none); without any, Scenarios do not run. `plugins` are those of the
    user's own that the scheduler has. `settings` hold for Scenarios that do not choose for
    themselves. `runs` is the directory in which records of Scenarios are kept, and `record` the
    file that what clients ask for is written to, as a Scenario. A clock that jumps keeps up with
    the wall clock if it `follows_wall`.
    """

    door: Settings = Settings()
    mode: Mode = Mode.JUMP
    speed: float = 1.0
    scheduler: Literal["built-in", "outside", "none"] = "built-in"
    outside: OutsideSettings = OutsideSettings()
    plugins: Mapping[str, type[Any]] = {}
    settings: ScenarioSettings = ScenarioSettings()
    runs: pathlib.Path | None = None
    record: str | None = None
    follows_wall: bool = False


class Served:
    """A stage that can be reached; made, started and closed in one event loop.

    `application` is what an ASGI server runs.
    """

    def __init__(self, stage: Stage, plan: Plan, journal: Journal | None = None) -> None:
        self.live = live = Live(stage)
        self._journal = journal
        self.pacer = _pacer(live, plan)
        states.of(live).plugins = plan.plugins
        keeping.keep(live, plan.runs)
        self.recorder = None if plan.record is None else Recorder(live, plan.record)
        traffic = Traffic(stage.store.kinds)
        shown = Exposition(Application(live), live, traffic)
        self.application = Guard(shown, live, plan.door, traffic)

    def start(self) -> None:
        """Keep what happens from now on, and let time pass."""
        if self._journal is not None:
            self._journal.start(self.live)
        if self.recorder is not None:
            self.recorder.start()
        kernels_beside.begin()
        self.pacer.start()

    async def close(self) -> None:
        """Let time stand still, and make everything safe."""
        await self.pacer.close()
        kernels_beside.end()
        if self.recorder is not None:
            self.recorder.close()
        keeping.close(self.live)
        self.live.durability.close()


def _pacer(live: Live, plan: Plan) -> Pacer:
    wall = WallClock(live.stage.clock) if plan.follows_wall else None
    if plan.scheduler == "none":
        return Pacer(live, plan.mode, plan.speed, wall=wall)
    outside = plan.outside if plan.scheduler == "outside" else None
    return set_up(live, plan.mode, plan.speed, outside=outside, settings=plan.settings, wall=wall)
