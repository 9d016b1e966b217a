"""What a measurement is told is checked before anything runs."""

from __future__ import annotations

import random

import pytest

from kubestage.clusterloader.config_loading import LoadedConfig, Parameters, load
from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.reading.problems import InvalidConfig
from kubestage.measure.registry import Registry


def _loaded(mention: str, is_strict: bool = False) -> LoadedConfig:
    texts = Texts({"main.yaml": f"steps: [{{measurements: [{mention}]}}]\n"})
    given = Parameters(nodes=2)
    chance = random.Random(1)
    return load("main.yaml", texts, given, methods=Registry(), random=chance, is_strict=is_strict)


BEGIN = "main.yaml: steps[0].measurements[0]"


@pytest.mark.parametrize(
    ("mention", "said"),
    [
        (
            "{method: Sleep, identifier: s, params: {duration: 1s, durations: 2s}}",
            ".params.durations: unknown parameter (did you mean 'duration'?)",
        ),
        (
            "{method: Sleep, identifier: s, params: {duration: long}}",
            '.params.duration: time: invalid duration "long"',
        ),
        (
            "{method: Sleep, identifier: s, params: {durration: 1s}}",
            (
                ".params: Object missing required field `duration` "
                "(params.durration: unknown parameter; did you mean 'duration'?)"
            ),
        ),
        (
            (
                "{method: Sleep, params: {duration: 1s}, instances: [{identifier: a}, "
                "{identifier: b, params: {zzz: 1}}]}"
            ),
            ".instances[1].params.zzz: unknown parameter",
        ),
    ],
)
def test_odd_parameters_are_a_warning_and_an_error_where_it_is_strict(
    mention: str, said: str
) -> None:
    assert _loaded(mention).warnings == (BEGIN + said,)
    with pytest.raises(InvalidConfig) as caught:
        _loaded(mention, is_strict=True)
    assert [str(each) for each in caught.value.problems] == [BEGIN + said]


def test_an_instance_gets_what_its_mention_says_for_all() -> None:
    both = "{method: Sleep, params: {duration: 1s}, instances: [{identifier: a}]}"
    assert _loaded(both, is_strict=True).warnings == ()


def test_a_parameter_is_named_where_it_is_written() -> None:
    mention = (
        "{method: PodStartupLatency, params: {action: start, labelSelector: 'a in (', odd: 1}, "
        "instances: [{identifier: a, params: {threshold: -1s}}, {identifier: b, params: {odd: 2}}]}"
    )
    found = [each.removeprefix(BEGIN).partition(":")[0] for each in _loaded(mention).warnings]
    assert found == [
        ".params.odd",
        ".params.labelSelector",
        ".instances[0].params.threshold",
        ".instances[1].params.odd",
        # Neither gathers.
        ".params.action",
        ".params.action",
    ]


def test_the_document_s_start_and_stop_are_known_to_all() -> None:
    text = "{method: PodStartupLatencyValidator, identifier: p, params: {start: true}}"
    both = f"{text}, {text.replace('start: true', 'stop: true')}"
    assert _loaded(both, is_strict=True).warnings == ()


def _actions(method: str, *actions: str, params: str = "") -> str:
    return ", ".join(
        f"{{method: {method}, identifier: i, params: {{action: {action}{params}}}}}"
        for action in actions
    )


@pytest.mark.parametrize(
    "method",
    [
        "PodStartupLatency", "JobLifecycleLatency", "ResourceClaimAllocationLatency",
        "SchedulingThroughput", "NodeHealthTracker", "ProfileGatherer", "ChaosMonkey",
    ],
)  # fmt: skip
def test_what_gathers_twice_has_to_be_started_twice(method: str) -> None:
    [failure] = _loaded(_actions(method, "start", "gather", "gather")).failures
    assert failure.startswith("main.yaml: steps[0].measurements[2].params.action: ")
    assert f"{method} - i gathers again and was not started again" in failure
    assert _loaded(_actions(method, "start", "gather", "start", "gather")).failures == ()


def test_timers_are_stopped_once_each() -> None:
    mentions = _actions("Timer", "start", "stop", "stop", params=", label: a")
    [failure] = _loaded(mentions).failures
    assert "Timer - i stops 'a' again and was not started again" in failure


@pytest.mark.parametrize("method", ["APIResponsivenessPrometheus", "EtcdMetrics", "TestMetrics"])
def test_others_can_gather_again(method: str) -> None:
    assert _loaded(_actions(method, "start", "gather", "gather"), is_strict=True).warnings == ()


@pytest.mark.parametrize("method", ["SLOMeasurement", "ProfileGatherer"])
def test_nothing_is_gathered_that_is_not_started(method: str) -> None:
    [failure] = _loaded(_actions(method, "gather")).failures
    assert f"{method} - i gathers and was not started" in failure


@pytest.mark.parametrize("method", ["PodStartupLatency", "TestMetrics", "EtcdMetrics"])
def test_what_is_started_and_never_gathers_is_odd(method: str) -> None:
    found = _loaded(_actions(method, "start"))
    assert found.failures == ()
    [warning] = found.warnings
    assert warning == (
        f"{BEGIN}.params.action: {method} - i is started and reports nothing "
        "(add a later step with the action gather)"
    )
    with pytest.raises(InvalidConfig):
        _loaded(_actions(method, "start"), is_strict=True)


@pytest.mark.parametrize("method", ["ChaosMonkey", "Sleep"])
def test_what_acts_need_not_report(method: str) -> None:
    params = ", duration: 1s" if method == "Sleep" else ""
    assert "reports" not in str(_loaded(_actions(method, "start", params=params)).warnings)


def test_the_documents_gatherer_has_a_default() -> None:
    mentions = _actions("ProfileGatherer", "start", "gather")
    assert _loaded(mentions, is_strict=True).warnings == ()


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("WaitForNodes", "minDesiredNodeCount: 1, maxDesiredNodeCount: 2, timeout: 20s"),
        ("WaitForRunningPods", "desiredPodCount: 1, timeout: 4s"),
    ],
)
def test_a_wait_that_ends_before_its_first_check_is_told(method: str, params: str) -> None:
    [failure] = _loaded(f"{{method: {method}, identifier: i, params: {{{params}}}}}").failures
    assert failure.startswith(f"{BEGIN}.params.timeout: ")
    assert "nothing is checked before (make it longer than the refreshInterval, " in failure
    quick = f"{{method: {method}, identifier: i, params: {{{params}, refreshInterval: 1s}}}}"
    assert _loaded(quick).failures == ()


@pytest.mark.parametrize(
    ("method", "switch"),
    [
        ("ClusterOOMsTracker", "clusterOOMsTrackerEnabled"),
        ("SystemPodMetrics", "systemPodMetricsEnabled"),
    ],
)
def test_what_is_switched_off_need_not_be_started(method: str, switch: str) -> None:
    assert _loaded(_actions(method, "gather"), is_strict=True).warnings == ()
    assert _loaded(_actions(method, "start"), is_strict=True).warnings == ()
    is_on = f", {switch}: true"
    [failure] = _loaded(_actions(method, "gather", params=is_on)).failures
    assert f"{method} - i gathers and was not started" in failure
    assert _loaded(_actions(method, "start", "gather", params=is_on)).failures == ()


@pytest.mark.parametrize("method", ["APIResponsivenessPrometheus", "APIResponsiveness"])
def test_a_misspelt_key_of_a_custom_threshold_is_odd(method: str) -> None:
    thresholds = "[{verb: PUT, threshold: 5s}, {vreb: PUT, threshold: 5s}]"
    mentions = _actions(method, "start", "gather", params=f', customThresholds: "{thresholds}"')
    said = "params.customThresholds[1].vreb: unknown parameter (did you mean 'verb'?)"
    begin = "main.yaml: steps[0].measurements"
    assert _loaded(mentions).warnings == (f"{begin}[0].{said}", f"{begin}[1].{said}")
