"""The answer of ``kubestage cost``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.results import charts
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.packing import tables, wording
from kubestage.results.packing.tables import PackingTable
from kubestage.runs.notebook import TableResult
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.packing.node_shares import NodeShare
    from kubestage.results.packing.packing import Packing
    from kubestage.runs.cost.removable import Removable

_WORKLOADS: Final = columns(
    workload=Kind.TEXT,
    pods=Kind.INT,
    milliCpu=Kind.INT,
    memoryBytes=Kind.INT,
    costPerHour=Kind.FLOAT,
)


class CostResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster costs, how it is packed, and which nodes it could do without."""

    cluster: str
    packing: Packing
    removable: Sequence[Removable] | None = None
    """Nodes that could all be removed together; None if they were not searched."""
    nodes: Sequence[NodeShare] = ()
    """How full each node is."""
    notes: Sequence[str] = ()

    def charts(self) -> dict[str, ChartType]:
        """Every chart of it, by name; needs the extra ``charts``."""
        return charts.of_packing(self.packing, self.nodes)

    @property
    def answer(self) -> str:
        """What the nodes cost, how much is idle, and what could be saved."""
        text = tables.sentence(self.packing)
        if self.removable is None:
            return text
        if not self.removable:
            return f"{text} No node could be removed."
        saved = self.saving_per_hour
        saving = ""
        if saved:
            saving = f", which saves {wording.money(saved, self.packing.costs.currency)} per hour"
        return f"{text} {plural(len(self.removable), 'node')} could be removed{saving}."

    @property
    def saving_per_hour(self) -> float | None:
        """What the nodes that could be removed cost; None without prices."""
        priced = [
            each.price_per_hour for each in self.removable or () if each.price_per_hour is not None
        ]
        return round(sum(priced), 6) if priced else None

    def headline(self) -> str:
        """The answer in one or two sentences."""
        return self.answer

    def table(self) -> Table:
        """A row for each workload."""
        rows: list[tuple[Any, ...]] = [
            (each.name, each.pods, each.milli_cpu, each.memory_bytes, each.cost_per_hour)
            for each in self.packing.costs.workloads
        ]
        return Table(_WORKLOADS, rows)

    def tables(self) -> list[PackingTable]:
        """All tables of the answer."""
        found = tables.all_tables(self.packing)
        if self.removable:
            currency = self.packing.costs.currency
            rows = [
                (
                    each.node,
                    each.pool or tables.NO_POOL,
                    f"{each.pods:,}",
                    wording.money(each.price_per_hour, currency),
                )
                for each in self.removable
            ]
            head = ("NODE", "POOL", "PODS THAT MOVE", "PER HOUR")
            found.append(PackingTable("Nodes that could be removed", head, rows))
        return found

    def to_dict(self) -> Json:
        """The answer as plain values; docs/cost.md describes the fields."""
        removable = self.removable
        return {
            "cluster": self.cluster,
            "answer": self.answer,
            "metrics": self.packing.metrics(),
            **self.packing.to_dict(),
            "nodes": msgspec.to_builtins(list(self.nodes)),
            "removable": None if removable is None else msgspec.to_builtins(list(removable)),
            "savingPerHour": self.saving_per_hour,
            "notes": list(self.notes),
        }
