"""A living run as a value: how long it took, its tables, and its summary."""

from __future__ import annotations

import msgspec

from kubestage.aliases import Json
from kubestage.results.analysis.table import Table  # noqa: TC001 - msgspec reads it


class Life(msgspec.Struct, frozen=True, rename="camel"):
    """What there is to know of a living run.

    `tables` are by name, and only those with rows are there: ``replicas``, ``requests``,
    ``responses``, ``percentiles``, ``utilization``, ``metrics``, ``recommendations``, ``nodes``,
    ``cluster`` and ``decisions``. `start` is the moment of the calendar at which it began.
    """

    version: str
    seed: int
    start: str
    seconds: float
    resolution_seconds: float
    summary: Json
    tables: dict[str, Table]

    def rows(self, name: str) -> list[Json]:
        """The rows of a table as dicts; none if nothing was recorded."""
        table = self.tables.get(name)
        return [] if table is None else list(table.records())

    def observation_times(self) -> list[float]:
        """The times at which the cluster was observed, in seconds since the start."""
        return [row["atSeconds"] for row in self.rows("cluster")]


def encode(life: Life) -> bytes:
    """As JSON, indented as far as people may look."""
    return msgspec.json.encode(life) + b"\n"


def decode(text: bytes) -> Life:
    """From JSON; msgspec.DecodeError if it is something else."""
    return msgspec.json.decode(text, type=Life)
