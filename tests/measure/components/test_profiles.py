"""Profiles are taken every five minutes where somebody hands them out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubestage.cluster.access import Page
from tests.measure.components.measured import Measured, document

HEAP = "/debug/pprof/heap?debug=1"
BLOCK = "/debug/pprof/block?debug=1"
API_SERVER: dict[str, Any] = {"componentName": "kube-apiserver"}


def test_one_is_taken_every_five_minutes() -> None:
    measured = Measured("MemoryProfile", is_stage=False)
    measured.cluster.pages[HEAP] = Page(200, "heap profile")
    measured.perform("start", **API_SERVER)
    measured.cluster.moments.run(700)
    outcome = measured.perform("gather", **API_SERVER)
    assert [(each.name, each.ext, each.content) for each in outcome.summaries] == [
        ("master_kube-apiserver_MemoryProfile", "pprof", "heap profile")
    ] * 2


def test_a_short_test_has_one_as_well() -> None:
    measured = Measured("BlockProfile", is_stage=False)
    measured.cluster.pages[BLOCK] = Page(200, "contention")
    measured.perform("start", **API_SERVER)
    assert len(measured.perform("gather", **API_SERVER).summaries) == 1


def test_it_is_skipped_where_nobody_hands_it_out() -> None:
    measured = Measured("MemoryProfile", is_stage=False)
    measured.perform("start", **API_SERVER)
    measured.cluster.moments.run(600)
    assert "answered 404" in measured.perform("gather", **API_SERVER).skipped


@pytest.mark.parametrize(
    ("method", "component", "is_stage", "word"),
    [
        ("MemoryProfile", "etcd", False, "SSH"),
        ("CPUProfile", "kube-apiserver", False, "SSH"),
        ("MemoryProfile", "kube-apiserver", True, "stage"),
    ],
)
def test_what_cannot_be_had_is_skipped_from_the_start(
    method: str, component: str, is_stage: bool, word: str
) -> None:
    measured = Measured(method, is_stage=is_stage)
    for action in ("start", "gather"):
        assert word in measured.perform(action, componentName=component).skipped
    assert measured.cluster.moments.pending == 0


def test_a_component_has_to_be_named() -> None:
    (error,) = Measured("MemoryProfile", is_stage=False).perform("start").errors
    assert "params.componentName" in error


def test_the_documents_gatherer_takes_two_profiles_of_the_api_server() -> None:
    measured = Measured("ProfileGatherer", is_stage=False)
    measured.cluster.pages[HEAP] = Page(200, "h")
    measured.cluster.pages[BLOCK] = Page(200, "b")
    measured.perform("start")
    measured.cluster.moments.run(301)
    assert [each.name for each in measured.perform("gather").summaries] == [
        "master_kube-apiserver_MemoryProfile",
        "master_kube-apiserver_BlockProfile",
    ]


def test_on_a_stage_it_tells_what_modelled_components_use_and_says_so() -> None:
    measured = Measured("ProfileGatherer")
    stats = {
        "name": "kube-scheduler",
        "cpu": {"usageNanoCores": 250_000_000},
        "memory": {"workingSetBytes": 1024},
    }
    pods = [{"podRef": {"name": "kube-scheduler-master"}, "containers": [stats]}]
    page = json.dumps({"node": {}, "pods": pods})
    path = "/api/v1/nodes/master/proxy/stats/summary?only_cpu_and_memory=true"
    measured.cluster.pages[path] = Page(200, page)
    measured.perform("start")
    measured.cluster.moments.run(15)
    outcome = measured.perform("gather")
    found = document(outcome)
    assert "modelled" in found["what"]
    (component,) = found["components"]
    assert component["cpuCores"] == [0.25, 0.25]
    assert component["memoryBytes"] == [1024, 1024]
    assert [series.unit for series in outcome.series] == ["cores", "bytes"]
    measured.measurements.dispose()
    assert measured.cluster.moments.pending == 0


def test_gathering_without_a_start_takes_none() -> None:
    measured = Measured("MemoryProfile", is_stage=False)
    measured.cluster.pages[HEAP] = Page(200, "h")
    assert not measured.perform("gather", **API_SERVER).summaries


def test_none_is_taken_after_the_end() -> None:
    measured = Measured("ProfileGatherer", is_stage=False)
    measured.perform("start")
    assert measured.cluster.moments.pending
    measured.measurements.dispose()
    assert measured.cluster.moments.pending == 0
