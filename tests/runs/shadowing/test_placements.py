"""Predictions of placements, one change after the other."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from kubestage.runs.predicting import Predictor
from kubestage.runs.shadowing.placements import PlacementTwin
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

SECOND = 10**9


class Twin:
    """A twin whose mirror follows each change, as that of a shadow does."""

    def __init__(self, *objects: Json) -> None:
        self.report: list[Json] = []
        self.predictor = Predictor()
        self.predictor.put_all(objects)
        self.placements = PlacementTwin(self.predictor, self.report.append)
        self._now = 0

    def change(self, before: Json | None, after: Json | None) -> None:
        self._now += SECOND
        self.placements.on_pod(before, after, self._now)
        if after is not None:
            self.predictor.put(after)
        elif before is not None:
            names = before["metadata"]
            self.predictor.remove("v1", "Pod", names["name"], names["namespace"])


def _pod(name: str = "web", **more: Any) -> Json:
    pod = make_pod(name, **more)
    pod["metadata"] |= {"namespace": "default", "uid": name}
    return pod


def _on(pod: Json, node: str) -> Json:
    bound = copy.deepcopy(pod)
    bound["spec"]["nodeName"] = node
    return bound


def test_a_hit_says_what_was_predicted() -> None:
    twin = Twin(make_node("a"), make_node("b"))
    pod = _pod()
    twin.change(None, pod)
    assert twin.placements.pending == 1
    twin.change(pod, _on(pod, "b"))
    prediction, placement = twin.report
    assert (prediction["type"], prediction["predicted"]) == ("prediction", ["a", "b"])
    assert (placement["node"], placement["hit"], placement["pendingSeconds"]) == ("b", True, 1.0)
    assert "why" not in placement
    counts = twin.placements.counts
    assert (counts.predicted, counts.best, counts.first_best) == (1, 1, 1)
    assert twin.placements.pending == 0


def test_a_miss_is_explained() -> None:
    twin = Twin(make_node("a", cpu="2"), make_node("b", cpu="16"), make_node("c", cpu="1"))
    scored, rejected = _pod("scored", cpu="1500m"), _pod("rejected", cpu="1500m")
    for pod, node in ((scored, "a"), (rejected, "c")):
        twin.change(None, pod)
        twin.change(pod, _on(pod, node))
    first, second = (each for each in twin.report if each["type"] == "placement")
    assert (first["hit"], first["fits"]) == (False, True)
    assert first["why"].startswith("b scores ")
    assert "NodeResourcesFit" in first["why"]
    assert (second["hit"], second["fits"]) == (False, False)
    assert second["why"] == "NodeResourcesFit rejects it: Insufficient cpu"
    counts = twin.placements.counts
    assert (counts.predicted, counts.feasible, counts.possible) == (2, 1, 0)


def test_the_state_just_before_counts_and_the_first_prediction_is_kept() -> None:
    twin = Twin(make_node("a", cpu="2"))
    pod = _pod(cpu="1")
    twin.change(None, pod)
    twin.predictor.put(make_node("b", cpu="32"))
    twin.change(pod, _on(pod, "b"))
    (placement,) = (each for each in twin.report if each["type"] == "placement")
    assert (placement["hit"], placement["asFirstPredicted"]) == (True, False)


def test_a_pod_is_predicted_when_a_scheduler_would_try_it() -> None:
    twin = Twin(make_node("a"))
    gated = _pod()
    gated["spec"]["schedulingGates"] = [{"name": "x/y"}]
    twin.change(None, gated)
    assert twin.report == []
    open_ = _pod()
    twin.change(gated, open_)
    assert [each["type"] for each in twin.report] == ["prediction"]
    # Once.
    again = copy.deepcopy(open_)
    again["metadata"]["labels"] = {"a": "b"}
    twin.change(open_, again)
    assert len(twin.report) == 1
    ending = copy.deepcopy(_pod("ending"))
    ending["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    twin.change(None, ending)
    assert len(twin.report) == 1


def test_what_cannot_be_predicted_is_counted() -> None:
    twin = Twin(make_node("a"))
    twin.change(None, _on(_pod("static"), "a"))
    other = _pod("other")
    other["spec"]["schedulerName"] = "mine"
    twin.change(None, other)
    twin.change(other, _on(other, "a"))
    lost = _pod("lost")
    twin.change(None, lost)
    twin.change(lost, _on(lost, "unknown"))
    counts = twin.placements.counts
    assert (counts.predicted, counts.unseen, counts.others) == (0, 1, 2)


def test_a_pod_that_fits_nowhere_is_tried_again() -> None:
    twin = Twin(make_node("a", cpu="1"))
    low = _pod("low", cpu="800m", priority=0)
    twin.change(None, _on(low, "a"))
    large = _pod("large", cpu="4")
    urgent = _pod("urgent", cpu="800m", priority=100)
    twin.change(None, large)
    twin.change(None, urgent)
    first, second = twin.report
    assert "Insufficient cpu" in first["message"]
    assert "preempts" not in first
    assert second["preempts"] == {"node": "a", "pods": ["default/low"]}
    assert twin.placements.is_unschedulable(large)
    twin.predictor.put(make_node("b", cpu="8"))
    assert twin.placements.retry(5) == []
    assert [each["predicted"] for each in twin.report[2:]] == [["b"], ["b"]]
    twin.change(large, None)
    assert twin.placements.pending == 1
