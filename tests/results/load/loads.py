"""Loads that were never run: results built by hand, for tests of what is written of them."""

from __future__ import annotations

from typing import Any

from kubestage.clusterloader.call_log import CallLog
from kubestage.clusterloader.result import LoadResult, Measured, StepResult, Substep
from kubestage.measure.results import Latencies, MeasurementResult, Series, Summary, Verdict
from kubestage.results.load.about import About

SECOND = 1_000_000_000
BEGAN = 1_767_225_600 * SECOND
ABOUT = About(version="0.1", seed=7, nodes=3, profile="default", command="kubestage load c.yaml")


def make_calls(rows: list[tuple[str, int, int, int, int]], name: str = "pod") -> CallLog:
    """Calls of pods: verb, seconds asked, sent and ended, code."""
    log = CallLog()
    for at, (verb, asked, sent, ended, code) in enumerate(rows):
        log.asked_ns.append(asked * SECOND)
        log.sent_ns.append(sent * SECOND)
        log.ended_ns.append(ended * SECOND)
        log.verbs.append(verb)
        log.kinds.append("Pod")
        log.namespaces.append("ns-1")
        log.names.append(f"{name}-{at}")
        log.codes.append(code)
    return log


def make_latencies(metric: str, took: list[float], began: int = 2) -> Latencies:
    """Pods that began one second after the other."""
    return Latencies(
        metric,
        [f"ns-1/pod-{at}" for at in range(len(took))],
        [(began + at) * SECOND for at in range(len(took))],
        [round(each * SECOND) for each in took],
    )


def make_outcome() -> MeasurementResult:
    """What a measurement of pods might say."""
    return MeasurementResult(
        summaries=(Summary("PodStartupLatency_Pods", '{"version": "1.0"}\n', BEGAN + 65 * SECOND),),
        verdicts=(
            Verdict(
                name="pod_startup p99", passed=False, value=6.5, threshold=5.0, unit="s", samples=4
            ),
            Verdict(
                name="Stateful pod_startup p99", passed=True, threshold=5.0, unit="s", samples=0
            ),
        ),
        latencies=(
            make_latencies("create_to_schedule", [0.0, 0.5, 1.0, 2.0]),
            make_latencies("pod_startup", [1.0, 2.0, 3.0, 6.5]),
        ),
        series=(Series("scheduling_throughput", "pods/s", [2 * SECOND, 7 * SECOND], [3.0, 1.5]),),
        errors=("too high",),
    )


def make_result(**changes: Any) -> LoadResult:
    """A test of two steps that failed."""
    error = "measurement call PodStartupLatency - Pods error: too high"
    settings: dict[str, Any] = {
        "name": "density",
        "identifier": "",
        "path": "density/config.yaml",
        "began_unix_ns": BEGAN,
        "began_ns": 1 * SECOND,
        "took_ns": 64_957_500_000,
        "steps": [
            StepResult(
                1,
                "[step: 01] Create <pods>",
                2 * SECOND,
                10 * SECOND,
                is_named=True,
                substeps=(Substep("[step: 01] Create <pods>", 10 * SECOND, ()),),
            ),
            StepResult(
                2,
                "[step: 02] Gather",
                12 * SECOND,
                47_000,
                is_named=True,
                substeps=(
                    Substep("[step: 02] Gather [00] - Pods", 47_000, (error,)),
                    Substep("[step: 02] Gather [01] - Other", 5_000_000, ()),
                ),
            ),
        ],
        "measured": [
            Measured("PodStartupLatency", "Pods", 2, make_outcome()),
            Measured("DnsLookupLatency", "Dns", 2, MeasurementResult(skipped="needs prober pods")),
        ],
        "errors": [error],
        "warnings": ["a step has no name"],
        "calls": make_calls(
            [
                ("create", 1, 1, 2, 201),
                ("create", 2, 4, 5, 201),
                ("create", 3, 4, 6, 409),
                ("delete", 99, 99, 100, 200),
            ]
        ),
    }
    return LoadResult(**{**settings, **changes})
