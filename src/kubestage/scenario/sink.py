"""Where the record of a run is written while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.scheduler.measuring import MeasuredValue
    from kubestage.scheduler.record import Decision


class Sink(Protocol):
    """Stores what happens, in order.

    If it stores the details of attempts, the status does without them, so that memory does not grow
    with them.
    """

    stores_details: bool

    def attempt(self, step: int, decision: Decision, uid: str, details: Json | None) -> None:
        """An attempt at the pod of this uid has ended; `details` explain it in full."""
        ...

    def event(self, step: int, event: Json) -> None:
        """The timeline has one more event."""
        ...

    def measured(self, values: Sequence[MeasuredValue]) -> None:
        """The measures of an attempt or of the end of a step."""
        ...

    def step_finished(self, step: int, at_ns: int) -> None:
        """A step has ended at this time."""
        ...
