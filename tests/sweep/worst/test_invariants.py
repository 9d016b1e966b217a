"""Each invariant: a run that breaks it, and one in which it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import Stage
from kubestage.errors import InputError
from kubestage.runs.observer import SILENT
from kubestage.sweep.worst import contenders, objectives, start
from kubestage.sweep.worst.evaluation import Evaluation
from kubestage.sweep.worst.invariants import registry
from kubestage.sweep.worst.options import WorstOptions
from kubestage.sweep.worst.runner import CaseRun
from kubestage.testing import (
    make_deployment,
    make_horizontal_pod_autoscaler,
    make_node,
    make_pod,
    make_pod_disruption_budget,
    make_priority_class,
)
from tests.sweep.worst import inputs
from tests.sweep.worst.inputs import create

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.sweep.worst.objectives import Outcome

RESERVES_NOTHING = """
from kubestage.scheduler.framework import unschedulable


class ReservesNothing:
    name = "ReservesNothing"

    def __init__(self, args, handle):
        pass

    def reserve(self, state, pod, node):
        return unschedulable("there is nothing to reserve")

    def unreserve(self, state, pod, node):
        pass
"""
ENABLED = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    reserve:
      enabled: [{name: ReservesNothing}]
"""


def judge(folder: pathlib.Path, options: WorstOptions, *objects: Json) -> Outcome:
    """The verdict of an invariant on a run."""
    begin = start.read([inputs.write(folder, *objects)], options, SILENT)
    found = contenders.read(options, SILENT)
    work = Evaluation(begin, found, objectives.read(options), [0])
    evaluated = work.evaluate(begin.case, 0)
    assert evaluated.failure is None
    return evaluated.outcomes[0]


def _budgeted(pods: int, allowed: int) -> Json:
    """Pods under a budget fill a node; then an important pod arrives."""
    budget = make_pod_disruption_budget(
        "web", selector={"app": "web"}, min_available=pods - allowed
    )
    web = make_deployment("web", replicas=pods, cpu="1")
    return inputs.scenario(
        create(make_node("node-1", cpu=str(pods))),
        create(make_priority_class("high", 1000)),
        create(budget),
        create(web, 1),
        create(make_pod("boss", cpu="1", priority_class_name="high"), 2),
    )


def test_a_budget_is_broken_by_a_preemption_that_it_does_not_allow(tmp_path: pathlib.Path) -> None:
    outcome = judge(tmp_path, WorstOptions(breaks="budget"), _budgeted(2, allowed=0))
    assert outcome.value == 1
    assert "preempted although budget default/web allowed no disruption" in outcome.sentence
    assert len(outcome.pods) == 1


def test_a_budget_holds_if_it_allows_the_preemption(tmp_path: pathlib.Path) -> None:
    outcome = judge(tmp_path, WorstOptions(breaks="budget"), _budgeted(2, allowed=1))
    assert outcome.value is not None
    assert outcome.value <= 0
    assert outcome.sentence == ""


def test_a_lost_node_does_not_break_a_budget(tmp_path: pathlib.Path) -> None:
    budget = make_pod_disruption_budget("web", selector={"app": "web"}, min_available=2)
    lost = {"step": 2, "operation": "Delete", "deleteOperation": inputs.reference("Node", "node-1")}
    events = [
        create(make_node("node-1")),
        create(budget),
        create(make_deployment("web", replicas=2, cpu="1"), 1),
        lost,
    ]
    outcome = judge(tmp_path, WorstOptions(breaks="budget"), inputs.scenario(*events))
    assert outcome.value is not None
    assert outcome.value <= 0


def test_a_pod_that_fits_is_left_pending_by_a_plugin(tmp_path: pathlib.Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text(RESERVES_NOTHING)
    config = tmp_path / "config.yaml"
    config.write_text(ENABLED)
    options = WorstOptions(
        breaks="fits", config=str(config), plugins=(f"{plugin}:ReservesNothing",)
    )
    outcome = judge(tmp_path, options, make_node("node-1"), make_pod("one", cpu="1"))
    assert outcome.value == 1
    assert outcome.pods == ("default/one",)
    assert outcome.sentence == "1 pod fits on a node and had none at the end: default/one"


def test_pods_that_do_not_fit_or_are_gated_may_be_pending(tmp_path: pathlib.Path) -> None:
    gated = make_pod("gated", cpu="1")
    gated["spec"]["schedulingGates"] = [{"name": "later"}]
    objects = [make_node("node-1", cpu="2"), make_pod("large", cpu="3"), gated]
    outcome = judge(tmp_path, WorstOptions(breaks="fits"), *objects)
    assert outcome.value == -1


def test_a_pod_that_could_preempt_does_not_fit(tmp_path: pathlib.Path) -> None:
    never = make_priority_class("never", 1000, preemption_policy="Never")
    objects = [make_node("node-1", cpu="1"), never, make_pod("first", cpu="1")]
    boss = make_pod("zoo", cpu="1", priority_class_name="never")
    events = [create(each) for each in objects] + [create(boss, 1)]
    outcome = judge(tmp_path, WorstOptions(breaks="fits"), inputs.scenario(*events))
    assert outcome.value == -1


def _waves(window: int) -> list[Json]:
    hpa = make_horizontal_pod_autoscaler("web", min_replicas=1, max_replicas=20, cpu_utilization=50)
    hpa["spec"]["behavior"] = {"scaleDown": {"stabilizationWindowSeconds": window}}
    return [
        make_node("node-1", cpu="32"),
        make_deployment("web", replicas=2, cpu="1"),
        hpa,
        inputs.traffic({"sinusoidal": {"amplitude": 15, "period": "3m", "arrivals": "Even"}}),
    ]


def test_an_autoscaler_without_a_window_oscillates(tmp_path: pathlib.Path) -> None:
    options = WorstOptions(breaks="oscillation:changes=2,within=10m", run_for="15m")
    outcome = judge(tmp_path, options, *_waves(0))
    assert outcome.value is not None
    assert outcome.value > 0
    assert outcome.sentence.startswith("hpa/default/web changed its direction ")


def test_an_autoscaler_with_a_long_window_does_not(tmp_path: pathlib.Path) -> None:
    options = WorstOptions(breaks="oscillation:changes=2,within=10m", run_for="15m")
    outcome = judge(tmp_path, options, *_waves(3600))
    assert outcome.value == -2


def test_a_node_group_that_grows_and_shrinks_oscillates() -> None:
    stage = Stage()
    invariant = registry.read("oscillation:changes=1,within=2m")
    seen = invariant.observe(stage)
    run = CaseRun(stage, None, is_living=True)
    scores = []
    for _ in range(3):
        node = make_node("node-1", labels={"kubestage.dev/node-group": "pool"})
        stage.store.create(node)
        stage.run("1m")
        stage.store.delete(("v1", "Node"), "node-1")
        stage.run("1m")
        scores.append(seen.verdict(run).score)
    assert scores == [0, 2, 2], "at most three turns are within two minutes"
    assert seen.verdict(run).sentence.startswith("nodegroup/pool changed its direction 3 times")


def _overtaken(priority: str | None) -> Json:
    small = make_pod("small", cpu="1", priority_class_name="low")
    return inputs.scenario(
        create(make_node("node-1", cpu="4")),
        create(make_priority_class("high", 1000, preemption_policy="Never")),
        create(make_priority_class("low", -10)),
        create(make_pod("first", cpu="2")),
        create(make_pod("large", cpu="3", priority_class_name=priority), 1),
        create(small, 2),
    )


def test_a_large_pod_starves_while_small_ones_of_lower_priority_get_nodes(
    tmp_path: pathlib.Path,
) -> None:
    outcome = judge(tmp_path, WorstOptions(breaks="starvation"), _overtaken("high"))
    assert outcome.value == 1
    assert outcome.pods == ("default/large", "default/small")
    assert outcome.sentence == (
        "default/large (priority 1000) waited while 1 pod of lower priority that came later got a "
        "node: default/small"
    )


def test_a_pod_of_lower_priority_may_be_overtaken(tmp_path: pathlib.Path) -> None:
    outcome = judge(tmp_path, WorstOptions(breaks="starvation"), _overtaken("low"))
    assert outcome.value == -0.5, "one pod of the same priority was close"


def test_starvation_counts_as_many_pods_as_it_is_to(tmp_path: pathlib.Path) -> None:
    outcome = judge(tmp_path, WorstOptions(breaks="starvation:overtaken=2"), _overtaken("high"))
    assert outcome.value == 0


@pytest.mark.parametrize(
    ("text", "problem", "fix"),
    [
        ("budgets", 'there is no invariant "budgets"', "did you mean budget?"),
        ("budget:x=1", 'there is no parameter "x"', "there is none"),
        ("oscillation:chnges=1", 'there is no parameter "chnges"', "did you mean changes?"),
        (
            "oscillation:changes=0",
            "'0' is no number of changes",
            "write a whole number, at least 1",
        ),
        ("oscillation:within=x", "'x' is no duration", "write it as in 90s or 10m"),
        ("starvation:overtaken", '"overtaken" is no parameter', "write it as in oscillation:"),
    ],
)
def test_what_is_no_invariant_is_refused(text: str, problem: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        registry.read(text)
    assert (caught.value.path, caught.value.problem) == ("--breaks", problem)
    assert (caught.value.fix or "").startswith(fix)
