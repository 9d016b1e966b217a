"""Tuning sets."""

from __future__ import annotations

import pytest

from kubestage.clusterloader import config
from tests.clusterloader.configurations import loaded, phase, problems

STEPS = f"steps:\n- phases: [{phase(1)}]\n"


def _tuning_set(text: str) -> config.TuningSet:
    return loaded(f"{STEPS}tuningSets: [{{name: Fast, {text}}}]").config.tuning_sets[0]


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("qpsLoad: {qps: 2.5}", config.QpsLoad(2.5)),
        ("QpsLoad: {Qps: 2}", config.QpsLoad(2)),
        ("randomizedLoad: {averageQps: 2}", config.RandomizedLoad(2)),
        ("steppedLoad: {burstSize: 5, stepDelay: 1s}", config.SteppedLoad(5, 10**9)),
        ("timeLimitedLoad: {timeLimit: 1m}", config.TimeLimitedLoad(60 * 10**9)),
        (
            "RandomizedTimeLimitedLoad: {timeLimit: 1ms}",
            config.RandomizedTimeLimitedLoad(10**6),
        ),
        ("parallelismLimitedLoad: {parallelismLimit: 3}", config.ParallelismLimitedLoad(3)),
        ("globalQPSLoad: {qps: 10, burst: 1}", config.GlobalQpsLoad(10, 1)),
        ("poissonLoad: {expectedActionsPerSecond: 4}", config.PoissonLoad(4)),
        ("qpsLoad: {qps: 1}, randomizedLoad: null", config.QpsLoad(1)),
    ],
)
def test_each_kind_of_load_is_read(text: str, load: config.Load) -> None:
    assert _tuning_set(text).load == load


def test_the_delay_before_the_first_action_is_kept() -> None:
    assert _tuning_set("initialDelay: 1.5s, qpsLoad: {qps: 1}").initial_delay_ns == 1_500_000_000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("initialDelay: 1s", "tuningSets[0]: must specify exactly 1 tuning set type, found none"),
        (
            "qpsLoad: {qps: 1}, poissonLoad: {expectedActionsPerSecond: 1}",
            "tuningSets[0]: must specify exactly 1 tuning set type, found qpsLoad, poissonLoad",
        ),
        ("qpsLoad: {qps: 0}", "tuningSets[0].qpsLoad.qps: must have positive value"),
        ("qpsLoad: {}", "tuningSets[0].qpsLoad.qps: must have positive value"),
        ("qpsLoad: {qps: x}", "tuningSets[0].qpsLoad.qps: expected a number, found text"),
        ("qpsLoad: 5", "tuningSets[0].qpsLoad: expected a map, found the number 5"),
        (
            "steppedLoad: {burstSize: -1, stepDelay: 1s}",
            "tuningSets[0].steppedLoad.burstSize: must have positive value",
        ),
        (
            "timeLimitedLoad: {timeLimit: 0s}",
            "tuningSets[0].timeLimitedLoad.timeLimit: must have positive value (it may come",
        ),
        (
            "randomizedTimeLimitedLoad: {}",
            "tuningSets[0].randomizedTimeLimitedLoad.timeLimit: must have positive value",
        ),
        ("globalQPSLoad: {qps: 1}", "tuningSets[0].globalQPSLoad.burst: must have positive value"),
        (
            "initialDelay: -1s, qpsLoad: {qps: 1}",
            "tuningSets[0].initialDelay: must be non-negative",
        ),
    ],
)
def test_exactly_one_load_with_positive_values_is_required(text: str, problem: str) -> None:
    said = problems(f"{STEPS}tuningSets: [{{name: Fast, {text}}}]")
    assert said[0].startswith(f"main.yaml: {problem}")


def test_of_tuning_sets_with_one_name_the_last_counts_and_it_is_told() -> None:
    one = "{name: Fast, qpsLoad: {qps: 1}}"
    text = f"{STEPS}tuningSets: [{one}, {one}]"
    (said,) = loaded(text).warnings
    assert said.startswith("main.yaml: tuningSets[0].name: 'Fast' is the name of 2 tuning sets")
    (strictly,) = problems(text, is_strict=True)
    assert strictly == said
