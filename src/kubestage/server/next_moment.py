"""What a clock can be advanced to: the next change of an object, or the next scheduling attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from kubestage.errors import Conflict
from kubestage.objects import gvk
from kubestage.server.kubestage_api import recorders
from kubestage.store.log import MODIFIED
from kubestage.units import HOUR_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.store.log import Change

LONGEST_NS: Final = 24 * HOUR_NS
"""How much time passes at most until it comes."""
_NO_SCHEDULER: Final = (
    "to: no scheduler of kubestage's own is at work here, so no decision of it can be waited for"
)
_BEAT: Final = "lastHeartbeatTime"
# What each write changes, whatever it is about.
_BOOKKEEPING: Final = ("resourceVersion", "managedFields")


class NextMoment(Protocol):
    """Something to wait for, while time passes."""

    @property
    def has_come(self) -> bool:
        """Whether it has happened since this was made."""
        ...

    def close(self) -> None:
        """Wait no longer."""
        ...


class NextChange:
    """The next change of any object, but for signs of life: Leases and heartbeats of nodes."""

    def __init__(self, live: Live) -> None:
        self.has_come = False
        self._store = live.store
        self._store.subscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        """Look at one change."""
        if not self.has_come:
            name = change.kind.api_version, change.kind.kind
            self.has_come = name != gvk.LEASE and not (name == gvk.NODE and is_heartbeat(change))

    def close(self) -> None:
        """Look at no more."""
        self._store.unsubscribe(self.on_change)


class NextDecision:
    """The next attempt of the scheduler."""

    def __init__(self, live: Live) -> None:
        if live.stage.scheduler is None:
            raise Conflict(_NO_SCHEDULER)
        self._attempts = recorders.attempts(live)
        self._before = self._attempts.total

    @property
    def has_come(self) -> bool:
        """Whether there was one."""
        return self._attempts.total != self._before

    def close(self) -> None:
        """Nothing is to be ended."""


def is_heartbeat(change: Change) -> bool:
    """Whether a node only reported that it is there."""
    if change.type != MODIFIED or change.old is None:
        return False
    return _without_beat(change.old) == _without_beat(change.new)


def _without_beat(node: Json) -> dict[str, Any]:
    metadata, status = node["metadata"], node.get("status") or {}
    conditions = [
        {name: value for name, value in each.items() if name != _BEAT}
        for each in status.get("conditions") or ()
    ]
    return {
        **node,
        "metadata": {name: part for name, part in metadata.items() if name not in _BOOKKEEPING},
        "status": {**status, "conditions": conditions},
    }
