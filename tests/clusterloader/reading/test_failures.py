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


GENERIC = (
    "{objectGroup: '', objectVersion: v1, minDesiredObjectCount: 1, "
    "successfulConditions: [Ready=True], objectResource: %s}"
)
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
    "no label": (_mention("Timer", "{action: start}"), "params.label: label is missing"),
    "label without start": (
        _mention("Timer", "{action: start, label: a}")
        + _mention("Timer", "{action: stop, label: b}"),
        "steps[1].measurements[0].params.action: Timer - x stops 'b' and was not started",
    ),
    "no command": (
        _mention("Exec", "{timeout: 1s}"),
        "params.command: command is a required argument. Got empty slice instead",
    ),
    "no attempt": (
        _mention("Exec", "{command: [ls], retries: 0}"),
        "params.retries: 0 is less than one",
    ),
    "no frequency": (
        _mention("APIAvailability", "{action: start}"),
        "params.pollFrequency: the time between two questions is missing",
    ),
    "no component": (_mention("CPUProfile", "{action: start}"), "params.componentName: missing"),
    "no kind": (
        _mention("WaitForControlledPodsRunning", "{action: start, apiVersion: apps/v1}"),
        "params.kind: kind is missing",
    ),
    "no end": (
        _mention(
            "WaitForGenericK8sObjects",
            "{objectGroup: '', objectVersion: v1, objectResource: pods, namespaceRange: {min: 1}, "
            "successfulConditions: [Ready=True], minDesiredObjectCount: 1}",
        ),
        "params.namespaceRange: min and max are missing",
    ),
    "far objects": (
        _mention("WaitForGenericK8sObjects", GENERIC % "pods, namespaceRange: {min: 1, max: 2}"),
        "params.namespaceRange.max: 2: the load has 1 namespace, numbered from 1",
    ),
    "resource": (
        _mention("WaitForGenericK8sObjects", GENERIC % "podz"),
        "params.objectResource: v1 has no resource 'podz' (did you mean 'pods'?)",
    ),
    "condition": (
        _mention("WaitForGenericK8sObjects", GENERIC % "pods, failedConditions: [Failed]"),
        "params.failedConditions[0]: 'Failed' has no status, and is never met (write Failed=True)",
    ),
    "query": (
        _mention(
            "GenericPrometheusQuery",
            "{action: start, metricName: a, metricVersion: v1, unit: s, "
            "queries: [{name: b, query: 'rate(a[%v)'}]}",
        ),
        'params.queries[0].query: 1:10: parse error: unexpected ")" in range selector',
    ),
    "no metric": (
        _mention("GenericPrometheusQuery", "{action: start, metricVersion: v1, unit: s}"),
        "params.metricName: metricName is required",
    ),
    "no query": (
        _mention(
            "GenericPrometheusQuery",
            "{action: start, metricName: a, metricVersion: v1, unit: s, queries: [{name: b}]}",
        ),
        "params.queries[0].query: params.queries[0] validation failed: query is required",
    ),
    "no threshold": (
        _mention("NetworkProgrammingLatency", "{action: start}"),
        "params.threshold: threshold is required",
    ),
    "client": (
        _mention("APIResponsivenessPrometheus", "{action: start, prometheusClient: other}"),
        "params.prometheusClient: unknown Prometheus client (use inCluster or managed)",
    ),
    "share": (
        _mention("ChaosMonkey", "{action: start, failureRate: 1.5}"),
        "params.failureRate: 1.5 is not a share of the nodes",
    ),
    "monkey": (
        _mention("ChaosMonkey", "{action: stop}"),
        "params.action: ChaosMonkey - x stops and was not started",
    ),
    "interval": (
        _mention("SchedulingThroughput", "{action: start, measurmentInterval: 1us}"),
        "params.measurmentInterval: the interval is too short",
    ),
    "count": (
        _mention("WaitForRunningPods", "{desiredPodCount: -1}"),
        "params.desiredPodCount: -1: a number of objects is not negative",
    ),
    "bounds": (
        _mention("WaitForNodes", "{minDesiredNodeCount: 3, maxDesiredNodeCount: 2}"),
        "params.maxDesiredNodeCount: no number is from 3 to 2 (raise it)",
    ),
    "restarts": (
        _mention(
            "SystemPodMetrics",
            "{action: start, systemPodMetricsEnabled: true, restartCountThresholdOverrides: '- a'}",
        ),
        "params.restartCountThresholdOverrides: no map of containers to numbers",
    ),
    "constraints": (
        _mention("ResourceUsageSummary", "{action: start, resourceConstraints: nope.yaml}"),
        "params.resourceConstraints: 'nope.yaml': file must exist",
    ),
    "part of a bundle": (
        _mention("TestMetrics", "{action: start, restartCountThresholdOverrides: '- a'}"),
        "params.restartCountThresholdOverrides: no map of containers to numbers",
    ),
    "type in a part": (
        _mention("TestMetrics", "{action: start, enableRestartCountCheck: perhaps}"),
        "params.enableRestartCountCheck: ",
    ),
    "file of a part": (
        _mention("TestMetrics", "{action: start, resourceConstraints: nope.yaml}"),
        "params.resourceConstraints: 'nope.yaml': file must exist",
    ),
    "overrides": (
        _mention("SLOMeasurement", "{action: start, overrides: 3}"),
        "params.overrides: no map of parameters",
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
        _mention("WaitForGenericK8sObjects", GENERIC % "pods, namespaceRange: {min: 1, max: 1}"),
        _mention(
            "GenericPrometheusQuery",
            "{action: start, metricName: a, metricVersion: v1, unit: s, "
            "queries: [{name: b, query: 'sum(newer(a[%v]))'}]}",
        ),
        _mention("Timer", "{action: start, label: a}")
        + _mention("Timer", "{action: stop, label: a}"),
        _mention("ResourceUsageSummary", "{action: start, resourceConstraints: o.yaml}"),
        _mention("ContainerRestarts", "{action: start, customAllowedRestarts: '- pod: web-('}"),
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


@pytest.mark.parametrize(("most", "is_failure"), [(1, False), (2, True)])
def test_namespaces_that_the_load_makes_itself_are_counted(most: int, is_failure: bool) -> None:
    own = "- phases: [{replicasPerNamespace: %s, tuningSet: U, objectBundle: [%s]}]\n"
    bundle = "{basename: mine, objectTemplatePath: o.yaml}"
    steps = own % (2, bundle) + PHASE % (0, most, ", basename: mine") + own % (0, bundle)
    found = _loaded(steps, "apiVersion: v1\nkind: Namespace\n").failures
    assert bool(found) is is_failure
    expected = (
        "namespaceRange.max: 2: the load makes 2 namespaces of this basename, numbered from 0"
    )
    assert not found or expected in found[0]


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


def test_all_parameters_that_cannot_be_read_are_found() -> None:
    params = "{desiredPodCount: many, timeout: long, labelSelector: 'a in (', refreshInterval: 1s}"
    found = _loaded(_mention("WaitForRunningPods", params)).failures
    assert [each.partition("params.")[2].partition(":")[0] for each in found] == [
        "desiredPodCount",
        "timeout",
    ]
    params = "{desiredPodCount: 1, timeout: long, labelSelector: 'a in ('}"
    found = _loaded(_mention("WaitForRunningPods", params)).failures
    assert [each.partition("params.")[2].partition(":")[0] for each in found] == [
        "timeout",
        "labelSelector",
    ]


GATHERED = {
    "ContainerRestarts": (
        "{customAllowedRestarts: '- pod: web-('%s}",
        "customAllowedRestarts[0].pod",
    ),
    "APIResponsiveness": ("{customThresholds: '- verb: PUT'%s}", "customThresholds[0].threshold"),
    "APIResponsivenessPrometheus": (
        "{customThresholds: '{'%s}",
        "customThresholds: no YAML",
    ),
}


@pytest.mark.parametrize("method", GATHERED)
def test_what_gathering_reads_is_checked_there(method: str) -> None:
    params, expected = GATHERED[method]
    steps = _mention(method, params % ", action: start") + _mention(
        method, params % ", action: gather"
    )
    [failure] = _loaded(steps).failures
    assert failure.startswith(f"main.yaml: steps[1].measurements[0].params.{expected}")


def test_a_parameter_that_no_part_knows_is_a_warning() -> None:
    steps = _mention("TestMetrics", "{action: start, systemPodMetricsEnable: true}")
    found = _loaded(steps + _mention("TestMetrics", "{action: gather}"))
    assert found.failures == ()
    assert found.warnings == (
        (
            "main.yaml: steps[0].measurements[0].params.systemPodMetricsEnable: unknown parameter "
            "(did you mean 'systemPodMetricsEnabled'?)"
        ),
    )


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
