"""All that a measurement of one's own is made of, in one place.

::

    from kubestage.measure.framework import Measurement, Outcome, Params
"""

from __future__ import annotations

from kubestage.cluster.access import Answer, Call, Page, Resource, Seen, Selection
from kubestage.measure.informer import Informer, Tally, key_of
from kubestage.measure.measurement import Context, Measurement, unknown_action
from kubestage.measure.outcome import (
    NOTHING,
    Latencies,
    Later,
    Outcome,
    Result,
    Series,
    Summary,
    Verdict,
    merged,
)
from kubestage.measure.params import Duration, FreeParams, Params, Selecting
from kubestage.measure.percentiles import LatencyMetric, nearest_rank
from kubestage.measure.perf_data import DataItem, PerfData, pretty
from kubestage.measure.transitions import Transition, TransitionTimes

__all__ = [
    "NOTHING",
    "Answer",
    "Call",
    "Context",
    "DataItem",
    "Duration",
    "FreeParams",
    "Informer",
    "Latencies",
    "LatencyMetric",
    "Later",
    "Measurement",
    "Outcome",
    "Page",
    "Params",
    "PerfData",
    "Resource",
    "Result",
    "Seen",
    "Selecting",
    "Selection",
    "Series",
    "Summary",
    "Tally",
    "Transition",
    "TransitionTimes",
    "Verdict",
    "key_of",
    "merged",
    "nearest_rank",
    "pretty",
    "unknown_action",
]
