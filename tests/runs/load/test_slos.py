"""Goals as people write them, and whether a run meets them."""

from __future__ import annotations

import pytest

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.clusterloader.config import Config, Mention, Step
from kubestage.clusterloader.result import LoadResult, Measured
from kubestage.errors import InputError
from kubestage.measure.results import MeasurementResult, Verdict
from kubestage.runs.load import slos


def _config(*methods: str) -> Config:
    return Config(steps=(Step(measurements=tuple(Mention(each, "x") for each in methods)),))


def _result(method: str, *verdicts: Verdict, errors: tuple[str, ...] = ()) -> LoadResult:
    outcome = MeasurementResult(verdicts=verdicts, errors=errors)
    told = [f"measurement call {method} - x error: {each}" for each in errors]
    return LoadResult(
        name="",
        identifier="",
        path="",
        began_unix_ns=0,
        began_ns=0,
        measured=[Measured(method, "x", 1, outcome)],
        errors=told,
    )


def _startup(value: float | None, *, passed: bool = True) -> Verdict:
    return Verdict(name="pod_startup p99", passed=passed, value=value, unit="s", samples=3)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("pod-startup-p99<=5s", "pod-startup-p99<=5s"),
        ("api-call-p90-list < 250ms", "api-call-p90-list<250ms"),
        ("scheduling-throughput>=50", "scheduling-throughput>=50"),
        ("APIResponsiveness.API call p99 (scope resource)<=1s",
         "APIResponsiveness.API call p99 (scope resource)<=1s"),
    ],
)  # fmt: skip
def test_a_goal_is_read_and_written(text: str, written: str) -> None:
    assert slos.read(text).text == written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pod-startup-p99", "is no goal"),
        ("pod-startup-p99=5s", "is no goal"),
        ("pod-startup-p99<=soon", "neither a number nor a duration"),
        ("pod-startup-p99<=5", "has no unit"),
        ("pod-startup-p98<=5s", "did you mean pod-startup-p9"),
        ("latency<=5s", "METHOD.VERDICT of any measurement"),
    ],
)
def test_a_goal_that_is_none_is_refused(text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        slos.read(text)


def test_a_goal_that_nothing_measures_is_refused() -> None:
    goals = [slos.read("pod-startup-p99<=5s")]
    slos.check(goals, _config("PodStartupLatency"))
    slos.check([slos.read("api-call-p99<=1s")], _config())
    with pytest.raises(InputError, match=r"does not mention PodStartupLatency.*api-call-p50"):
        slos.check(goals, _config("Sleep"))


@pytest.mark.parametrize(("value", "is_met"), [(5.0, True), (5.001, False), (None, False)])
def test_a_run_meets_a_goal_by_its_value_and_not_without_one(
    value: float | None, is_met: bool
) -> None:
    judged = slos.evaluate(
        [slos.read("pod-startup-p99<=5s")], _result("PodStartupLatency", _startup(value))
    )
    assert (judged.values, judged.is_met) == ((value,), is_met)


@pytest.mark.parametrize(("sign", "is_met"), [("<=", 1), ("<", 0), (">=", 1), (">", 0)])
def test_a_value_at_the_edge_meets_a_goal_that_includes_it(sign: str, is_met: bool) -> None:
    slo = slos.read(f"pod-startup-p99{sign}5s")
    assert slo.holds(5.0) is bool(is_met)
    assert slo.holds(4.0) is sign.startswith("<")


def test_the_loads_own_threshold_does_not_matter_but_every_other_error_does() -> None:
    goals = [slos.read("pod-startup-p99<=9s")]
    too_slow = _result("PodStartupLatency", _startup(7, passed=False), errors=("too slow",))
    assert slos.evaluate(goals, too_slow).is_met
    broken = _result("PodStartupLatency", _startup(7), errors=("pods were lost",))
    judged = slos.evaluate(goals, broken)
    assert not judged.is_met
    assert judged.problem.endswith("pods were lost")


def test_of_several_values_the_worst_counts() -> None:
    result = _result("SchedulingThroughput", *(
        Verdict(name="scheduling throughput max", passed=True, value=each, unit="pods/s")
        for each in (90.0, 40.0)
    ))  # fmt: skip
    assert slos.evaluate([slos.read("scheduling-throughput>=50")], result).values == (40,)


def test_a_verdict_that_there_is_not_is_refused_with_those_there_are() -> None:
    goals = [slos.read("PodStartupLatency.startup<=5s")]
    with pytest.raises(InputError, match="its verdicts are pod_startup p99"):
        slos.evaluate(goals, _result("PodStartupLatency", _startup(1)))


def test_a_goal_without_a_unit_does_not_fit_a_latency() -> None:
    goals = [slos.read("PodStartupLatency.pod_startup p99<=5")]
    with pytest.raises(InputError, match="is measured in s"):
        slos.evaluate(goals, _result("PodStartupLatency", _startup(1)))


def test_calls_count_from_when_they_were_sent() -> None:
    result = _result("Sleep")
    for verb, took_ms in (("create", 10), ("create", 30), ("list", 200), ("get", 1)):
        call = Call(verb=verb, resource=Resource("v1", "Pod"))
        result.calls.add(0, call, Answer({}, None, 5_000_000, (5 + took_ms) * 1_000_000))
    names = ["api-call-p99", "api-call-p99-mutating", "api-call-p50-mutating", "api-call-p99-read"]
    goals = [slos.read(f"{name}<=1s") for name in names]
    assert slos.evaluate(goals, result).values == (0.2, 0.03, 0.01, 0.001)
