"""Results on pods as kube-scheduler-simulator writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubestage import Stage
from kubestage.objects.validation import metadata
from kubestage.scenario import kss_annotations
from kubestage.scenario.kss_annotations import HISTORY, LEFT_OUT, PREFIX, SELECTED
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, scenario

POD = ("v1", "Pod")
KEYS = {
    "bind-result", "filter-result", "finalscore-result", "permit-result", "permit-result-timeout",
    "postfilter-result", "prebind-result", "prefilter-result", "prefilter-result-status",
    "prescore-result", "reserve-result", "result-history", "score-result", "selected-node",
}  # fmt: skip


def _living(nodes: int = 3) -> Stage:
    stage = Stage(seed=1)
    stage.annotates_results = True
    stage.add_scheduler()
    stage.add_controllers()
    for number in range(nodes):
        stage.store.create(make_node(f"n{number:03}", cpu="2"))
    return stage


def _annotations(stage: Stage, name: str) -> dict[str, str]:
    found: dict[str, str] = stage.store.get(POD, name)["metadata"]["annotations"]
    return found


def _value(annotations: dict[str, str], name: str) -> Any:
    return json.loads(annotations[PREFIX + name])


def test_a_scheduled_pod_tells_every_extension_point() -> None:
    stage = _living()
    stage.store.create(make_pod("web", cpu="1"))
    stage.run("1m")
    found = _annotations(stage, "web")
    assert {key.removeprefix(PREFIX) for key in found} == KEYS
    node = stage.store.get(POD, "web")["spec"]["nodeName"]
    assert found[SELECTED] == node
    verdicts = _value(found, "filter-result")
    assert set(verdicts) == {"n000", "n001", "n002"}
    assert verdicts[node]["NodeResourcesFit"] == "passed"
    assert _value(found, "prefilter-result-status")["NodeResourcesFit"] == "success"
    # A plugin that has nothing to do with the pod says nothing.
    assert _value(found, "prefilter-result-status")["NodePorts"] == ""
    scores, final = _value(found, "score-result"), _value(found, "finalscore-result")
    assert set(scores) == set(final) == set(verdicts)
    assert all(int(each) >= 0 for by_plugin in scores.values() for each in by_plugin.values())
    # Weights count in the final score.
    assert final[node]["TaintToleration"] == "300"
    assert _value(found, "bind-result") == {"DefaultBinder": "success"}
    assert _value(found, "reserve-result")["VolumeBinding"] == "success"
    assert _value(found, "postfilter-result") == {}
    (only,) = _value(found, "result-history")
    assert only == {key: value for key, value in found.items() if key != HISTORY}


def test_a_pending_pod_tells_why_and_is_not_written_again_for_the_same_reason() -> None:
    stage = _living()
    stage.store.create(make_pod("big", cpu="9"))
    stage.run("1s")
    before = stage.store.get(POD, "big")
    found = _annotations(stage, "big")
    assert found[SELECTED] == ""
    assert _value(found, "filter-result")["n000"]["NodeResourcesFit"] == "Insufficient cpu"
    assert _value(found, "score-result") == _value(found, "bind-result") == {}
    stage.run("20m")
    assert stage.scheduler is not None
    assert stage.store.get(POD, "big") is before


def test_the_history_has_one_result_after_the_other() -> None:
    stage = _living()
    stage.store.create(make_pod("big", cpu="9"))
    stage.run("1s")
    first = {key: value for key, value in _annotations(stage, "big").items() if key != HISTORY}
    stage.store.create(make_node("large", cpu="16"))
    stage.run("1m")
    found = _annotations(stage, "big")
    assert found[SELECTED] == "large"
    history = _value(found, "result-history")
    assert [each[SELECTED] for each in history] == ["", "large"]
    assert history[0] == first


def test_preemption_names_the_node_that_was_nominated() -> None:
    stage = _living(2)
    for number in range(2):
        stage.store.create(make_pod(f"weak-{number}", cpu="2"))
    stage.run("1m")
    pod = make_pod("strong", cpu="2")
    pod["spec"]["priorityClassName"] = "system-cluster-critical"
    pod["metadata"]["namespace"] = "kube-system"
    stage.store.create(pod)
    stage.run("2m")
    strong = stage.store.get(POD, "strong", "kube-system")["metadata"]["annotations"]
    history = json.loads(strong[HISTORY])
    nominated = json.loads(history[0][f"{PREFIX}postfilter-result"])
    assert {"DefaultPreemption": "preemption victim"} in nominated.values()
    assert set(nominated) == {"n000", "n001"}
    assert history[-1][SELECTED] in nominated


def test_placements_are_the_same_with_and_without() -> None:
    events = [create(make_node(f"n{number}", cpu="4")) for number in range(3)]
    events += [create(make_pod(f"p{number}", cpu="1500m"), 1) for number in range(8)]
    placed = []
    for is_wanted in (False, True):
        stage = Stage(seed=4)
        stage.annotates_results = is_wanted
        stage.add_scheduler()
        stage.add_controllers()
        stage.store.create(scenario(*events, done(2)))
        stage.run_scenarios()
        assert building.status(stage)["phase"] == "Succeeded"
        pods = stage.store.list(POD).items
        placed.append({each["metadata"]["name"]: each["spec"].get("nodeName") for each in pods})
        timeline = building.status(stage)["scenarioResult"]["timeline"]
        told = [each["podScheduled"]["pod"] for each in timeline["1"] if "podScheduled" in each]
        assert all(
            (SELECTED in (p["metadata"].get("annotations") or {})) is is_wanted for p in told
        )
    assert placed[0] == placed[1]


def test_it_can_be_ended_and_survives_another_configuration() -> None:
    stage = _living()
    stage.configure_scheduler()
    stage.store.create(make_pod("first", cpu="100m"))
    stage.run("1s")
    assert _annotations(stage, "first")[SELECTED]
    stage.annotates_results = False
    stage.store.create(make_pod("second", cpu="100m"))
    stage.run("1s")
    assert "annotations" not in stage.store.get(POD, "second")["metadata"]


def _result(size: int, mark: str = "x") -> dict[str, str]:
    return {f"{PREFIX}filter-result": mark * size, f"{PREFIX}score-result": "{}", SELECTED: "n1"}


def _check(annotations: dict[str, str]) -> None:
    assert metadata.validate_annotations(annotations, "metadata.annotations") == []


def test_the_oldest_results_make_room_first() -> None:
    annotations: dict[str, str] = {"mine": "y" * 1000}
    for number in range(20):
        annotations = kss_annotations.annotated(annotations, _result(20_000, chr(97 + number)))
        _check(annotations)
    history = json.loads(annotations[HISTORY])
    assert 5 < len(history) < 13
    assert history[-1] == _result(20_000, "t")
    assert [each[f"{PREFIX}filter-result"][0] for each in history] == sorted(
        each[f"{PREFIX}filter-result"][0] for each in history
    )
    assert LEFT_OUT not in annotations
    assert annotations["mine"] == "y" * 1000


def test_what_there_is_no_room_for_is_left_out_as_a_whole_and_told() -> None:
    found = kss_annotations.annotated({"mine": "y"}, _result(200_000))
    _check(found)
    assert json.loads(found[LEFT_OUT]) == [HISTORY]
    assert found[f"{PREFIX}filter-result"] == "x" * 200_000
    found = kss_annotations.annotated(found, _result(300_000))
    _check(found)
    assert json.loads(found[LEFT_OUT]) == [f"{PREFIX}filter-result"]
    assert found[SELECTED] == "n1"
    assert f"{PREFIX}filter-result" not in found
    # With room again all is there again.
    found = kss_annotations.annotated(found, _result(10))
    assert LEFT_OUT not in found
    assert len(json.loads(found[HISTORY])) == 2


@pytest.mark.parametrize("size", range(259_140, 262_141, 200))
def test_the_limit_is_never_exceeded(size: int) -> None:
    for others in ({}, {"mine": "y" * size}):
        found = kss_annotations.annotated(others, _result(size))
        _check(found)
        again = kss_annotations.annotated(found, _result(size))
        assert again == found
        assert {key: found[key] for key in others} == others


def test_a_history_that_somebody_broke_begins_anew() -> None:
    found = kss_annotations.annotated({HISTORY: "no json"}, _result(10))
    assert json.loads(found[HISTORY]) == [_result(10)]


def test_a_thousand_nodes_are_written_without_a_refusal() -> None:
    stage = _living(1000)
    pod = make_pod("big", cpu="9")
    pod["metadata"]["annotations"] = {"mine": "y" * 1000}
    stage.store.create(pod)
    stage.run("1s")
    found = _annotations(stage, "big")
    _check(found)
    assert json.loads(found[LEFT_OUT])[-1] == HISTORY
    assert found["mine"] == "y" * 1000
    # It can still be updated like any other.
    stage.store.patch(POD, "big", {"metadata": {"labels": {"a": "b"}}})
