"""Pods that fit nowhere leave: each is tried once, and has failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

import kubestage
from kubestage.errors import InputError
from kubestage.objects import yaml_text
from kubestage.results.repeat import Repeat
from kubestage.runs.explain import repetition
from kubestage.runs.run_options import RunOptions
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    import pathlib

AT_ONCE = DeleteOptions(grace_period_seconds=0)


def _stage(policy: str) -> Stage:
    stage = Stage()
    stage.apply([make_node("n1", cpu="2")])
    stage.add_scheduler(recording="decisions", unschedulable=policy)
    return stage


def _phases(stage: Stage) -> dict[str, tuple[str, str]]:
    return {
        pod["metadata"]["name"]: (pod["status"]["phase"], pod["spec"].get("nodeName", ""))
        for pod in stage.store.list(("v1", "Pod")).items
    }


def _attempts(stage: Stage) -> int:
    assert stage.scheduler is not None
    return len(stage.scheduler.record.decisions)


def test_every_pod_is_tried_once() -> None:
    stage = _stage("leave")
    stage.apply([make_pod(f"p{number}", cpu="1") for number in range(5)])
    stage.run("10m")
    stage.store.delete(("v1", "Pod"), "p0", "default", AT_ONCE)
    stage.apply([make_node("n2", cpu="8")])
    stage.run("10m")
    assert _attempts(stage) == 5
    failed = [name for name, (phase, _) in _phases(stage).items() if phase == "Failed"]
    assert failed == ["p2", "p3", "p4"]
    pod = stage.store.get(("v1", "Pod"), "p4", "default")
    assert pod["status"]["reason"] == "Unschedulable"
    assert pod["status"]["message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    stage.apply([make_pod("late", cpu="1")])
    stage.run("1m")
    assert _phases(stage)["late"][1] == "n2"


def test_by_default_it_is_tried_again() -> None:
    stage = _stage("retry")
    stage.apply([make_pod(f"p{number}", cpu="1") for number in range(3)])
    stage.run("1m")
    stage.store.delete(("v1", "Pod"), "p0", "default", AT_ONCE)
    stage.run("10m")
    assert _phases(stage)["p2"] == ("Pending", "n1")


def test_a_pod_for_which_preemption_makes_room_stays() -> None:
    stage = _stage("leave")
    group = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    stage.apply([{**group, "metadata": {"name": "high"}, "value": 100}])
    stage.apply([make_pod("low", cpu="2")])
    stage.run("1m")
    stage.apply([make_pod("high", cpu="2", priority_class_name="high")])
    stage.run("1s")
    assert _phases(stage)["high"][0] == "Pending"
    stage.store.delete(("v1", "Pod"), "low", "default", AT_ONCE)
    stage.run("1m")
    assert _phases(stage)["high"] == ("Pending", "n1")


def test_another_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="'go' is not a valid Unschedulable"):
        _stage("go")
    with pytest.raises(InputError, match="go"):
        RunOptions(unschedulable="go")  # type: ignore[arg-type]


def test_a_saved_run_is_repeated_by_the_same_policy(tmp_path: pathlib.Path) -> None:
    objects = [make_node("n1", cpu="2"), *(make_pod(f"p{number}", cpu="1") for number in range(4))]
    path = tmp_path / "cluster.yaml"
    path.write_text("---\n".join(map(yaml_text.dump, objects)))
    out = str(tmp_path / "out")
    result = kubestage.run([str(path)], RunOptions(unschedulable="leave", out=out))
    assert result.unscheduled == 2
    how = msgspec.json.decode((tmp_path / "out" / "run.json").read_bytes(), type=Repeat)
    settings = repetition.settings_of(how)
    assert settings.unschedulable.value == "leave"
