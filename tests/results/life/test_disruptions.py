"""Restarts, evictions, refusals and failed Jobs, against answers that were worked out by hand."""

from __future__ import annotations

import pickle

import pytest

from kubestage.errors import TooManyRequests
from kubestage.results.life.headline import headline
from kubestage.testing import (
    make_deployment,
    make_node,
    make_pod,
    make_pod_disruption_budget,
    make_priority_class,
    make_replica_set,
)
from tests.results.life import living
from tests.results.life.lives import WEB
from tests.results.life.stories import annotated, lived, marks


def test_a_crash_loop_is_told_by_its_restarts() -> None:
    stage, recorder = living.recorded(make_node("a"))
    web = annotated(make_deployment("web"), run_duration="20s", exit_code="1")
    stage.apply([web])
    life = lived(stage, recorder, "3m")
    health = life.summary["health"]
    # Up at 2 s for 20 s; the first restart is at once, then after 10, 20 and 40 s.
    assert health["restarts"] == [{"workload": WEB, "restarts": 4}]
    assert [mark[:3] for mark in marks(life)] == [(22.0, "failure", WEB)]
    [row] = health["workloads"]
    assert row["windows"] == [[42.0, 52.0], [72.0, 92.0], [112.0, 152.0], [172.0, 180.0]]
    assert headline(life) == [
        f"{WEB} was below its 1 replica for 1m18s (lowest 0, at 42s), and has 0 of 1 at the end",
        f"4 container restarts: 4 of {WEB}",
    ]


def test_evictions_that_a_budget_refuses_are_counted() -> None:
    stage, recorder = living.recorded(make_node("a"))
    stage.apply([make_pod_disruption_budget("web", min_available=2)])
    stage.apply([make_deployment("web", replicas=2)])
    stage.run("1m")
    name = next(iter(stage.store.read(("v1", "Pod")))).partition("/")[2]
    for _ in range(3):
        with pytest.raises(TooManyRequests):
            stage.store.evict(name)
        stage.run("5s")
    life = lived(stage, recorder, "1m")
    assert life.summary["health"]["budgetsRefused"] == [
        {"budget": "default/web", "refusals": 3, "firstAtSeconds": 60.0, "lastAtSeconds": 70.0}
    ]
    assert life.summary["health"]["evictions"] == []
    text = f"refused the eviction of default/{name}"
    assert marks(life) == [(60.0, "eviction", "poddisruptionbudget/default/web", text)]
    assert headline(life) == ["budget default/web refused 3 evictions (from 1m0s to 1m10s)"]


def test_a_drain_is_told_by_whom_it_moved() -> None:
    stage, recorder = living.recorded(make_node("a"), make_node("b"))
    stage.apply([make_deployment("web", replicas=2, cpu="1")])
    stage.run("1m")
    stage.store.patch(("v1", "Node"), "a", {"spec": {"unschedulable": True}})
    pods = stage.store.read(("v1", "Pod"))
    [name] = [key for key, pod in pods.items() if pod["spec"]["nodeName"] == "a"]
    stage.store.evict(name.partition("/")[2])
    life = lived(stage, recorder, "5m")
    [row] = life.summary["health"]["evictions"]
    assert row == {"workload": WEB, "pods": 1, "reasons": {"EvictionByEvictionAPI": 1}}
    assert [mark[1:] for mark in marks(life)] == [
        ("action", "node/a", "cordoned"),
        ("eviction", WEB, "1 pod evicted (EvictionByEvictionAPI)"),
    ]
    [web] = life.summary["health"]["workloads"]
    assert web["windows"] == [[60.0, 61.0]]


def test_a_preempted_pod_is_told_as_such() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="2"), make_priority_class("high", 1000))
    low = make_replica_set("low", pod=make_pod(cpu="2"))
    stage.apply([low])
    stage.run("10s")
    stage.apply([make_pod("urgent", cpu="2", priority_class_name="high")])
    life = lived(stage, recorder, "1m")
    [row] = life.summary["health"]["evictions"]
    assert row == {"workload": "replicaset/default/low", "pods": 1, "reasons": {"Preempted": 1}}
    preempted = [mark for mark in marks(life) if mark[1] == "preemption"]
    assert preempted == [(10.0, "preemption", "replicaset/default/low", "1 pod preempted")]


def test_a_job_that_fails_is_told() -> None:
    stage, recorder = living.recorded(make_node("a"))
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "once", "namespace": "default"},
        "spec": {
            "backoffLimit": 0,
            "template": {
                "metadata": {
                    "annotations": {
                        "kubestage.dev/run-duration": "5s",
                        "kubestage.dev/exit-code": "1",
                    }
                },
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "app", "image": "app:1.0"}],
                },
            },
        },
    }
    stage.apply([job])
    life = lived(stage, recorder, "2m")
    [row] = life.summary["health"]["jobsFailed"]
    assert (row["workload"], row["reason"]) == ("job/default/once", "BackoffLimitExceeded")
    assert headline(life) == ["job/default/once failed (BackoffLimitExceeded)"]


def test_health_goes_on_in_a_copy() -> None:
    stage, recorder = living.recorded(make_node("a"))
    stage.apply([make_pod_disruption_budget("web", min_available=1)])
    stage.apply([make_deployment("web")])
    stage.run("1m")
    copy, again = pickle.loads(pickle.dumps((stage, recorder)))
    [name] = [key.partition("/")[2] for key in copy.store.read(("v1", "Pod"))]
    with pytest.raises(TooManyRequests):
        copy.store.evict(name)
    assert living.ended(again).summary["health"]["budgetsRefused"][0]["refusals"] == 1
    assert living.ended(recorder).summary["health"]["budgetsRefused"] == []
