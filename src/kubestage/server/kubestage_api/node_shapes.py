"""The bodies of responses about single nodes."""

from __future__ import annotations

from kubestage.controllers.node_decisions import (  # noqa: TC001 - msgspec reads it
    Departure,
    Launch,
    Purchase,
    Verdict,
)
from kubestage.server.kubestage_api.shapes import ResponseBody


class NodeExplanation(ResponseBody, frozen=True):
    """Why a node was bought (`purchase`, `launch`), what holds of its removal now (`verdict`, and
    all that is in its way: `obstacles`), what held before (`history`), and why it goes or went.

    Times that end in `Ns` are nanoseconds of the calendar, seconds count from `startNs` on.
    """

    node: str
    node_claim: str
    pool: str
    status: str
    start_ns: int
    at_seconds: float
    purchase: Purchase | None
    launch: Launch | None
    verdict: Verdict | None
    billed_per_hour: float | None
    decided_per_hour: float | None
    currency: str
    obstacles: list[str]
    pods: list[str]
    history: list[Verdict]
    departure: Departure | None
    added_seconds: float | None
    removed_seconds: float | None
    notes: list[str]
