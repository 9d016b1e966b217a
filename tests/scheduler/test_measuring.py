"""Measures are computed at each decision or step, and change no decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.errors import InputError
from kubestage.scheduler.framework import SUCCESS, Moment, measure
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.scheduler.measuring import MeasuredValue

PROFILES = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins: {multiPoint: {enabled: [{name: Counting}]}}
- schedulerName: other
  plugins: {multiPoint: {enabled: [{name: Counting}]}}
"""


@measure("emptyNodes", better="more")
def empty_nodes(moment: Moment) -> int:
    """How many nodes have no pod."""
    return int((moment.columns.pod_count == 0).sum())


@measure("decided")
def decided(moment: Moment) -> float:
    """What the moment says of the decision."""
    assert moment.decision is not None
    assert moment.pod is not None
    assert moment.pod.key == moment.decision.pod
    return moment.decision.number + (0.5 if moment.decision.node else 0)


@measure("waiting")
def waiting(moment: Moment) -> int:
    """How many other pods wait."""
    return moment.waiting


class Bound:
    """Counts the pods that its hook has seen."""

    def __init__(self, args: Any, handle: Any) -> None:
        self.names: list[str] = []

    def on_pod_bound(self, pod: Any, node_name: str) -> None:
        """One more."""
        self.names.append(f"{pod.name}@{node_name}")

    def measure(self, moment: Moment) -> int:
        """How many there are."""
        return len(self.names)


class Counting:
    """A plugin that is a measure, too."""

    name = "Counting"

    def __init__(self, args: Any, handle: Any) -> None:
        self.calls = 0

    def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
        """Count calls."""
        self.calls += 1
        return SUCCESS

    def measure(self, moment: Moment) -> int:
        """How many there were."""
        return self.calls


def _stage(*measures: Any, pods: int = 3, **options: Any) -> Stage:
    stage = Stage(seed=3)
    stage.apply([make_node(name, cpu="2") for name in "ab"])
    stage.add_scheduler(measures=measures, recording="decisions", **options)
    stage.apply([make_pod(f"p{at}", cpu="1") for at in range(pods)])
    stage.run("1s")
    return stage


def _values(stage: Stage, name: str) -> list[float]:
    return [each.value for each in _series(stage)[name]]


def _series(stage: Stage) -> dict[str, list[MeasuredValue]]:
    assert stage.scheduler is not None
    found = stage.scheduler.measuring.series()
    return {definition.name: list(values) for definition, values in found}


def test_a_decision_is_measured_with_the_pod_counted_in() -> None:
    stage = _stage(empty_nodes, waiting)
    assert _values(stage, "emptyNodes") == [1, 0, 0]
    assert _values(stage, "waiting") == [2, 1, 0]


def test_an_attempt_that_fails_is_a_decision_too() -> None:
    stage = _stage(decided, empty_nodes, pods=6)
    assert _values(stage, "decided")[:6] == [1.5, 2.5, 3.5, 4.5, 5, 6]
    assert _values(stage, "emptyNodes")[4:6] == [0, 0]


def test_a_class_has_hooks_and_starts_again_with_the_scheduler() -> None:
    stage = _stage(Bound)
    assert _values(stage, "Bound") == [1, 2, 3]
    assert stage.scheduler is not None
    stage.scheduler.start_over()
    assert _values(stage, "Bound") == []


def test_a_plugin_is_measured_by_its_name_and_in_several_profiles_by_those() -> None:
    enabled = PROFILES.partition("- schedulerName: other")[0]
    one = Stage()
    one.apply([make_node("a")])
    one.add_scheduler(enabled, plugins={"Counting": Counting})
    one.apply([make_pod("web")])
    one.run("1s")
    assert _values(one, "Counting") == [1]
    two = Stage()
    two.add_scheduler(PROFILES, plugins={"Counting": Counting})
    assert list(_series(two)) == ["Counting-default-scheduler", "Counting-other"]


def test_a_measure_and_a_plugin_of_one_name_are_refused() -> None:
    same = measure("Counting")(lambda moment: 0)
    stage = Stage()
    with pytest.raises(InputError, match='a plugin and a measure are called "Counting"'):
        stage.add_scheduler(PROFILES.partition("- schedulerName: other")[0], measures=[same],
                            plugins={"Counting": Counting})  # fmt: skip


def test_measures_change_no_decision_and_see_no_forecast() -> None:
    plain, measured = _big(), _big(empty_nodes)
    assert plain.scheduler is not None
    assert measured.scheduler is not None
    assert measured.scheduler.record.lines() == plain.scheduler.record.lines()
    assert _values(measured, "emptyNodes") == [max(49 - at, 0) for at in range(300)]


def _big(*measures: Any) -> Stage:
    stage = Stage(seed=5)
    stage.apply([make_node(f"n{at}", cpu="8", pods=110) for at in range(50)])
    stage.add_scheduler(measures=measures, recording="decisions")
    stage.apply([make_pod(f"p{at}", cpu="1") for at in range(300)])
    stage.run("1s")
    return stage


def test_a_fork_continues_with_values_of_its_own() -> None:
    stage = _stage(empty_nodes, Bound)
    fork = stage.fork()
    fork.apply([make_pod("later", cpu="1")])
    fork.run("1s")
    assert _values(fork, "Bound") == [1, 2, 3, 4]
    assert _values(stage, "Bound") == [1, 2, 3]
