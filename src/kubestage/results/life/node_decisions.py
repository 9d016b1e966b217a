"""Every decision about nodes in a run, with its reason: bought, launched, kept, leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.node_decisions import COMMANDS, KARPENTER, Departure, Launch, Purchase
from kubestage.objects import gvk
from kubestage.results.life import marks, node_wording, windows
from kubestage.results.life.marks import Mark
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.controllers.node_decisions import NodeDecision, NodeDecisions, Verdict
    from kubestage.results.life.tables import LifeRows
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change
    from kubestage.store.store import Store

BOUGHT: Final = "bought"
LAUNCHED: Final = "launched"
NOT_LAUNCHED: Final = "not launched"
KEPT: Final = "kept"
CHOSEN: Final = "chosen"
LEAVES: Final = "leaves"
LEFT_OUT: Final = "left out"
MOST_VERDICTS: Final = 10_000
"""So many verdicts of a run are kept; a node has a new one when its reason is of another kind."""
MOST_GONE: Final = 1_000
"""Of so many nodes that are gone a record that forgets knows, the newest."""
_NODE_CLAIM: Final = ("karpenter.sh/v1", "NodeClaim")
_VERDICTS_OF_NODE: Final = 20


class NodeDecisionRecord:
    """All decisions, by the NodeClaims and nodes that they are about.

    One that `forgets`, for a cluster without an end, keeps the newest nodes of those that are gone,
    and the newest verdicts on each.
    """

    def __init__(self, clock: Clock, *, forgets: bool = False) -> None:
        self.purchases: dict[str, Purchase] = {}
        self.launches: dict[str, Launch] = {}
        self.departures: dict[str, Departure] = {}
        self.verdicts: dict[str, list[Verdict]] = {}
        self.added_ns: dict[str, int] = {}
        self.removed_ns: dict[str, int] = {}
        self.left_out = 0
        self._clock = clock
        self._forgets = forgets
        self._in_order: list[NodeDecision] = []
        self._verdict_count = 0
        self._store: Store | None = None

    def follow(self, store: Store, decisions: NodeDecisions | None) -> None:
        """Take in the nodes that are there, and what becomes of nodes from now on."""
        self._store = store
        for name in store.read(gvk.NODE):
            self.added_ns[name] = self._clock.unix_ns
        store.subscribe(self.on_node, {("", "Node")})
        if decisions is not None:
            decisions.observe(self.on_decision)

    def on_decision(self, decision: NodeDecision) -> None:
        """Something was decided."""
        if isinstance(decision, Purchase):
            self._begin(decision.name)
            self.purchases[decision.name] = decision
        elif isinstance(decision, Launch):
            self.launches[decision.name] = decision
        elif isinstance(decision, Departure):
            self.departures[decision.name or decision.node] = decision
        elif not self._take(decision):
            return
        self._in_order.append(decision)
        if self._forgets and len(self._in_order) > 2 * MOST_VERDICTS:
            self._forget()

    def on_node(self, change: Change) -> None:
        """A Node has come, or is gone."""
        now_ns = self._clock.unix_ns
        if change.type == DELETED:
            self.removed_ns[change.key] = now_ns
        elif change.old is None:
            # The name may be that of an earlier node.
            self.removed_ns.pop(change.key, None)
            self.added_ns[change.key] = now_ns

    def why_added(self, node: str) -> str:
        """What a node came for, in a few words; empty if that is not known."""
        found = self.purchases.get(node)
        return "" if found is None else node_wording.arrival(found)

    def why_removed(self, node: str) -> str:
        """Why a node went, in its autoscaler's word; empty if that is not known."""
        found = self.departures.get(node)
        return "" if found is None else found.cause

    def marks(self) -> Iterator[Mark]:
        """Purchases and removals for charts to mark, in Unix nanoseconds, in order."""
        for each in self._in_order:
            if isinstance(each, Purchase):
                kind = "nodeclaim" if each.by == KARPENTER else "node"
                text = f"bought {each.why}"
                yield Mark(each.at_ns, marks.PURCHASE, f"{kind}/{each.name}", text)
            elif isinstance(each, Departure):
                subject = f"node/{each.node}" if each.node else f"nodeclaim/{each.name}"
                yield Mark(each.at_ns, marks.DISRUPTION, subject, each.reason)

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
        if self._verdict_count >= MOST_VERDICTS and not self._forgets:
            self.left_out += 1
            return False
        deciding = verdict.deciding
        if deciding is None or deciding.outcome not in COMMANDS:
            # It was to go, and its removal has failed.
            self.departures.pop(verdict.name or verdict.node, None)
        self._verdict_count += 1
        kept = self.verdicts.setdefault(verdict.node, [])
        kept.append(verdict)
        if self._forgets and len(kept) > 2 * _VERDICTS_OF_NODE:
            del kept[:_VERDICTS_OF_NODE]
        return True

    def _begin(self, name: str) -> None:
        """A node of this name is to come; nothing of an earlier one is about it."""
        for known in (self.launches, self.departures, self.verdicts, self.added_ns):
            known.pop(name, None)
        self.removed_ns.pop(name, None)

    def _forget(self) -> None:
        """Forget the oldest nodes that are gone, and the older half of what was decided."""
        there: set[str] = set()
        if self._store is not None:
            there.update(self._store.read(gvk.NODE), self._store.read(_NODE_CLAIM))
        of_names: tuple[dict[str, Any], ...] = (
            self.purchases, self.launches, self.departures, self.verdicts, self.added_ns,
            self.removed_ns,
        )  # fmt: skip
        for known in of_names:
            gone = [name for name in known if name not in there]
            for name in gone[: max(len(gone) - MOST_GONE, 0)]:
                del known[name]
        del self._in_order[: len(self._in_order) // 2]


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
