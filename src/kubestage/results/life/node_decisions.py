"""Every decision about nodes in a run, with its reason: bought, launched, kept, leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.node_decisions import COMMANDS, KARPENTER, Departure, Launch, Purchase
from kubestage.results.life import marks, node_wording, windows
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.controllers.node_decisions import NodeDecision, Verdict
    from kubestage.results.life.marks import Marks
    from kubestage.results.life.tables import LifeRows
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change

BOUGHT: Final = "bought"
LAUNCHED: Final = "launched"
NOT_LAUNCHED: Final = "not launched"
KEPT: Final = "kept"
CHOSEN: Final = "chosen"
LEAVES: Final = "leaves"
LEFT_OUT: Final = "left out"
MOST_VERDICTS: Final = 10_000
"""So many verdicts of a run are kept; a node has a new one when its reason is of another kind."""


class NodeDecisionRecord:
    """All decisions, by the NodeClaims and nodes that they are about."""

    def __init__(self, clock: Clock, charted: Marks | None = None) -> None:
        self.purchases: dict[str, Purchase] = {}
        self.launches: dict[str, Launch] = {}
        self.departures: dict[str, Departure] = {}
        self.verdicts: dict[str, list[Verdict]] = {}
        self.added_ns: dict[str, int] = {}
        self.removed_ns: dict[str, int] = {}
        self.left_out = 0
        self._clock = clock
        self._marks = charted
        self._in_order: list[NodeDecision] = []
        self._verdict_count = 0

    def on_decision(self, decision: NodeDecision) -> None:
        """Something was decided."""
        if isinstance(decision, Purchase):
            self.purchases[decision.name] = decision
            text = f"bought {decision.why}"
            self._mark(decision.by, marks.PURCHASE, f"nodeclaim/{decision.name}", text)
        elif isinstance(decision, Launch):
            self.launches[decision.name] = decision
        elif isinstance(decision, Departure):
            self.departures[decision.name or decision.node] = decision
            subject = f"node/{decision.node}" if decision.node else f"nodeclaim/{decision.name}"
            self._mark(decision.by, marks.DISRUPTION, subject, decision.reason)
        elif not self._take(decision):
            return
        self._in_order.append(decision)

    def on_node(self, change: Change) -> None:
        """A Node has come, or is gone."""
        now_ns = self._clock.unix_ns
        if change.type == DELETED:
            self.removed_ns[change.key] = now_ns
        elif change.old is None:
            self.added_ns.setdefault(change.key, now_ns)

    def why_added(self, node: str) -> str:
        """What a node was bought for; empty if that is not known."""
        found = self.purchases.get(node)
        return "" if found is None else found.why

    def why_removed(self, node: str) -> str:
        """Why a node went; empty if that is not known."""
        found = self.departures.get(node)
        return "" if found is None else found.reason

    def write(self, rows: LifeRows, begin_unix_ns: int) -> None:
        """Add the rows of the table."""
        for each in self._in_order:
            at = windows.since(begin_unix_ns, each.at_ns)
            bought = self.purchases.get(each.name)
            rows.add("node-decisions", at, *_row(each, "" if bought is None else bought.pool))
        if self.left_out:
            end = windows.since(begin_unix_ns, self._clock.unix_ns)
            reason = f"{self.left_out} more verdicts on nodes, after the first {MOST_VERDICTS}"
            rows.add("node-decisions", end, LEFT_OUT, *[""] * 5, None, None, None, reason)

    def _take(self, verdict: Verdict) -> bool:
        if self._verdict_count >= MOST_VERDICTS:
            self.left_out += 1
            return False
        self._verdict_count += 1
        self.verdicts.setdefault(verdict.node, []).append(verdict)
        return True

    def _mark(self, by: str, kind: str, subject: str, text: str) -> None:
        """Mark what Karpenter does; the sizes of NodeGroups have charts of their own."""
        if self._marks is not None and by == KARPENTER:
            self._marks.add(self._clock.now_ns, kind, subject, text)


def _row(each: NodeDecision, pool: str) -> Iterator[Any]:
    """Decision, node, NodeClaim, pool, by, method, price, disruption cost, ratio and reason."""
    nothing = (None, None, None)
    if isinstance(each, Purchase):
        yield from (BOUGHT, "", each.name, each.pool, each.by, "", *nothing)
        yield node_wording.purchase(each)
    elif isinstance(each, Launch):
        price = None if each.chosen is None else each.chosen.price
        word = NOT_LAUNCHED if each.chosen is None else LAUNCHED
        yield from (word, "", each.name, pool, each.by, "", price, None, None)
        yield node_wording.launch(each)
    elif isinstance(each, Departure):
        yield from (LEAVES, each.node, each.name, each.pool, each.by, "", *nothing)
        yield node_wording.departure(each)
    else:
        yield from _verdict_row(each)


def _verdict_row(each: Verdict) -> Iterator[Any]:
    deciding, worth = each.deciding, each.worth
    method = "" if deciding is None else deciding.method
    word = CHOSEN if deciding is not None and deciding.outcome in COMMANDS else KEPT
    yield from (word, each.node, each.name, each.pool, each.by, method)
    if worth is None:
        yield from (None, None, None)
    else:
        yield from (worth.price, worth.disruption_cost, worth.savings_ratio)
    yield node_wording.verdict(each)
