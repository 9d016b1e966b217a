"""MetricsForE2E writes all numbers of the components' pages down."""

from __future__ import annotations

import pytest

from kubestage.cluster.access import Page
from kubestage.measure.components.metrics_for_e2e import KUBELET_METRICS
from tests.measure.components.measured import Measured, document, node

PODS = "/api/v1/namespaces/kube-system/pods/https:"
SCHEDULER = PODS + "kube-scheduler-{}:10259/proxy/metrics"
CONTROLLERS = PODS + "kube-controller-manager-{}:10257/proxy/metrics"


def test_numbers_are_written_as_prometheus_types_are() -> None:
    measured = Measured("MetricsForE2E", is_stage=False)
    text = '# HELP up It is.\nup{b="2",a="<1>"} 1e+06\nup 0.25\nother NaN\n'
    measured.cluster.pages["/metrics"] = Page(200, text)
    measured.cluster.put(node("n1"))
    assert measured.perform(None).summaries[0].content == (
        '{\n  "APIServerMetrics": {\n    "other": [\n      {\n        "metric": {\n'
        '          "__name__": "other"\n        },\n        "value": [\n          0,\n'
        '          "NaN"\n        ]\n      }\n    ],\n    "up": [\n      {\n'
        '        "metric": {\n          "__name__": "up",\n'
        '          "a": "\\u003c1\\u003e",\n          "b": "2"\n        },\n'
        '        "value": [\n          0,\n          "1000000"\n        ]\n      },\n'
        '      {\n        "metric": {\n          "__name__": "up"\n        },\n'
        '        "value": [\n          0,\n          "0.25"\n        ]\n      }\n    ]\n  },\n'
        '  "ControllerManagerMetrics": null,\n  "KubeletMetrics": {},\n'
        '  "SchedulerMetrics": null,\n  "ClusterAutoscalerMetrics": null\n}\n'
    )


@pytest.mark.parametrize(
    ("is_stage", "name", "master"), [(True, "n1", "master"), (False, "x-master", "x-master")]
)
def test_components_are_asked_where_a_master_is_known(
    is_stage: bool, name: str, master: str
) -> None:
    measured = Measured("MetricsForE2E", is_stage=is_stage)
    measured.cluster.put(node(name))
    measured.cluster.pages[SCHEDULER.format(master)] = Page(200, "s 1\n")
    measured.cluster.pages[CONTROLLERS.format(master)] = Page(200, "c 1\n")
    found = document(measured.perform("gather"))
    assert list(found["SchedulerMetrics"]) == ["s"]
    assert list(found["ControllerManagerMetrics"]) == ["c"]
    assert found["APIServerMetrics"] == {}


def test_a_component_without_a_page_is_an_error_and_the_rest_is_written() -> None:
    measured = Measured("MetricsForE2E", is_stage=False)
    measured.cluster.put(node("m-master"))
    measured.cluster.pages[CONTROLLERS.format("m-master")] = Page(200, "c 1\n")
    outcome = measured.perform("gather")
    (error,) = outcome.errors
    assert error == (
        f"errors while grabbing metrics: [{SCHEDULER.format('m-master')} answered 404]"
    )
    assert document(outcome)["ControllerManagerMetrics"]


def test_kubelets_are_asked_only_if_that_is_wished() -> None:
    measured = Measured("MetricsForE2E", is_stage=False)
    for name in ("n2", "n1"):
        measured.cluster.put(node(name))
        text = f"{KUBELET_METRICS[1]} 3\nelse 1\n"
        measured.cluster.pages[f"/api/v1/nodes/{name}/proxy/metrics"] = Page(200, text)
    assert document(measured.perform("gather"))["KubeletMetrics"] == {}
    kubelets = document(measured.perform("gather", gatherKubeletsMetrics=True))["KubeletMetrics"]
    assert list(kubelets) == ["n1", "n2"]
    assert list(kubelets["n1"]) == list(KUBELET_METRICS)
    assert kubelets["n1"][KUBELET_METRICS[1]][0]["value"] == [0, "3"]
    assert kubelets["n1"][KUBELET_METRICS[0]] is None


def test_there_is_nothing_to_start() -> None:
    assert not Measured("MetricsForE2E").perform("start").summaries
