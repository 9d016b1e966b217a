"""What goes wrong in a living cluster, against answers that were worked out by hand."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.stage import Stage


def _annotated(workload: Json, **notes: str) -> Json:
    """A workload whose containers live as the annotations say."""
    named = {f"kubestage.dev/{name.replace('_', '-')}": value for name, value in notes.items()}
    workload["spec"]["template"]["metadata"]["annotations"] = named
    return workload


def _silent(name: str, after: str, back: str) -> Json:
    """A node that nobody hears of from some time on, until it is back."""
    notes = {"kubestage.dev/fails-after": after, "kubestage.dev/recovers-after": back}
    return make_node(name, annotations=notes, cpu="2")


def _spread(replicas: int, seconds: int | None = None) -> Json:
    """A Deployment with one pod a node, which stay on an unreachable node for so long."""
    web = make_deployment("web", replicas=replicas, cpu="1500m")
    if seconds is not None:
        web["spec"]["template"]["spec"]["tolerations"] = [
            {
                "key": "node.kubernetes.io/unreachable",
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": seconds,
            }
        ]
    return web


def _lived(stage: Stage, recorder: Any, span: str) -> Life:
    stage.run(span)
    return living.ended(recorder)


def _marks(life: Life) -> list[tuple[float, str, str, str]]:
    names = ("atSeconds", "mark", "subject", "text")
    return [tuple(row[each] for each in names) for row in life.rows("marks")]


def test_of_a_calm_run_there_is_nothing_to_tell() -> None:
    stage, recorder = living.recorded(make_node("a"), make_node("b"))
    stage.apply([make_deployment("web", replicas=3, cpu="1")])
    life = _lived(stage, recorder, "16h")
    assert headline(life) == []
    assert life.summary["health"] == {
        "workloads": [
            {
                "workload": WEB,
                "desired": 3,
                "readyAtEnd": 3,
                "readyLowest": 3,
                "readyLowestAtSeconds": None,
                "desiredAtLowest": 3,
                "belowDesiredSeconds": 0.0,
                "lostSeconds": 0.0,
                "windows": [],
                "rollouts": [],
                "everReady": True,
            }
        ],
        "nodesNotReady": [],
        "pending": {
            "peak": 0,
            "peakAtSeconds": None,
            "longestWaitSeconds": 0.0,
            "longestWaitPod": None,
        },
        "restarts": [],
        "evictions": [],
        "budgetsRefused": [],
        "jobsFailed": [],
    }
    assert "health" not in life.tables
    assert "marks" not in life.tables


@pytest.mark.parametrize(("seconds", "tolerated"), [(120, 120), (None, 300)])
def test_a_node_that_falls_silent_is_missed_until_its_pods_are_elsewhere(
    seconds: int | None, tolerated: int
) -> None:
    nodes = [make_node("a", cpu="2"), _silent("b", "2m", "10m"), make_node("c", cpu="2")]
    stage, recorder = living.recorded(*nodes)
    stage.apply([_spread(2, seconds)])
    life = _lived(stage, recorder, "13m")
    # NotReady after 50 s of silence; evicted when that is not tolerated any more. On the third node
    # a second for the image, which is not there yet, and one for the launch.
    gone, moved = 120 + 50, 120 + 50 + tolerated
    health = life.summary["health"]
    [web] = health["workloads"]
    assert web["windows"] == [[gone, moved + 2]]
    assert web["belowDesiredSeconds"] == web["lostSeconds"] == tolerated + 2
    assert (web["readyLowest"], web["readyLowestAtSeconds"], web["readyAtEnd"]) == (1, gone, 2)
    assert health["nodesNotReady"] == [
        {"node": "b", "seconds": 550.0, "windows": [[170.0, 720.0]], "everReady": True}
    ]
    assert health["evictions"] == [
        {"workload": WEB, "pods": 1, "reasons": {"TaintManagerEviction": 1}}
    ]
    assert _marks(life) == [
        (gone, "failure", "node/b", "NotReady"),
        (moved, "eviction", WEB, "1 pod evicted (TaintManagerEviction)"),
        (720, "recovery", "node/b", "Ready again"),
    ]
    below = "5m2s" if tolerated == 300 else "2m2s"
    assert headline(life) == [
        f"{WEB} was below its 2 replicas for {below} (lowest 1, at 2m50s)",
        "node b was NotReady for 9m10s",
        f"1 pod was evicted: 1 of {WEB} (TaintManagerEviction)",
    ]


def test_a_node_that_is_not_ready_offers_nothing() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="2"), _silent("b", "10s", "2m"))
    life = _lived(stage, recorder, "5m")
    offered = {row["atSeconds"]: row["allocatableCpu"] for row in life.rows("cluster")}
    assert (offered[59.0], offered[60.0], offered[129.0], offered[130.0]) == (
        4000,
        2000,
        2000,
        4000,
    )


def test_a_rollout_that_may_do_without_a_pod_is_told_as_one() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    pod = make_pod(image="web:1.0")
    web = make_deployment("web", replicas=2, pod=pod, strategy=strategy)
    stage.apply([_annotated(web, launch_delay="10s", terminate_delay="0s")])
    stage.run("1m")
    after = make_deployment("web", replicas=2, pod=make_pod(image="web:2.0"), strategy=strategy)
    stage.apply([_annotated(after, launch_delay="10s", terminate_delay="0s")])
    life = _lived(stage, recorder, "5m")
    [row] = life.summary["health"]["workloads"]
    # One pod after the other: a second for the image, of the first only, and ten for the launch.
    assert (row["readyLowest"], row["readyLowestAtSeconds"], row["desiredAtLowest"]) == (1, 60, 2)
    assert row["windows"] == [[60.0, 81.0]]
    assert row["rollouts"] == [[60.0, 81.0]]
    assert row["belowDesiredSeconds"] == row["lostSeconds"] == 21
    app = "app: web:1.0 to web:2.0"
    assert (60.0, "rollout", WEB, f"rollout of {app}") in _marks(life)
    assert headline(life) == [
        f"{WEB} was below its 2 replicas for 21s (lowest 1, at 1m0s), while it was rolled out"
    ]


def test_a_rescale_is_marked_and_loses_nothing() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([_annotated(make_deployment("web", replicas=2), launch_delay="10s")])
    stage.run("1m")
    stage.store.patch(("apps/v1", "Deployment"), "web", {"spec": {"replicas": 5}})
    life = _lived(stage, recorder, "1m")
    [row] = life.summary["health"]["workloads"]
    assert row["windows"] == [[60.0, 70.0]]
    assert row["lostSeconds"] == 0
    assert _marks(life) == [(60.0, "rescale", WEB, "from 2 to 5 replicas")]
    assert headline(life) == []


def test_a_rescale_that_does_not_fit_is_told() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="4"))
    stage.apply([make_deployment("web", replicas=2, cpu="1")])
    stage.run("1m")
    stage.store.patch(("apps/v1", "Deployment"), "web", {"spec": {"replicas": 6}})
    life = _lived(stage, recorder, "1m")
    pending = life.summary["health"]["pending"]
    assert (pending["peak"], pending["peakAtSeconds"]) == (2, 60.0)
    assert pending["longestWaitSeconds"] == 60.0
    below, waited = headline(life)
    assert below == (
        f"{WEB} was below its 6 replicas for 1m0s (lowest 2, at 1m0s), and has 4 of 6 at the end"
    )
    assert waited.startswith("up to 2 pods had no node (at 1m0s), the longest wait 1m0s (default/w")


def test_a_crash_loop_is_told_by_its_restarts() -> None:
    stage, recorder = living.recorded(make_node("a"))
    web = _annotated(make_deployment("web"), run_duration="20s", exit_code="1")
    stage.apply([web])
    life = _lived(stage, recorder, "3m")
    health = life.summary["health"]
    # Up at 2 s for 20 s; the first restart is at once, then after 10, 20 and 40 s.
    assert health["restarts"] == [{"workload": WEB, "restarts": 4}]
    assert [mark[:3] for mark in _marks(life)] == [(22.0, "failure", WEB)]
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
    life = _lived(stage, recorder, "1m")
    assert life.summary["health"]["budgetsRefused"] == [
        {"budget": "default/web", "refusals": 3, "firstAtSeconds": 60.0, "lastAtSeconds": 70.0}
    ]
    assert life.summary["health"]["evictions"] == []
    text = f"refused the eviction of default/{name}"
    assert _marks(life) == [(60.0, "eviction", "poddisruptionbudget/default/web", text)]
    assert headline(life) == ["budget default/web refused 3 evictions (from 1m0s to 1m10s)"]


def test_a_drain_is_told_by_whom_it_moved() -> None:
    stage, recorder = living.recorded(make_node("a"), make_node("b"))
    stage.apply([make_deployment("web", replicas=2, cpu="1")])
    stage.run("1m")
    stage.store.patch(("v1", "Node"), "a", {"spec": {"unschedulable": True}})
    pods = stage.store.read(("v1", "Pod"))
    [name] = [key for key, pod in pods.items() if pod["spec"]["nodeName"] == "a"]
    stage.store.evict(name.partition("/")[2])
    life = _lived(stage, recorder, "5m")
    [row] = life.summary["health"]["evictions"]
    assert row == {"workload": WEB, "pods": 1, "reasons": {"EvictionByEvictionAPI": 1}}
    assert [mark[1:] for mark in _marks(life)] == [
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
    life = _lived(stage, recorder, "1m")
    [row] = life.summary["health"]["evictions"]
    assert row == {"workload": "replicaset/default/low", "pods": 1, "reasons": {"Preempted": 1}}
    marks = [mark for mark in _marks(life) if mark[1] == "preemption"]
    assert marks == [(10.0, "preemption", "replicaset/default/low", "1 pod preempted")]


def test_a_workload_whose_pods_may_not_be_created_was_never_ready() -> None:
    stage, recorder = living.recorded(make_node("a"))
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "none", "namespace": "default"},
        "spec": {"hard": {"pods": "0"}},
    }
    stage.apply([quota])
    stage.run("1s")
    stage.apply([make_deployment("web", replicas=2)])
    life = _lived(stage, recorder, "1m")
    [row] = life.summary["health"]["workloads"]
    assert (row["everReady"], row["desired"], row["windows"]) == (False, 2, [])
    assert headline(life) == [f"{WEB} never had its 2 replicas ready (0 at the end)"]


def test_a_node_that_never_comes_up_is_told() -> None:
    late = make_node("late", annotations={"kubestage.dev/fails-after": "1ns"})
    late["status"]["conditions"] = []
    stage, recorder = living.recorded(make_node("a"))
    stage.run("1s")
    stage.load([late])
    life = _lived(stage, recorder, "10m")
    told = life.summary["health"]["nodesNotReady"]
    assert [row["node"] for row in told] == ["late"]


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
    life = _lived(stage, recorder, "2m")
    [row] = life.summary["health"]["jobsFailed"]
    assert (row["workload"], row["reason"]) == ("job/default/once", "BackoffLimitExceeded")
    assert headline(life) == ["job/default/once failed (BackoffLimitExceeded)"]


def test_events_are_told_with_how_often() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="1"))
    stage.run("1s")
    stage.apply([make_pod("large", cpu="2")])
    stage.run("1s")
    stage.load([make_node("b", cpu="1")])
    life = _lived(stage, recorder, "1m")
    [row] = [row for row in life.rows("events") if row["reason"] == "FailedScheduling"]
    assert (row["atSeconds"], row["type"], row["object"]) == (1.0, "Warning", "pod/default/large")
    assert row["count"] >= 1
    assert row["lastSeconds"] >= row["atSeconds"]
    counts = life.summary["events"]
    assert counts["events"] == sum(row["count"] for row in life.rows("events"))
    assert counts["leftOut"] == 0


def test_who_drives_a_run_marks_its_moments() -> None:
    stage, recorder = living.recorded(make_node("a"))
    stage.run("5s")
    recorder.mark("action", "node/a", "drain begins")
    life = _lived(stage, recorder, "5s")
    assert _marks(life) == [(5.0, "action", "node/a", "drain begins")]


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
