"""A pod as those who send requests know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.sim.entity import Entity

if TYPE_CHECKING:
    from kubestage.sim.movement import Movement


KIND: Final = "Replica"
CORES: Final = 1.0
"""What a replica has if nothing is known."""


class State(NamedTuple):
    """What is reported of a pod: its cores, None if unknown, and how often its container started.

    It `is_silent` while its node cannot be reached.
    """

    capacity: float | None
    starts: int
    is_silent: bool = False


class Replica(Entity):
    """A pod as those who send requests know it.

    `starts` counts the starts of its container: requests in flight are lost when it starts again,
    and `since_ns` is when it first served after that. `desired` is the stock where it belongs by
    what is known of its pod, and `stated` is its state as last reported. `why` is the reason for
    which the cluster ends it, if that is known. One that `is_silent` gives no answers.
    """

    __slots__ = (
        "capacity",
        "desired",
        "is_silent",
        "movement",
        "pod",
        "since_ns",
        "starts",
        "stated",
        "where",
        "why",
    )

    def __init__(self, name: str, pod: str) -> None:
        super().__init__(name, KIND)
        self.pod = pod
        self.capacity = CORES
        self.starts = 0
        self.is_silent = False
        self.stated = State(CORES, 0)
        self.since_ns: int | None = None
        self.where = ""
        self.desired = ""
        self.why = ""
        self.movement: Movement | None = None

    def adopt(self) -> State:
        """Be in the state that was reported last; the one before."""
        before = State(self.capacity, self.starts, self.is_silent)
        capacity, self.starts, self.is_silent = self.stated
        self.capacity = capacity or CORES
        return before
