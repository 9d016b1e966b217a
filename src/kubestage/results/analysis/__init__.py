"""The result calculation functions of KEP-140: what a Scenario's status means, in numbers.

Every function takes a Scenario, its status, or a ``digest`` of either, and needs nothing else: no
cluster, no record, no clock. Belongs here: pure functions from a timeline to values, and how those
are written down. Not here: charts, colours, terminals.

>>> from kubestage.results import analysis
>>> analysis.table({"scenarioResult": {"timeline": {}}}, "allocation").names
('step', 'resource', 'requested', 'allocatable', 'rate')
"""

from __future__ import annotations

from kubestage.results.analysis.attempt_tables import attempt_log, attempts
from kubestage.results.analysis.cost_tables import cost, cost_shares
from kubestage.results.analysis.digest import Digest, digest
from kubestage.results.analysis.measure_tables import measures
from kubestage.results.analysis.measured import MeasuredSeries, MeasureFigures
from kubestage.results.analysis.overview import ResourceSummary, Summary, summary
from kubestage.results.analysis.packed_steps import StepPacking
from kubestage.results.analysis.pod_state import PodState
from kubestage.results.analysis.registry import TABLES, RunTable
from kubestage.results.analysis.registry import compute as table
from kubestage.results.analysis.state import ClusterState, NodeState
from kubestage.results.analysis.table import Table
from kubestage.results.analysis.timeline import until
from kubestage.results.analysis.walking import Moment, step_ends, walk
from kubestage.results.analysis.writing import as_csv, as_json, summary_json, write_parquet

__all__ = [
    "TABLES",
    "ClusterState",
    "Digest",
    "MeasureFigures",
    "MeasuredSeries",
    "Moment",
    "NodeState",
    "PodState",
    "ResourceSummary",
    "RunTable",
    "StepPacking",
    "Summary",
    "Table",
    "as_csv",
    "as_json",
    "attempt_log",
    "attempts",
    "cost",
    "cost_shares",
    "digest",
    "measures",
    "step_ends",
    "summary",
    "summary_json",
    "table",
    "until",
    "walk",
    "write_parquet",
]
