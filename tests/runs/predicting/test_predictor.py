"""A scheduler works on a stage; its changes are mirrored, and each placement is predicted."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kubestage.runs.predicting import Predictor
from kubestage.scheduler import config
from kubestage.scheduler.framework import SUCCESS, Status, unschedulable
from kubestage.sources.folding import State
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod
from kubestage.units import SECOND_NS
from tests.sources.intent.recorded import Recorder

_PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}
"""


def _pod(name: str, cpu: str, **others: Any) -> dict[str, Any]:
    return make_pod(name, cpu=cpu, memory="256Mi", **others)


def _spread(app: str) -> list[dict[str, Any]]:
    return [{
        "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": app}},
    }]  # fmt: skip


def _busy(tie_break: str, seed: int, configuration: str | None = None) -> Recorder:
    """A cluster in which pods come and go, one node leaves, and others come."""
    draw = random.Random(seed)
    stage = Stage(seed)
    stage.add_scheduler(configuration, tie_break=tie_break)
    stage.add_controllers()
    nodes = [make_node(f"n{n}", zone=f"z{n % 3}", cpu=str(draw.choice((4, 8)))) for n in range(12)]
    stage.apply(nodes[:9])
    stage.run(10 * SECOND_NS)
    recorder = Recorder(stage)
    for number in range(40):
        app = draw.choice("abc")
        spread = _spread(app) if draw.random() < 0.5 else ()
        cpu = draw.choice(("250m", "500m", "1"))
        stage.apply(
            [_pod(f"p{number}", cpu, labels={"app": app}, topology_spread_constraints=spread)]
        )
        if number in (10, 20, 30):
            stage.apply([nodes[number // 10 + 8]])
            stage.store.delete(("v1", "Pod"), f"p{number - 5}", "default")
        if number == 25:
            stage.store.delete(("v1", "Node"), "n0")
        stage.run(SECOND_NS)
    return recorder


def _placements(recorder: Recorder, predictor: Predictor) -> list[tuple[str, Any]]:
    """The node that each pod got, with the prediction just before."""
    state = State(recorder.objects)
    predictor.put_all(recorder.objects)
    found = []
    for change in recorder.changes:
        before = state.get(change.reference)
        state.apply(change)
        reference = change.reference
        now = None if change.verb == "delete" else state.get(reference)
        if now is None:
            predictor.remove(
                reference.api_version, reference.kind, reference.name, reference.namespace
            )
            continue
        node = now["spec"].get("nodeName") if reference.kind == "Pod" else None
        if node and before is not None and not before["spec"].get("nodeName"):
            found.append((node, predictor.predict(before)))
        predictor.put(now)
    assert len(found) >= 40
    return found


@pytest.mark.parametrize("configuration", [None, _PACKING])
def test_the_very_node_is_predicted(configuration: str | None) -> None:
    predictor = Predictor(None if configuration is None else config.load(configuration))
    for node, prediction in _placements(_busy("heap", 1, configuration), predictor):
        assert prediction.node == node, prediction.compared_with(node)
        assert prediction.compared_with(node) == ""


@pytest.mark.parametrize("seed", range(3))
def test_with_random_ties_the_node_is_one_of_the_equally_good(seed: int) -> None:
    found = _placements(_busy("random", seed), Predictor())
    assert all(node in prediction.best for node, prediction in found)
    assert any(prediction.node != node for node, prediction in found)


def test_another_configuration_is_told_apart_and_explained() -> None:
    found = _placements(_busy("heap", 2, _PACKING), Predictor())
    missed = [(node, each) for node, each in found if node not in each.best]
    assert missed
    for node, prediction in missed:
        assert prediction.is_feasible(node)
        assert "scores" in prediction.compared_with(node)
        assert prediction.total(prediction.node) > prediction.total(node)
        assert sum(prediction.scores(node).values()) == prediction.total(node)


def test_a_rejected_node_has_its_filter() -> None:
    predictor = Predictor()
    predictor.put_all([make_node("small", cpu="1"), make_node("large", cpu="8")])
    prediction = predictor.predict(_pod("p", "2"))
    assert prediction.feasible == ("large",)
    assert prediction.best == {"large"}
    rejected = prediction.rejection("small")
    assert rejected is not None
    assert rejected.plugin == "NodeResourcesFit"
    assert prediction.compared_with("small") == "NodeResourcesFit rejects it: Insufficient cpu"
    assert prediction.compared_with("gone") == "the node is not there"


def test_nothing_is_bound_and_nobody_evicted() -> None:
    predictor = Predictor()
    low = _pod("low", "3", priority=0) | {}
    low["spec"]["nodeName"] = "n"
    predictor.put_all([make_node("n", cpu="4"), low])
    for _ in range(2):
        prediction = predictor.predict(_pod("high", "3", priority=100))
        assert prediction.node == ""
        assert "Insufficient cpu" in prediction.message
        assert prediction.preemption is not None
        assert (prediction.preemption.node, prediction.preemption.victims) == (
            "n", ["default/low"],
        )  # fmt: skip
    assert predictor.predict(_pod("high", "3", priority=100), preemption=False).preemption is None


def test_an_explanation_stays_when_the_cluster_goes_on() -> None:
    predictor = Predictor()
    predictor.put_all([make_node("a", cpu="2"), make_node("b", cpu="4"), make_node("c", cpu="1")])
    prediction = predictor.predict(_pod("p", "1500m"))
    before = prediction.total("b"), prediction.feasible, prediction.compared_with("c")
    predictor.put(_pod("other", "4", node_name="b"))
    predictor.remove("v1", "Node", "a")
    predictor.put(make_node("c", cpu="16"))
    assert (prediction.total("b"), prediction.feasible, prediction.compared_with("c")) == before
    assert predictor.predict(_pod("p", "1500m")).feasible == ("c",)


def test_a_mirror_may_begin_in_the_middle() -> None:
    predictor = Predictor()
    predictor.remove("v1", "Pod", "never-seen", "default")
    predictor.remove("v1", "Node", "never-seen")
    predictor.put(_pod("early", "3", node_name="n"))
    predictor.put({"apiVersion": "example.com/v1", "kind": "Unknown", "metadata": {"name": "x"}})
    predictor.put(make_node("n", cpu="4"))
    assert predictor.predict(_pod("p", "2")).feasible == ()
    ended = _pod("early", "3", node_name="n") | {"status": {"phase": "Succeeded"}}
    predictor.put(ended)
    assert predictor.predict(_pod("p", "2")).feasible == ("n",)


def test_a_pod_that_came_again_counts_once() -> None:
    predictor = Predictor()
    predictor.put(make_node("n", cpu="4"))
    for uid in ("one", "two"):
        pod = _pod("same", "2", node_name="n")
        predictor.put({**pod, "metadata": {**pod["metadata"], "uid": uid}})
    assert predictor.predict(_pod("p", "2")).feasible == ("n",)
    predictor.remove("v1", "Pod", "same", "default")
    assert predictor.predict(_pod("p", "4")).feasible == ("n",)


def test_a_pod_of_the_mirror_is_predicted_as_if_it_had_no_node() -> None:
    predictor = Predictor()
    predictor.put(make_node("n", cpu="4"))
    pod = _pod("p", "4", node_name="n")
    predictor.put(pod)
    assert predictor.predict(pod).node == "n"
    assert predictor.predict(_pod("q", "1")).node == ""


def test_pods_that_are_nominated_keep_their_room() -> None:
    predictor = Predictor()
    predictor.put(make_node("n", cpu="4"))
    waiting = _pod("w", "4", priority=10) | {"status": {"nominatedNodeName": "n"}}
    predictor.put(waiting)
    assert predictor.predict(_pod("p", "1")).feasible == ()
    assert predictor.predict(_pod("p", "1", priority=20)).feasible == ("n",)
    predictor.remove("v1", "Pod", "w", "default")
    assert predictor.predict(_pod("p", "1")).feasible == ("n",)


def test_pods_of_other_schedulers_and_gated_pods_have_no_node() -> None:
    predictor = Predictor()
    predictor.put(make_node("n"))
    other = predictor.predict(_pod("p", "1", scheduler_name="mine"))
    assert (other.node, other.message) == ("", "no profile is called mine")
    assert not predictor.knows("mine")
    gated = _pod("p", "1")
    gated["spec"]["schedulingGates"] = [{"name": "later"}]
    assert "gates" in predictor.predict(gated).message


def test_own_plugins_decide() -> None:
    class OnlyB:
        name = "OnlyB"

        def __init__(self, args: object, handle: object) -> None:
            del args, handle

        def filter_node(self, state: object, pod: object, node: Any) -> Status:
            del state, pod
            return SUCCESS if node.view.name == "b" else unschedulable("not b")

    text = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {filter: {enabled: [{name: OnlyB}]}}
"""
    predictor = Predictor(config.load(text), plugins={"OnlyB": OnlyB})
    predictor.put_all([make_node("a"), make_node("b")])
    prediction = predictor.predict(_pod("p", "1"))
    assert prediction.feasible == ("b",)
    assert prediction.compared_with("a") == "OnlyB rejects it: not b"


def test_what_a_sample_of_the_nodes_may_bring() -> None:
    """Of 120 nodes 100 are evaluated: the best node is in most samples, not in all."""
    predictor = Predictor()
    predictor.put_all([make_node(f"n{n:03}", cpu="4") for n in range(120)])
    taken = [_pod(f"t{n}", "1", node_name=f"n{n:03}") for n in range(120) if n not in (7, 60)]
    predictor.put_all(taken)
    predictor.put(_pod("more", "500m", node_name="n060"))
    prediction = predictor.predict(_pod("p", "1"))
    assert prediction.is_sampled
    assert prediction.best == {"n007"}
    assert prediction.possible == {"n007", "n060"}
