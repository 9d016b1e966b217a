"""How to repeat a run: all that its result depends on besides the Scenario itself."""

from __future__ import annotations

from typing import Any

import msgspec

from kubestage.objects import timestamps
from kubestage.scheduler.failure_handler import Unschedulable
from kubestage.scheduler.selection import TieBreak


class Plugin(msgspec.Struct, frozen=True, rename="camel"):
    """A plugin of the user: its reference, and the hash of its file."""

    reference: str
    sha256: str


class Repeat(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """All that is needed to get the same run again.

    `start` is the moment of the calendar at which it started, None for that of every stage;
    `configuration` the text of the KubeSchedulerConfiguration, None for the defaults as the old
    `flags` change them; `as_written` whether nodes came in the order of the file; `laws` the
    distributions of how long containers take, and other settings of controllers; `control_plane`
    the profile of how long things take, in full, if there is one; `unschedulable` what became of
    pods that fit nowhere, if they were not tried again; `measures` those of the user, if any.
    """

    version: str
    seed: int
    start: str | None
    tie_break: str
    controllers: bool
    detail: str
    strategy: str
    # Runs that do not say so were made before there was another order.
    as_written: bool = True
    configuration: str | None = None
    flags: dict[str, str | int] = {}
    laws: dict[str, str] = {}
    plugins: list[Plugin] = []
    control_plane: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    unschedulable: str | msgspec.UnsetType = msgspec.UNSET
    measures: list[Plugin] | msgspec.UnsetType = msgspec.UNSET

    @property
    def leaving(self) -> Unschedulable:
        """What became of pods that fit nowhere."""
        retry = Unschedulable.RETRY
        return retry if self.unschedulable is msgspec.UNSET else Unschedulable(self.unschedulable)

    def check(self) -> None:
        """Refuse, with a ValueError, what no run has written: a file may have been edited since."""
        TieBreak(self.tie_break)
        if self.unschedulable is not msgspec.UNSET:
            Unschedulable(self.unschedulable)
        if self.start is not None:
            timestamps.parse_time(self.start)


class LifeRepeat(Repeat, frozen=True, kw_only=True, rename="camel"):
    """The same of a living cluster: how long it ran, and which manifests were applied when.

    `duration` is as a person writes it; `later` are times and the names of files among the inputs;
    `autoscalers` are those of the user's own.
    """

    duration: str
    later: list[tuple[str, str]] = []
    autoscalers: list[Plugin] = []
