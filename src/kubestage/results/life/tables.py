"""The tables of a living run, each with its columns."""

from __future__ import annotations

from typing import Any, Final

from kubestage.results.analysis.table import Column, Kind, Table, columns

_REQUESTS: Final = {
    "arrived": Kind.INT,
    "completed": Kind.INT,
    "failed": Kind.INT,
    "timeout": Kind.INT,
    "noReplica": Kind.INT,
    "overloaded": Kind.INT,
    "interrupted": Kind.INT,
    "routing": Kind.INT,
    "processing": Kind.INT,
    "responseMeanMs": Kind.FLOAT,
    "responseP50Ms": Kind.FLOAT,
    "responseP95Ms": Kind.FLOAT,
    "responseP99Ms": Kind.FLOAT,
}
REQUEST_COLUMNS: Final = tuple(_REQUESTS)
STOCKS: Final = ("routing", "processing")
"""Those of them that tell where requests are at the end of a row."""

COLUMNS: Final[dict[str, tuple[Column, ...]]] = {
    "replicas": columns(
        atSeconds=Kind.FLOAT,
        workload=Kind.TEXT,
        desired=Kind.INT,
        launching=Kind.INT,
        active=Kind.INT,
        terminating=Kind.INT,
    ),
    "requests": columns(
        atSeconds=Kind.FLOAT, traffic=Kind.TEXT, workload=Kind.TEXT, rps=Kind.FLOAT, **_REQUESTS
    ),
    "responses": columns(traffic=Kind.TEXT, arrivedSeconds=Kind.FLOAT, responseMs=Kind.FLOAT),
    "percentiles": columns(
        atSeconds=Kind.FLOAT,
        traffic=Kind.TEXT,
        seconds=Kind.FLOAT,
        p50Ms=Kind.FLOAT,
        p95Ms=Kind.FLOAT,
        p99Ms=Kind.FLOAT,
    ),
    "utilization": columns(atSeconds=Kind.FLOAT, traffic=Kind.TEXT, utilization=Kind.FLOAT),
    "metrics": columns(
        atSeconds=Kind.FLOAT,
        hpa=Kind.TEXT,
        workload=Kind.TEXT,
        metric=Kind.TEXT,
        unit=Kind.TEXT,
        current=Kind.FLOAT,
        target=Kind.FLOAT,
    ),
    "recommendations": columns(
        atSeconds=Kind.FLOAT,
        vpa=Kind.TEXT,
        container=Kind.TEXT,
        resource=Kind.TEXT,
        lower=Kind.FLOAT,
        target=Kind.FLOAT,
        upper=Kind.FLOAT,
        request=Kind.FLOAT,
    ),
    "nodes": columns(
        atSeconds=Kind.FLOAT,
        group=Kind.TEXT,
        ready=Kind.INT,
        provisioning=Kind.INT,
        total=Kind.INT,
    ),
    "cluster": columns(
        atSeconds=Kind.FLOAT,
        pending=Kind.INT,
        launching=Kind.INT,
        active=Kind.INT,
        terminating=Kind.INT,
        nodes=Kind.INT,
        readyNodes=Kind.INT,
        requestedCpu=Kind.INT,
        allocatableCpu=Kind.INT,
    ),
    "decisions": columns(
        atSeconds=Kind.FLOAT,
        decision=Kind.TEXT,
        by=Kind.TEXT,
        subject=Kind.TEXT,
        before=Kind.INT,
        after=Kind.INT,
        reason=Kind.TEXT,
    ),
}


class Rows:
    """Rows as they come up, by table."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in COLUMNS}

    def add(self, table: str, *values: Any) -> None:
        """One more row."""
        self._rows[table].append(values)

    def last(self, table: str) -> tuple[Any, ...] | None:
        """The newest row."""
        return self._rows[table][-1] if self._rows[table] else None

    def tables(self) -> dict[str, Table]:
        """All tables that have rows."""
        return {name: Table(COLUMNS[name], list(rows)) for name, rows in self._rows.items() if rows}
