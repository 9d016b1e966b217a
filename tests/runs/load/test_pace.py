"""How fast a run was loaded, and whether it kept up."""

from __future__ import annotations

import pytest

from kubestage.clusterloader.call_log import CallLog
from kubestage.clusterloader.result import LoadResult, Measured, StepResult
from kubestage.measure.results import Latencies, MeasurementResult
from kubestage.runs.load import pace
from kubestage.units import SECOND_NS


def _result(ended: list[float], took: list[float] | None = None) -> LoadResult:
    """Ten creations a second from second 1 on, and how long each pod took to run."""
    log = CallLog()
    for at, seconds in enumerate(ended):
        log.asked_ns.append(SECOND_NS + at * SECOND_NS // 10)
        log.sent_ns.append(log.asked_ns[-1])
        log.ended_ns.append(round(seconds * SECOND_NS))
        log.verbs.append("create")
        log.kinds.append("Pod")
        log.namespaces.append("n")
        log.names.append(f"pod-{at}")
        log.codes.append(201)
    steps = [StepResult(1, "Create", SECOND_NS, 60 * SECOND_NS, is_named=True, substeps=())]
    result = LoadResult(name="", identifier="", path="", began_unix_ns=0, began_ns=0, steps=steps)
    result.calls = log
    if took is not None:
        names = [f"n/pod-{at}" for at in range(len(took))]
        rows = Latencies(
            "pod_startup", names, list(log.asked_ns), [round(each * SECOND_NS) for each in took]
        )
        outcome = MeasurementResult(latencies=(rows,))
        result.measured.append(Measured("PodStartupLatency", "p", 1, outcome))
    return result


def test_rates_are_what_was_requested_and_what_was_answered() -> None:
    found = pace.of_run(_result([1 + at / 5 for at in range(100)]))
    assert found is not None
    assert found.requested == pytest.approx(10)
    assert found.achieved == pytest.approx(5)
    assert found.seconds == pytest.approx(9.9)
    assert pace.is_growing([found])


@pytest.mark.parametrize(
    ("took", "is_growing"), [([1.0] * 100, False), ([at / 10 for at in range(100)], True)]
)
def test_a_backlog_grows_if_pods_take_longer_and_longer(
    took: list[float], is_growing: bool
) -> None:
    found = pace.of_run(_result([1.01 + at / 10 for at in range(100)], took))
    assert found is not None
    assert pace.is_growing([found]) is is_growing


def test_runs_are_judged_together_where_each_is_too_noisy() -> None:
    def of(middle: float, end: float) -> pace.Pace:
        return pace.Pace(requested=10, achieved=10, seconds=10, middle=middle, end=end)

    slowly = [of(75, 93), of(83, 88), of(80, 93), of(90, 97)]
    assert pace.is_growing(slowly)
    assert not pace.is_growing(slowly[1:2])
    steady = [of(64, 73), of(75, 72), of(74, 75)]
    assert pace.is_growing(steady[:1])
    assert not pace.is_growing(steady)
    assert not pace.is_growing([of(1, 5)]), "a handful of pods"
    assert not pace.is_growing([])


def test_a_run_of_one_call_has_no_pace() -> None:
    assert pace.of_run(_result([2.0])) is None
