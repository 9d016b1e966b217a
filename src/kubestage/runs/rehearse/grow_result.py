"""The answer of rehearsed growth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.packing import wording as money
from kubestage.runs.rehearse import sections
from kubestage.runs.rehearse.findings import Finding, first_sentence
from kubestage.runs.rehearse.result import Rehearsed
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.capacity import Headroom
    from kubestage.runs.rehearse.findings import Severity
    from kubestage.runs.rehearse.growth import GrownWorkload
    from kubestage.runs.rehearse.node_search import EnoughNodes
    from kubestage.runs.rehearse.sections import Section

_NAMED: Final = 3
"""So many types of nodes are in the answer; the table has all."""
_GROWN: Final = columns(workload=Kind.TEXT, before=Kind.INT, after=Kind.INT)


class GrowResult(Rehearsed, frozen=True, kw_only=True):
    """What of growth has no room, and how many nodes would be enough."""

    rehearsal: ClassVar[str] = "grow"
    VALUES: ClassVar[tuple[str, ...]] = ("nodes", "missing", "addedCostPerHour")

    grown: Sequence[GrownWorkload]
    added_objects: int = 0
    missing: int
    """How many pods find no room on the nodes that are there."""
    autoscaled: int = 0
    """How many nodes the node autoscaler added by itself."""
    enough: Sequence[EnoughNodes] = ()
    """How many more nodes are enough, of each template."""
    before: Headroom
    after: Headroom
    """With all that was added by itself."""

    def details(self) -> Json:
        """What grew, and the nodes that it needs."""
        return {
            "grown": msgspec.to_builtins(list(self.grown)),
            "addedObjects": self.added_objects,
            "missing": self.missing,
            "autoscaledNodes": self.autoscaled,
            "enough": msgspec.to_builtins(list(self.enough)),
            "before": msgspec.to_builtins(self.before),
            "after": msgspec.to_builtins(self.after),
        }

    def table(self) -> Table:
        """A row for each workload that grew."""
        rows: list[tuple[Any, ...]] = [
            (each.workload, each.before, each.after) for each in self.grown
        ]
        return Table(_GROWN, rows)

    def more_sections(self) -> list[Section]:
        """How many nodes are enough, what grew, and how full the cluster is."""
        is_priced = any(each.cost_per_hour is not None for each in self.enough)
        currency = self.life.summary["currency"]
        enough = [
            (
                each.template,
                "-" if each.nodes is None else f"{each.nodes:,}",
                *((money.money(each.cost_per_hour, currency),) if is_priced else ()),
                f"{each.pending_with_one_fewer or 0:,}",
                "-" if each.after is None else each.after.shares(),
            )
            for each in self.enough
        ]
        priced = ("PER HOUR",) if is_priced else ()
        head = ("NODES LIKE", "ENOUGH", *priced, "PENDING WITH ONE FEWER", "THEN REQUESTED")
        grown = [(each.workload, str(each.before), str(each.after)) for each in self.grown]
        full = [
            (when, f"{each.nodes:,}", each.shares())
            for when, each in (("before", self.before), ("after", self.after))
        ]
        return [
            sections.section("More nodes", head, enough),
            sections.section("Growth", ("WORKLOAD", "BEFORE", "AFTER"), grown),
            sections.section("Headroom", ("WHEN", "NODES", "REQUESTED"), full),
        ]

    def values(self) -> dict[str, float]:
        """Numbers for conditions; no number of nodes that is enough counts as infinitely many."""
        found = [each.nodes for each in self.enough if each.nodes is not None]
        nodes: float = min(found) if found else math.inf if self.missing else 0
        costs = [each.cost_per_hour for each in self.enough if each.cost_per_hour is not None]
        cost: float = min(costs) if costs else math.inf if self.missing else 0
        return {"nodes": nodes, "missing": self.missing, "addedCostPerHour": cost}


def sentence(
    subject: str, missing: int, enough: Sequence[EnoughNodes], autoscaled: int, currency: str
) -> str:
    """What it needs, in one sentence."""
    if not missing:
        return f"With {subject}, all pods fit on the nodes that are there."
    lacks = f"{plural(missing, 'pod')} {'has' if missing == 1 else 'have'} no room"
    found = [each for each in enough if each.nodes is not None][:_NAMED]
    more = [
        f"{plural(each.nodes or 0, 'more node')} like {each.template}{_price(each, currency)}"
        for each in found
    ]
    grows = f"; the autoscaler adds {plural(autoscaled, 'node')}" if autoscaled else ""
    if not more:
        return (
            f"With {subject}, {lacks} on the nodes that are there, and more like them do not help"
            f"{grows}."
        )
    verb = "is" if len(found) == 1 and found[0].nodes == 1 else "are"
    return (
        f"With {subject}, {lacks} on the nodes that are there; {' or '.join(more)} {verb} enough"
        f"{grows}."
    )


def _price(enough: EnoughNodes, currency: str) -> str:
    """`` (+$0.38 per hour)``, or nothing without a price."""
    if enough.cost_per_hour is None:
        return ""
    return f" (+{money.money(enough.cost_per_hour, currency)} per hour)"


def findings_of(found: Sequence[EnoughNodes], currency: str) -> Iterator[Finding]:
    """What an operator has to know about nodes."""
    # If one type is enough, it is no bad news that another one is not.
    severity: Severity = "warning" if all(each.nodes is None for each in found) else "info"
    for each in found:
        subject = f"nodes like {each.template}"
        if each.nodes is None:
            left = plural(each.pending_with_one_fewer or 0, "pod")
            reason = first_sentence(each.reason)
            text = f"no number of them is enough: {left} left, {reason}"
            yield Finding(severity, subject, text)
            continue
        left = plural(each.pending_with_one_fewer or 0, "pod")
        verb = "has" if each.pending_with_one_fewer == 1 else "have"
        proof = f"with one fewer, {left} {verb} no node"
        assert each.after is not None
        enough = "1 more is enough" if each.nodes == 1 else f"{each.nodes:,} more are enough"
        text = f"{enough}{_price(each, currency)}; {proof}; then requested: {each.after.shares()}"
        if each.most_nodes is not None:
            text += f"; maxSize {each.most_nodes} has to be raised"
        yield Finding("info", subject, text)
