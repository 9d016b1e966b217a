"""What happens: one entity leaves one Stock and enters another, at one nanosecond."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kubestage.sim.entity import Entity

if TYPE_CHECKING:
    from kubestage.sim.stock import Sink, Source

E = TypeVar("E", bound=Entity)


class Movement:
    """An intended change of the world; the Environment carries it out when its time comes.

    ``kind`` groups movements whose particulars differ. ``what_to_move`` names the entity to
    move; without it the from-stock chooses. One Movement object may occur many times, one
    after the other (``add_to_schedule`` with a new time), so records keep the time beside it.
    ``ticket`` is the Environment's: the number of its place in the schedule, 0 if it has none.
    """

    __slots__ = ("from_stock", "kind", "notes", "occurs_at", "ticket", "to_stock", "what_to_move")

    def __init__(
        self,
        kind: str,
        occurs_at: int,
        from_stock: Source[E],
        to_stock: Sink[E],
        what_to_move: E | None = None,
        notes: str = "",
    ) -> None:
        self.kind = kind
        self.occurs_at = occurs_at
        self.from_stock: Source[Any] = from_stock
        self.to_stock: Sink[Any] = to_stock
        self.what_to_move: Entity | None = what_to_move
        self.notes = notes
        self.ticket = 0

    @property
    def is_scheduled(self) -> bool:
        """Whether it has a place in a schedule and has yet to occur."""
        return self.ticket != 0

    def __bool__(self) -> bool:
        """The same: what ``schedule`` hands back is false if it was refused."""
        return self.ticket != 0

    def __str__(self) -> str:
        return f"{self.kind} from {self.from_stock.name} to {self.to_stock.name}"

    def __repr__(self) -> str:
        return f"<Movement {self} at {self.occurs_at} ns>"


class IgnoredReason(enum.Enum):
    """Why a movement did not happen; the value is the sentence shown to people."""

    SCHEDULED_IN_THE_PAST = "scheduled in the past"
    SCHEDULED_AFTER_HALT = "scheduled at or after the halt"
    FROM_STOCK_EMPTY = "from-stock was empty"
    ENTITY_NOT_IN_STOCK = "entity was not in the from-stock"
    COLLISION = "another movement has this time"
    CANCELLED = "cancelled"


class CompletedMovement(NamedTuple):
    """A movement that happened, when, and the entity that was moved."""

    occurs_at: int
    movement: Movement
    entity: Entity


class IgnoredMovement(NamedTuple):
    """A movement that did not happen, its intended time, why, and when that was known."""

    occurs_at: int
    movement: Movement
    reason: IgnoredReason
    noticed_at: int
