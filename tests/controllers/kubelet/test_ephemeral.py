"""Containers that are added to a pod that runs."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from kubestage import Stage
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = ("v1", "Pod")


def _stage(restart_policy: str = "Always", **more: Any) -> Stage:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    pod = make_pod("p", **more)
    pod["spec"]["restartPolicy"] = restart_policy
    stage.apply([make_node("n1"), pod])
    return stage


def _debug(stage: Stage, *names: str) -> None:
    pod = stage.store.get(POD, "p")
    added = [{"name": each, "image": "busybox"} for each in names]
    before = pod["spec"].get("ephemeralContainers") or []
    spec = {**pod["spec"], "ephemeralContainers": [*before, *added]}
    stage.store.update({**pod, "spec": spec}, subresource="ephemeralcontainers")


def _told(stage: Stage) -> list[Json]:
    told: list[Json] = stage.store.get(POD, "p")["status"].get("ephemeralContainerStatuses") or []
    return told


def test_an_ephemeral_container_is_pulled_and_runs() -> None:
    stage = _stage()
    stage.run("10s")
    assert _told(stage) == []
    _debug(stage, "debugger")
    stage.run("10s")
    (status,) = _told(stage)
    assert status["name"] == "debugger"
    assert list(status["state"]) == ["running"]
    # Nobody probes it.
    assert status["ready"] is False
    assert "started" not in status
    events = stage.store.list(("v1", "Event")).items
    told = [
        each["reason"]
        for each in events
        if each["involvedObject"].get("fieldPath") == "spec.ephemeralContainers{debugger}"
    ]
    assert told == ["Pulling", "Pulled", "Created", "Started"]


def test_the_pod_itself_is_as_it_was() -> None:
    stage = _stage()
    stage.run("10s")
    before = stage.store.get(POD, "p")["status"]
    _debug(stage, "debugger")
    stage.run("10s")
    after = stage.store.get(POD, "p")["status"]
    assert after["phase"] == "Running"
    assert after["containerStatuses"] == before["containerStatuses"]


def test_several_come_one_after_the_other() -> None:
    stage = _stage()
    stage.run("10s")
    _debug(stage, "first")
    stage.run("10s")
    first = _told(stage)
    _debug(stage, "second")
    stage.run("10s")
    assert [each["name"] for each in _told(stage)] == ["first", "second"]
    assert _told(stage)[:1] == first


def test_one_that_comes_before_the_pod_is_launched_starts_with_it() -> None:
    stage = _stage()
    _debug(stage, "early")
    stage.run("10s")
    assert [list(each["state"]) for each in _told(stage)] == [["running"]]


def test_it_ends_with_its_pod() -> None:
    stage = _stage(annotations={"kubestage.dev/run-duration": "30s"}, restart_policy="Never")
    stage.run("10s")
    _debug(stage, "debugger")
    stage.run("60s")
    assert stage.store.get(POD, "p")["status"]["phase"] == "Succeeded"
    (status,) = _told(stage)
    assert status["state"]["terminated"]["exitCode"] == 137


def test_it_is_known_after_a_stage_was_sent_elsewhere() -> None:
    stage = _stage()
    stage.run("10s")
    _debug(stage, "debugger")
    stage.run("10s")
    other = pickle.loads(pickle.dumps(stage))
    other.run("10s")
    assert _told(other) == _told(stage)
