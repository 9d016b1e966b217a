"""Where the record of a run goes while it runs, if somebody keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scheduler.record import Decision


class Sink(Protocol):
    """Keeps what it is told, in order.

    One that keeps the full stories of attempts has the status go without them, so that memory
    does not grow with them.
    """

    keeps_details: bool

    def attempt(self, step: int, decision: Decision, uid: str, told: Json | None) -> None:
        """An attempt at the pod of this uid has ended; `told` is its full story."""
        ...

    def event(self, step: int, event: Json) -> None:
        """The timeline has one more event."""
        ...

    def step_finished(self, step: int, at_ns: int) -> None:
        """A step has ended at this time."""
        ...
