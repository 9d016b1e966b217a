"""Rejections that are remembered change nothing: without them the same run has the same bytes."""

from __future__ import annotations

import json
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.scheduler.quick.rejections import Moment, Refusal, Rejections
from kubestage.testing import make_node, make_pod, make_priority_class

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.quick.plan import QuickPlan

KINDS = (("v1", "Pod"), ("v1", "Event"), ("v1", "Node"))


def _pod(draw: random.Random, number: int) -> Json:
    """One of a few templates, so that most pods have others of their kind."""
    template = draw.randrange(6)
    urgent = "urgent" if template == 5 else None
    cpu = ("1", "3", "3", "6", "6", "2")[template]
    pod = make_pod(f"p{number}", cpu=cpu, priority_class_name=urgent)
    spec: dict[str, Any] = pod["spec"]
    if template == 2:
        spec["nodeSelector"] = {"zone": "a"}
    if template:
        # Scores depend on other pods, so that a quick look does not tell whether they fit.
        pod["metadata"]["labels"] = {"app": "spread"}
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": "zone",
                "whenUnsatisfiable": "DoNotSchedule" if template == 4 else "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "spread"}},
            }
        ]
    return pod


def _live(seed: int) -> str:
    """A cluster whose nodes come one by one, and go; all that was written, as text."""
    draw, stage = random.Random(seed), Stage(seed)
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    stage.apply(make_priority_class("urgent", 10))
    names: list[str] = []
    for number in range(40):
        stage.apply([_pod(draw, number * 3 + more) for more in range(3)])
        if draw.random() < 0.6:
            names.append(f"n{number}")
            labels = {"zone": draw.choice("ab")}
            taints = ["own:NoSchedule"] if draw.random() < 0.2 else []
            cpu = draw.choice(["4", "8"])
            stage.apply(make_node(names[-1], cpu=cpu, labels=labels, taints=taints))
        elif names and draw.random() < 0.3:
            stage.store.delete(("v1", "Node"), names.pop(draw.randrange(len(names))))
        stage.run(f"{draw.randint(1, 20)}s")
        if draw.random() < 0.5:
            pods = stage.store.list(("v1", "Pod")).items
            bound = [each for each in pods if each["spec"].get("nodeName")]
            if bound:
                stage.store.delete(("v1", "Pod"), draw.choice(bound)["metadata"]["name"])
                stage.run("40s")
    return json.dumps([stage.store.list(kind).items for kind in KINDS])


@pytest.mark.parametrize("seed", range(6))
def test_runs_are_the_same_without(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hits = {"find": 0, "refusal": 0}
    find, refusal = Rejections.find, Rejections.refusal

    def _found(self: Rejections, kind: int, moment: Moment, pod: PodView) -> Attempt | None:
        found = find(self, kind, moment, pod)
        hits["find"] += found is not None
        return found

    def _refused(self: Rejections, plan: QuickPlan, moment: Moment) -> Refusal | None:
        found = refusal(self, plan, moment)
        hits["refusal"] += found is not None
        return found

    monkeypatch.setattr(Rejections, "find", _found)
    monkeypatch.setattr(Rejections, "refusal", _refused)
    remembering = _live(seed)
    assert hits["refusal"]
    monkeypatch.setattr(Rejections, "refusal", lambda *_: None)
    assert remembering == _live(seed)
    assert hits["find"]
    monkeypatch.setattr(Rejections, "find", lambda *_: None)
    assert remembering == _live(seed)


def test_copies_begin_without_any() -> None:
    rejections = Rejections()
    rejections.__dict__["_known"][1] = "an attempt"
    assert pickle.loads(pickle.dumps(rejections)).__dict__["_known"] == {}


def test_a_moment_is_another_when_a_pod_has_moved() -> None:
    moments: Sequence[Moment] = [Moment(1, 0, 0), Moment(2, 0, 0), Moment(1, 3, 0), Moment(1, 0, 4)]
    assert len(set(moments)) == len(moments)
