"""The tables of a living run, each with its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.results.analysis.table import Column, Kind, Table, columns

if TYPE_CHECKING:
    from collections.abc import Callable

Row = tuple[Any, ...]

_REQUESTS: Final = {
    "arrived": Kind.INT,
    "completed": Kind.INT,
    "failed": Kind.INT,
    "timeout": Kind.INT,
    "noReplica": Kind.INT,
    "overloaded": Kind.INT,
    "interrupted": Kind.INT,
    "noAnswer": Kind.INT,
    "routing": Kind.INT,
    "processing": Kind.INT,
    "responseMeanMs": Kind.FLOAT,
    "responseP50Ms": Kind.FLOAT,
    "responseP95Ms": Kind.FLOAT,
    "responseP99Ms": Kind.FLOAT,
}
REQUEST_COLUMNS: Final = tuple(_REQUESTS)
STOCKS: Final = ("routing", "processing")
"""Those of them that are states at the end of a row."""


class LifeTable(NamedTuple):
    """The declaration of a table of a living run."""

    about: str
    """One line for help and completion."""

    columns: tuple[Column, ...]

    chart: str = ""
    """The charts of it have names that begin so; empty if there are none."""


SUMMARY: Final = "the run in a few numbers: requests, replicas, nodes, cost"
TABLES: Final[dict[str, LifeTable]] = {
    "replicas": LifeTable(
        "pods of each workload over time: desired, launching, active",
        columns(
            atSeconds=Kind.FLOAT,
            workload=Kind.TEXT,
            desired=Kind.INT,
            launching=Kind.INT,
            active=Kind.INT,
            terminating=Kind.INT,
        ),
        "replicas",
    ),
    "requests": LifeTable(
        "requests of each Traffic per second, and how they ended",
        columns(
            atSeconds=Kind.FLOAT, traffic=Kind.TEXT, workload=Kind.TEXT, rps=Kind.FLOAT, **_REQUESTS
        ),
        "requests",
    ),
    "responses": LifeTable(
        "a sample of completed requests with their response times",
        columns(traffic=Kind.TEXT, arrivedSeconds=Kind.FLOAT, responseMs=Kind.FLOAT),
        "response-times",
    ),
    "percentiles": LifeTable(
        "response times p50, p95 and p99 over time",
        columns(
            atSeconds=Kind.FLOAT,
            traffic=Kind.TEXT,
            seconds=Kind.FLOAT,
            p50Ms=Kind.FLOAT,
            p95Ms=Kind.FLOAT,
            p99Ms=Kind.FLOAT,
        ),
        "response-times",
    ),
    "utilization": LifeTable(
        "how busy the active replicas were",
        columns(atSeconds=Kind.FLOAT, traffic=Kind.TEXT, utilization=Kind.FLOAT),
        "utilization",
    ),
    "metrics": LifeTable(
        "what each HPA measured, and its target",
        columns(
            atSeconds=Kind.FLOAT,
            hpa=Kind.TEXT,
            workload=Kind.TEXT,
            metric=Kind.TEXT,
            unit=Kind.TEXT,
            current=Kind.FLOAT,
            target=Kind.FLOAT,
        ),
        "hpa",
    ),
    "recommendations": LifeTable(
        "what each VPA recommended, and what pods requested",
        columns(
            atSeconds=Kind.FLOAT,
            vpa=Kind.TEXT,
            container=Kind.TEXT,
            resource=Kind.TEXT,
            lower=Kind.FLOAT,
            target=Kind.FLOAT,
            upper=Kind.FLOAT,
            request=Kind.FLOAT,
        ),
        "vpa",
    ),
    "nodes": LifeTable(
        "nodes of each node group over time",
        columns(
            atSeconds=Kind.FLOAT,
            group=Kind.TEXT,
            ready=Kind.INT,
            provisioning=Kind.INT,
            total=Kind.INT,
        ),
        "nodes",
    ),
    "cluster": LifeTable(
        "pods by state, nodes, and CPU over time",
        columns(
            atSeconds=Kind.FLOAT,
            pending=Kind.INT,
            launching=Kind.INT,
            active=Kind.INT,
            terminating=Kind.INT,
            nodes=Kind.INT,
            readyNodes=Kind.INT,
            requestedCpu=Kind.INT,
            allocatableCpu=Kind.INT,
            evicted=Kind.INT,
        ),
        "capacity",
    ),
    "cost": LifeTable(
        "cost per hour of each pool over time, and what of it is idle",
        columns(
            atSeconds=Kind.FLOAT,
            group=Kind.TEXT,
            perHour=Kind.FLOAT,
            idlePerHour=Kind.FLOAT,
        ),
        "cost",
    ),
    "spending": LifeTable(
        "money by pool, type, namespace and workload",
        columns(
            by=Kind.TEXT,
            name=Kind.TEXT,
            cost=Kind.FLOAT,
            perHour=Kind.FLOAT,
            share=Kind.FLOAT,
            currency=Kind.TEXT,
        ),
    ),
    "lifetimes": LifeTable(
        "each node that came or went: price, when, and why",
        columns(
            node=Kind.TEXT,
            pool=Kind.TEXT,
            instanceType=Kind.TEXT,
            capacityType=Kind.TEXT,
            zone=Kind.TEXT,
            perHour=Kind.FLOAT,
            fromSeconds=Kind.FLOAT,
            toSeconds=Kind.FLOAT,
            whyAdded=Kind.TEXT,
            whyRemoved=Kind.TEXT,
            paidFromSeconds=Kind.FLOAT,
            paidToSeconds=Kind.FLOAT,
            overlaidPerHour=Kind.FLOAT,
        ),
        "lifetimes",
    ),
    "measures": LifeTable(
        "the values of each --measure over time",
        columns(
            atSeconds=Kind.FLOAT,
            measure=Kind.TEXT,
            attempt=Kind.INT,
            value=Kind.FLOAT,
            unit=Kind.TEXT,
        ),
        "measures",
    ),
    "decisions": LifeTable(
        "each rescale, eviction, resize, node added or removed",
        columns(
            atSeconds=Kind.FLOAT,
            decision=Kind.TEXT,
            by=Kind.TEXT,
            subject=Kind.TEXT,
            before=Kind.INT,
            after=Kind.INT,
            reason=Kind.TEXT,
        ),
    ),
    "node-decisions": LifeTable(
        "why each node was bought, is kept, or leaves",
        columns(
            atSeconds=Kind.FLOAT,
            decision=Kind.TEXT,
            node=Kind.TEXT,
            nodeClaim=Kind.TEXT,
            pool=Kind.TEXT,
            by=Kind.TEXT,
            method=Kind.TEXT,
            price=Kind.FLOAT,
            disruptionCost=Kind.FLOAT,
            savingsRatio=Kind.FLOAT,
            reason=Kind.TEXT,
        ),
    ),
    "health": LifeTable(
        "what went wrong and when: replicas, nodes, waits, evictions",
        columns(
            problem=Kind.TEXT,
            subject=Kind.TEXT,
            fromSeconds=Kind.FLOAT,
            toSeconds=Kind.FLOAT,
            seconds=Kind.FLOAT,
            number=Kind.INT,
            reason=Kind.TEXT,
        ),
    ),
    "marks": LifeTable(
        "times that charts mark: failures, rollouts, rescales, ...",
        columns(atSeconds=Kind.FLOAT, mark=Kind.TEXT, subject=Kind.TEXT, text=Kind.TEXT),
    ),
    "events": LifeTable(
        "every Event, with its count",
        columns(
            atSeconds=Kind.FLOAT,
            type=Kind.TEXT,
            reason=Kind.TEXT,
            object=Kind.TEXT,
            message=Kind.TEXT,
            count=Kind.INT,
            lastSeconds=Kind.FLOAT,
            workload=Kind.TEXT,
        ),
    ),
}
"""Every table by its name, in the order in which they are listed."""

NEWS: Final = ("health", "marks", "events")
"""Tables that every run has, if only without rows."""


class LifeRows:
    """Rows as they come up, by table."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Row]] = {name: [] for name in TABLES}

    def add(self, table: str, *values: Any) -> None:
        """One more row."""
        self._rows[table].append(values)

    def last(self, table: str) -> Row | None:
        """The newest row."""
        return self._rows[table][-1] if self._rows[table] else None

    def lengths(self) -> dict[str, int]:
        """How many rows each table has."""
        return {name: len(rows) for name, rows in self._rows.items()}

    def shorten(self, lengths: dict[str, int]) -> None:
        """Remove the rows that came after the tables had these lengths."""
        for name, length in lengths.items():
            del self._rows[name][length:]

    def change(self, table: str, change: Callable[[list[Row]], list[Row]]) -> None:
        """Have other rows in a table."""
        self._rows[table] = change(self._rows[table])

    def replace_last(self, table: str, **values: Any) -> None:
        """Have other values, by the names of their columns, in the newest row."""
        names = (column.name for column in TABLES[table].columns)
        row = zip(names, self._rows[table][-1], strict=True)
        self._rows[table][-1] = tuple(values.get(name, value) for name, value in row)

    def tables(self) -> dict[str, Table]:
        """All tables that have rows."""
        return {
            name: Table(TABLES[name].columns, list(rows))
            for name, rows in self._rows.items()
            if rows
        }
