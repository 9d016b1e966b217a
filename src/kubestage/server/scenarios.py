"""Scenarios that run while clients are served, piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario.resource import SCENARIO
from kubestage.server.bootstrap import installing
from kubestage.server.external_scheduler import PEOPLE
from kubestage.server.live import REPORTS

if TYPE_CHECKING:
    from collections.abc import Generator

    from kubestage.scenario.controller import ScenarioController
    from kubestage.server.external_scheduler import ExternalScheduler
    from kubestage.server.live import Live, Write

_DID: Final = {"create": "created", "delete": "deleted", "deletecollection": "deleted"}


class Scenarios:
    """Has a controller work in turns.

    Watches of clients are held back while a step is half done. `external_scheduler` is the one that
    schedules over the API, if there is one: it may write, and has time to.
    """

    def __init__(
        self,
        live: Live,
        controller: ScenarioController,
        external_scheduler: ExternalScheduler | None = None,
    ) -> None:
        self._live = live
        self._controller = controller
        self._external_scheduler = external_scheduler
        self._pieces: Generator[None, None, bool] | None = None
        self._is_idle = False
        self._holds = self._holds_disk = False
        self._message = ""
        self._objects = live.store.read(SCENARIO)
        # One movement or attempt at a time: a client may have something to do after each,
        # and an attempt that is recorded in full takes several milliseconds.
        controller.divide(1)
        live.listeners.append(self.on_write)

    @property
    def current(self) -> str | None:
        """The name of the Scenario that is running or paused."""
        return self._controller.current

    @property
    def is_running(self) -> bool:
        """Whether a Scenario runs and controls the time."""
        return self._pieces is not None or (self.current is not None and not self._is_paused)

    @property
    def is_preparing(self) -> bool:
        """Whether a step is half done, and watches are held back."""
        return self._controller.is_preparing

    @property
    def is_emptying(self) -> bool:
        """Whether the cluster is being emptied, and nothing becomes safe until that is done."""
        return self._holds_disk

    @property
    def _is_paused(self) -> bool:
        return self._controller.is_paused

    def wake(self) -> None:
        """Something was written: there may be a Scenario to run, or one that came to its end."""
        self._is_idle = False
        if self._holds or self._objects:
            self._hold_back()

    def turn(self) -> float | None:
        """Run one piece; how long nothing is to be done then, None if there is nothing to do."""
        if self._pieces is None:
            if self._is_idle or not (
                self._objects or self._external_scheduler or self._controller.current
            ):
                return None
            self._pieces = self._controller.pieces()
        wait_s = (
            0.0 if self._external_scheduler is None else self._external_scheduler.settle_accounts()
        )
        if wait_s:
            return wait_s
        is_over = True
        try:
            next(self._pieces)
            is_over = False
        except StopIteration as end:
            self._is_idle = not end.value
        finally:
            if is_over:
                self._pieces = None
            self._hold_back()
        self._report_message()
        if self._is_idle:
            self._complete_cluster()
            return None
        return 0.0 if self._external_scheduler is None else self._external_scheduler.wait_s

    def on_write(self, write: Write) -> None:
        """Handle a write of a client; what a person does by hand is not the scheduler's doing."""
        kind = write.kind
        if self._external_scheduler is None or self.current is None or write.is_dry_run:
            return
        if (kind.api_version, kind.kind) == SCENARIO or kind.kind in REPORTS:
            return
        if write.user_agent.startswith(PEOPLE):
            key = f"{write.namespace}/{write.name}" if write.namespace else write.name
            self._controller.interfered(kind.kind, key, _DID.get(write.verb, "changed"))

    def close(self) -> None:
        """Break off what is under way."""
        if self._pieces is not None:
            self._pieces.close()
            self._pieces = None
        self._hold_back()

    def _hold_back(self) -> None:
        is_preparing, fanout = self._controller.is_preparing, self._live.fanout
        if is_preparing and not self._holds:
            fanout.hold()
        elif self._holds and not is_preparing:
            fanout.release()
        self._holds = is_preparing
        # What a Scenario empties is emptied as a whole, also if the process is killed meanwhile.
        is_emptying, durability = self._controller.is_emptying, self._live.durability
        if is_emptying and not self._holds_disk:
            durability.hold()
        elif self._holds_disk and not is_emptying:
            durability.release()
        self._holds_disk = is_emptying

    def _complete_cluster(self) -> None:
        """Once all Scenarios have ended, the cluster has again what clients expect to find."""
        stage = self._live.stage
        if stage.store.bootstrap is None and self.current is None:
            installing.restore(stage)

    def _report_message(self) -> None:
        """Have the Scenario's status report what it waits for."""
        message = "" if self._external_scheduler is None else self._external_scheduler.message
        if message != self._message:
            self._message = message
            self._controller.say(message)
