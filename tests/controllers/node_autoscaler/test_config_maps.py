"""The ConfigMaps of the autoscaler: its status, and the priorities of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import yaml_documents
from tests.controllers.node_autoscaler.clusters import make_group, make_web, staged, target

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage

_CONFIG_MAP = ("v1", "ConfigMap")
_STATUS = "cluster-autoscaler-status"
_PRIORITIES = "cluster-autoscaler-priority-expander"
_UNREADABLE = "Can't parse YAML with priorities in the configmap: "
_UNSUITABLE = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal"


def _status(stage: Stage) -> Any:
    found = stage.store.get(_CONFIG_MAP, _STATUS, "kube-system")
    (status,) = yaml_documents.values(found["data"]["status"], None)
    return status


def _priorities(text: str | None) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": _PRIORITIES, "namespace": "kube-system"},
        "data": {} if text is None else {"priorities": text},
    }


def _warnings(stage: Stage) -> list[str]:
    return [
        each["message"]
        for each in stage.store.list(("v1", "Event")).items
        if each["involvedObject"]["name"] == _PRIORITIES
    ]


def test_the_status_has_the_cluster_and_each_group() -> None:
    stage = staged(make_group(), make_web(6))
    stage.run("11s")
    status = _status(stage)
    assert status["autoscalerStatus"] == "Running"
    assert status["clusterWide"]["scaleUp"]["status"] == "InProgress"
    (group,) = status["nodeGroups"]
    assert (group["name"], group["scaleUp"]["status"]) == ("pool", "InProgress")
    assert group["health"]["cloudProviderTarget"] == 2
    stage.run("2m")
    (group,) = _status(stage)["nodeGroups"]
    assert group["health"]["nodeCounts"]["registered"]["ready"] == 2
    assert group["scaleUp"]["status"] == "NoActivity"


def test_the_status_says_why_a_group_is_left_alone() -> None:
    stage = staged(make_group(available=0, shortage="error"), make_web(1))
    stage.run("25s")
    (group,) = _status(stage)["nodeGroups"]
    assert group["scaleUp"]["status"] == "Backoff"
    assert group["scaleUp"]["backoffInfo"] == {
        "errorCode": "STOCKOUT",
        "errorMessage": "no machines are available",
    }


def test_the_status_is_written_when_it_changes_and_only_if_it_is_to_be() -> None:
    stage = staged(make_group(initialSize=1, minSize=1))
    stage.run("2m")
    version = stage.store.get(_CONFIG_MAP, _STATUS, "kube-system")["metadata"]["resourceVersion"]
    stage.run("20m")
    after = stage.store.get(_CONFIG_MAP, _STATUS, "kube-system")["metadata"]["resourceVersion"]
    assert version == after
    silent = staged(make_group(initialSize=1), write_status_configmap=False)
    silent.run("2m")
    assert f"kube-system/{_STATUS}" not in silent.store.read(_CONFIG_MAP)


def test_priorities_of_a_config_map_go_before_those_of_groups() -> None:
    groups = [make_group("spot-a", priority=1), make_group("ondemand", priority=9)]
    text = "10:\n- .*ondemand.*\n50:\n- ^spot\n"
    stage = staged(*groups, _priorities(text), make_web(1), expander="priority")
    stage.run("11s")
    assert (target(stage, "spot-a"), target(stage, "ondemand")) == (1, 0)
    assert _warnings(stage) == []


def test_groups_that_no_pattern_matches_are_left_out_and_reported() -> None:
    groups = [make_group("big", cpu="64"), make_group("spot")]
    stage = staged(*groups, _priorities("10: [spot]\n"), make_web(1), expander="priority")
    stage.run("11s")
    assert (target(stage, "big"), target(stage, "spot")) == (0, 1)
    (warning,) = _warnings(stage)
    assert warning == (
        "Priority expander: node group big not found in priority expander configuration. "
        "The group won't be used."
    )


def test_numbers_and_booleans_are_patterns_too() -> None:
    groups = [make_group("pool-5"), make_group("true"), make_group("v1-5"), make_group("none")]
    for number, group in enumerate(groups[:3]):
        text = f"10: [5, nothing]\n20: {['[]', '[true]', '[1.5]'][number]}\n"
        stage = staged(*groups, _priorities(text), make_web(1), expander="priority")
        stage.run("11s")
        assert target(stage, group["metadata"]["name"]) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "not yaml: [",
            (
                f"{_UNREADABLE}error converting YAML to JSON: yaml: line 1: "
                "did not find expected node content"
            ),
        ),
        ("just text", f"{_UNREADABLE}{_UNSUITABLE} string into Go value of type map[int][]string"),
        ("5: here\n", f"{_UNREADABLE}{_UNSUITABLE} string into Go value of type []string"),
        ("5: [[]]\n", f"{_UNREADABLE}{_UNSUITABLE} array into Go value of type string"),
        ("high: [spot]\n", f"{_UNREADABLE}{_UNSUITABLE} number high into Go value of type int"),
        (
            "5: ['(']\n",
            (
                "Can't compile regexp rule for priority 5 and rule (: error parsing regexp: "
                "missing closing ): `(`"
            ),
        ),
        (
            "",
            (
                f"priority configuration in {_PRIORITIES} configmap is empty; please provide valid "
                "configuration"
            ),
        ),
    ],
)
def test_a_config_map_that_makes_no_sense_filters_nothing(text: str, problem: str) -> None:
    stage = staged(make_group(), _priorities(text), make_web(1), expander="priority")
    stage.run("11s")
    assert _warnings(stage) == [
        f"Wrong configuration for priority expander: {problem}. Ignoring update."
    ]
    assert target(stage) == 1


def test_a_config_map_without_priorities_filters_nothing() -> None:
    stage = staged(make_group(), _priorities(None), make_web(1), expander="priority")
    stage.run("11s")
    (warning,) = _warnings(stage)
    assert "doesn't contain priorities key" in warning
    assert target(stage) == 1
