"""Why a node of a living run was bought, why it is or was kept, and why it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.controllers.node_decisions import (  # noqa: TC001 - msgspec reads it
    Departure,
    Launch,
    Purchase,
    Verdict,
)
from kubestage.errors import InputError
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.life import node_wording
from kubestage.runs.notebook import TableResult
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json

_COLUMNS: Final = columns(
    atSeconds=Kind.FLOAT, decision=Kind.TEXT, method=Kind.TEXT, reason=Kind.TEXT
)

RUNNING: Final = "running"
STARTING: Final = "starting"
LEAVING: Final = "leaving"
GONE: Final = "gone"
NEVER_CAME: Final = "never came"


class NodeExplanation(TableResult, msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was decided about a node until a moment.

    `start_ns` is the moment of the calendar at which the run began, from which seconds count, and
    `at_seconds` the moment that is explained. `verdict` is what held then, `history` has what held
    before, whenever that was of another kind.
    """

    node: str
    node_claim: str
    pool: str
    status: str
    start_ns: int
    at_seconds: float
    purchase: Purchase | None = None
    launch: Launch | None = None
    verdict: Verdict | None = None
    billed_per_hour: float | None = None
    """What it is billed, if it is there and has a price."""
    decided_per_hour: float | None = None
    """What Karpenter believes that it costs, if that is another price, by a NodeOverlay."""
    currency: str = ""
    obstacles: list[str] = []
    """What is in the way of its removal, all of it."""
    pods: list[str] = []
    """Its pods, without those of DaemonSets."""
    history: list[Verdict] = []
    departure: Departure | None = None
    added_seconds: float | None = None
    removed_seconds: float | None = None
    notes: list[str] = []

    @property
    def differs(self) -> str | None:
        """In what a repetition differs from the run: nothing was recorded to compare it with."""
        return None

    def headline(self) -> str:
        """The node, and what has become of it."""
        name = f"node/{self.node}" if self.node else f"nodeclaim/{self.node_claim}"
        return f"{name}: {self.status}"

    def seconds(self, at_ns: int) -> float:
        """Seconds since the run began."""
        return round((at_ns - self.start_ns) / SECOND_NS, 6)

    def table(self) -> Table:
        """A row for each decision, in order."""
        rows: list[tuple[Any, ...]] = []
        if self.purchase is not None:
            reason = node_wording.purchase(self.purchase)
            rows.append((self.seconds(self.purchase.at_ns), "bought", "", reason))
        if self.launch is not None:
            reason = node_wording.launch(self.launch)
            rows.append((self.seconds(self.launch.at_ns), "launched", "", reason))
        for each in self.history:
            method = "" if each.deciding is None else each.deciding.method
            at = self.seconds(each.at_ns)
            rows.append((at, "verdict", method, node_wording.verdict(each)))
        if self.departure is not None:
            reason = node_wording.departure(self.departure)
            rows.append((self.seconds(self.departure.at_ns), "leaves", "", reason))
        return Table(_COLUMNS, rows)

    def chart(self) -> ChartType:
        """There is none; InputError, as of other results without a chart."""
        raise InputError(f"there is no chart of {self.headline()}")

    def to_dict(self) -> Json:
        """All of it; docs/explain.md describes it."""
        found: Json = msgspec.to_builtins(self)
        return found
