"""Containers that end: whether and when they start again, and what the pod makes of it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kubestage.controllers.kubelet import progress
from tests.controllers.kubelet.clusters import Cluster, at

IMAGES = [{"names": ["app:1"], "sizeBytes": 1}]


def cluster_now() -> Cluster:
    cluster = Cluster(launch_delay="0s")
    cluster.node(status={"images": IMAGES})
    cluster.run("1s")
    return cluster


def test_a_crash_is_followed_by_a_restart_at_once_then_by_longer_and_longer_pauses() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"run-duration": "4s", "exit-code": "2"})
    uid = cluster.store.get(("v1", "Pod"), "web")["metadata"]["uid"]
    cluster.run("4s")
    first = cluster.container()
    assert first["restartCount"] == 1
    assert first["state"]["running"]["startedAt"] == at(5)
    assert first["lastState"]["terminated"]["exitCode"] == 2
    assert first["lastState"]["terminated"]["reason"] == "Error"
    assert first["lastState"]["terminated"]["finishedAt"] == at(5)
    cluster.run("4s")
    second = cluster.container()
    assert second["state"]["waiting"] == {
        "reason": "CrashLoopBackOff",
        "message": f"back-off 10s restarting failed container=c pod=web_default({uid})",
    }
    assert second["ready"] is False
    assert cluster.status()["phase"] == "Running"
    assert cluster.condition("Ready")["lastTransitionTime"] == at(9)
    starts = []
    for _ in range(1500):
        cluster.run("1s")
        running = cluster.container()["state"].get("running")
        if running and running["startedAt"] not in starts:
            starts.append(running["startedAt"])
    seconds = [int(text[14:16]) * 60 + int(text[17:19]) for text in starts]
    pauses = [after - before - 4 for before, after in itertools.pairwise(seconds)]
    assert seconds[0] == 19
    assert pauses[:6] == [20, 40, 80, 160, 300, 300]


def test_one_that_ran_for_long_is_forgiven() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"run-duration": "11m", "exit-code": "1"})
    cluster.run("35m")
    assert cluster.container()["restartCount"] == 3
    assert "BackOff" not in cluster.reasons()


def test_back_off_is_told_once_for_each_crash() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"run-duration": "0s", "exit-code": "1"})
    cluster.run("1m")
    told = [
        event
        for event in cluster.store.read(("v1", "Event")).values()
        if event["reason"] == "BackOff"
    ]
    assert [event["count"] for event in told] == [3]
    assert told[0]["message"].startswith(
        "Back-off restarting failed container c in pod web_default("
    )
    assert told[0]["type"] == "Warning"
    assert told[0]["source"] == {"component": "kubelet", "host": "n1"}
    assert told[0]["involvedObject"]["fieldPath"] == "spec.containers{c}"


@pytest.mark.parametrize(
    ("policy", "code", "phase", "restarts"),
    [
        ("Never", "0", "Succeeded", 0),
        ("Never", "1", "Failed", 0),
        ("OnFailure", "0", "Succeeded", 0),
        ("OnFailure", "1", "Running", 2),
        ("Always", "0", "Running", 2),
    ],
)
def test_the_restart_policy_decides(policy: str, code: str, phase: str, restarts: int) -> None:
    cluster = cluster_now()
    notes = {"run-duration": "5s", "exit-code": code}
    cluster.pod(restartPolicy=policy, annotations=notes)
    cluster.run("30s")
    assert cluster.status()["phase"] == phase
    assert cluster.container()["restartCount"] == restarts
    assert (progress.current_progress(cluster.kubelet).finished == 1) == (phase != "Running")


def test_a_finished_pod_says_so_everywhere() -> None:
    cluster = cluster_now()
    cluster.pod(restartPolicy="Never")
    cluster.run("30s")
    assert cluster.container()["state"]["terminated"]["reason"] == "Completed"
    conditions = {
        each["type"]: (each["status"], each.get("reason"))
        for each in cluster.status()["conditions"]
    }
    assert conditions == {
        "PodReadyToStartContainers": ("False", None),
        "Initialized": ("True", "PodCompleted"),
        "Ready": ("False", "PodCompleted"),
        "ContainersReady": ("False", "PodCompleted"),
        "PodScheduled": ("True", None),
    }
    kinds = [kind for _, kind, _ in cluster.movements()]
    assert kinds == ["create", "bind", "run", "finish"]


def test_a_pod_is_over_when_all_its_containers_are() -> None:
    cluster = cluster_now()
    containers = [{"name": name, "image": "app:1"} for name in "ab"]
    notes = {"run-duration.a": "3s", "run-duration.b": "6s", "exit-code.a": "1"}
    cluster.pod(restartPolicy="Never", containers=containers, annotations=notes)
    cluster.run("4s")
    assert cluster.status()["phase"] == "Running"
    assert cluster.condition("Ready")["message"] == "containers with unready status: [a]"
    cluster.run("4s")
    assert cluster.status()["phase"] == "Failed"


def rule(action: str, *codes: int, operator: str = "In") -> dict[str, Any]:
    return {"action": action, "exitCodes": {"operator": operator, "values": list(codes)}}


def test_a_container_may_have_a_policy_and_rules_of_its_own() -> None:
    cluster = cluster_now()
    rules = {"restartPolicy": "Never", "restartPolicyRules": [rule("Restart", 42)]}
    containers = [{"name": "c", "image": "app:1", **rules}]
    for name, code in (("again", "42"), ("over", "1")):
        notes = {"run-duration": "5s", "exit-code": code}
        cluster.pod(name, containers=containers, annotations=notes, restartPolicy="Never")
    cluster.run("30s")
    assert cluster.status("again")["phase"] == "Running"
    assert cluster.container("again")["restartCount"] == 2
    assert cluster.status("over")["phase"] == "Failed"


def test_a_rule_can_have_all_containers_start_anew() -> None:
    cluster = cluster_now()
    rules = [rule("RestartAllContainers", 0, operator="NotIn")]
    boss = {"name": "boss", "image": "app:1", "restartPolicy": "Never", "restartPolicyRules": rules}
    cluster.pod(
        containers=[{"name": "c", "image": "app:1"}, boss],
        initContainers=[{"name": "i", "image": "app:1"}],
        annotations={"run-duration": "forever", "run-duration.boss": "10s", "exit-code.boss": "5"},
        restartPolicy="Never",
    )
    cluster.run("11500ms")
    restarting = cluster.condition("AllContainersRestarting")
    assert restarting["status"] == "True"
    assert cluster.container()["state"]["waiting"]["reason"] == "RestartingAllContainers"
    cluster.run("5s")
    assert cluster.condition("AllContainersRestarting")["status"] == "False"
    counts = {name: cluster.container(name=name)["restartCount"] for name in ("i", "c", "boss")}
    assert counts == {"i": 1, "c": 1, "boss": 1}
    last = cluster.container()["lastState"]["terminated"]
    assert (last["exitCode"], last["reason"]) == (137, "RestartingAllContainers")
    assert cluster.container(name="boss")["lastState"]["terminated"]["exitCode"] == 5
    assert cluster.status()["phase"] == "Running"


def test_containers_that_end_at_once_do_not_stop_time() -> None:
    cluster = cluster_now()
    rules = [rule("RestartAllContainers", 1)]
    boss = {"name": "c", "image": "app:1", "restartPolicy": "Never", "restartPolicyRules": rules}
    notes = {"run-duration": "0s", "exit-code": "1"}
    cluster.pod(containers=[boss], annotations=notes, restartPolicy="Never")
    cluster.run("10s")
    assert cluster.container()["restartCount"] == 10
