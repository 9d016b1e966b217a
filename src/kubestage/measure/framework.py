"""All that a user's measurement needs, in one place.

::

    from kubestage.measure.framework import Measurement, MeasurementResult, Params
"""

from __future__ import annotations

from kubestage.cluster.access import Answer, Call, Page, Resource, Selection, WatchEvent
from kubestage.measure.informer import Informer, ObjectCounts, key_of
from kubestage.measure.measurement import Context, Measurement, unknown_action
from kubestage.measure.params import Duration, FreeParams, Params, Selecting
from kubestage.measure.percentiles import LatencyMetric, nearest_rank
from kubestage.measure.perf_data import DataItem, PerfData, pretty
from kubestage.measure.results import (
    NOTHING,
    Latencies,
    MeasurementResult,
    PendingResult,
    Result,
    Series,
    Summary,
    Verdict,
    merge_results,
)
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
    "Measurement",
    "MeasurementResult",
    "ObjectCounts",
    "Page",
    "Params",
    "PendingResult",
    "PerfData",
    "Resource",
    "Result",
    "Selecting",
    "Selection",
    "Series",
    "Summary",
    "Transition",
    "TransitionTimes",
    "Verdict",
    "WatchEvent",
    "key_of",
    "merge_results",
    "nearest_rank",
    "pretty",
    "unknown_action",
]
