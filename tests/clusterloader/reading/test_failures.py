"""What will fail a step is found before the load runs, and refuses it only where it is strict."""

from __future__ import annotations

import random

import pytest

from kubestage.clusterloader.config_loading import LoadedConfig, Parameters, load
from kubestage.clusterloader.files import Texts
from kubestage.clusterloader.reading.problems import InvalidConfig
from kubestage.measure.registry import Registry

PHASE = (
    "- phases: [{replicasPerNamespace: 1, tuningSet: U, namespaceRange: {min: %s, max: %s%s}, "
    "objectBundle: [{basename: a, objectTemplatePath: o.yaml}]}]\n"
)
TUNING = "tuningSets: [{name: U, qpsLoad: {qps: 1}}]\n"


def _loaded(steps: str, obj: str = "apiVersion: v1\nkind: Pod\n", **given: bool) -> LoadedConfig:
    texts = Texts({"main.yaml": f"{TUNING}steps:\n{steps}", "o.yaml": obj})
    chance = random.Random(1)
    return load("main.yaml", texts, Parameters(nodes=2), methods=Registry(), random=chance, **given)


def _mention(method: str, params: str, identifier: str = "x") -> str:
    return f"- measurements: [{{method: {method}, identifier: {identifier}, params: {params}}}]\n"


WRONG = {
    "action": (
        _mention("PodStartupLatency", "{action: begin}"),
        "steps[0].measurements[0].params.action: unknown action 'begin' (use start or gather)",
    ),
    "no action": (
        _mention("APIAvailability", "{pollFrequency: 5s}"),
        "params.action: no action (use start, pause, unpause or gather)",
    ),
    "document": (
        _mention("PodStartupLatency", "{stop: true}"),
        "params.stop: PodStartupLatency - x gathers and was not started",
    ),
    "other identifier": (
        _mention("PodStartupLatency", "{action: start}", "y")
        + _mention("PodStartupLatency", "{action: gather}"),
        "steps[1].measurements[0].params.action: PodStartupLatency - x gathers and was not started",
    ),
    "selector": (
        _mention("PodStartupLatency", "{action: start, labelSelector: a in (}"),
        "params.labelSelector: 'a in (': unable to parse requirement",
    ),
    "field selector": (
        _mention("WaitForRunningPods", "{desiredPodCount: 1, fieldSelector: a}"),
        "params.fieldSelector: 'a': ",
    ),
    "threshold": (
        _mention("PodStartupLatency", "{action: start, perc99Threshold: -5s}"),
        "params.perc99Threshold: -5s: a threshold is not negative",
    ),
    "low threshold": (
        _mention("SchedulingThroughput", "{action: start, threshold: -1.5}"),
        "params.threshold: -1.5: a threshold is not negative",
    ),
    "text threshold": (
        _mention("APIResponsiveness", "{action: start, singleResourceThreshold: 5}"),
        "params.singleResourceThreshold: ",
    ),
    "kind": (
        _mention("WaitForControlledPodsRunning", "{action: start, apiVersion: v1, kind: Job}"),
        "params.kind: v1 has no kind 'Job' (did you mean apiVersion batch/v1?)",
    ),
    "far": (PHASE % (1, 3, ""), "namespaceRange.max: 3: the load has 1 namespace"),
    "zero": (PHASE % (0, 1, ""), "namespaceRange.min: 0: the load has 1 namespace"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_will_fail_is_found(name: str) -> None:
    steps, expected = WRONG[name]
    found = _loaded(steps)
    assert len(found.failures) == 1
    assert found.failures[0].startswith("main.yaml: steps")
    assert expected in found.failures[0]
    assert found.failures[0] in found.warnings
    with pytest.raises(InvalidConfig):
        _loaded(steps, is_strict=True)


@pytest.mark.parametrize(
    "steps",
    [
        PHASE % (0, 9, ", basename: own"),
        _mention("MetricsForE2E", "{action: gather}"),
        _mention("Timer", "{action: stop, label: a}"),
        _mention("DnsLookupLatency", "{action: anything}"),
        _mention("PodStartupLatency", "{start: true}")
        + _mention("PodStartupLatency", "{stop: true}"),
        _mention("APIResponsiveness", "{action: reset}")
        + _mention("APIResponsiveness", "{action: gather}"),
        _mention("WaitForControlledPodsRunning", "{action: start, apiVersion: x.io/v1, kind: Own}"),
    ],
)
def test_what_may_work_is_not_refused(steps: str) -> None:
    assert _loaded(steps).failures == ()


@pytest.mark.parametrize(
    ("obj", "fix", "is_failure"),
    [
        ("apiVersion: apps/v1\nkind: Deploymnt\n", "did you mean 'Deployment'?", True),
        ("apiVersion: v1\nkind: Deployment\n", "did you mean apiVersion apps/v1?", True),
        ("apiVersion: apps/v1beta2\nkind: Deployment\n", "it is in apps/v1", False),
        ("apiVersion: own.io/v1\nkind: Deploymnt\n", "", False),
    ],
)
def test_kinds_of_objects_are_checked(obj: str, fix: str, is_failure: bool) -> None:
    found = _loaded(PHASE % (1, 1, ""), obj)
    assert bool(found.failures) is is_failure
    assert bool(found.warnings) is bool(fix)
    assert not fix or fix in found.warnings[0]


def test_a_variable_without_a_value_is_a_warning() -> None:
    steps = _mention("Sleep", "{duration: 1s}", "nap-{{.Nope}}")
    assert _loaded(steps).warnings == (
        (
            "main.yaml: steps[0].measurements[0].identifier: a variable in it has no value "
            "(set the variable by --testoverrides, or write DefaultParam)"
        ),
    )


def test_parameters_are_as_they_are_written() -> None:
    [mention] = (
        _loaded(_mention("DnsLookupLatency", "{count: 3, Deep: [1, {x: 2}]}"))
        .config.steps[0]
        .measurements
    )
    assert mention.params == {"count": 3, "Deep": [1, {"x": 2}]}
    assert isinstance(mention.params["count"], int)
