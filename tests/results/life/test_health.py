"""What goes wrong in a living cluster, against answers that were worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.results.life.headline import headline
from kubestage.testing import make_deployment, make_node, make_pod
from tests.results.life import living
from tests.results.life.lives import WEB
from tests.results.life.stories import annotated, lived, marks

if TYPE_CHECKING:
    from kubestage.aliases import Json


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


def test_of_a_calm_run_there_is_nothing_to_tell() -> None:
    stage, recorder = living.recorded(make_node("a"), make_node("b"))
    stage.apply([make_deployment("web", replicas=3, cpu="1")])
    life = lived(stage, recorder, "16h")
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
            "waitSecondsInSum": 0.0,
            "waitP99Seconds": 0.0,
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
    life = lived(stage, recorder, "13m")
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
    assert marks(life) == [
        (gone, "failure", "node/b", "NotReady"),
        (moved, "eviction", WEB, "1 pod evicted (TaintManagerEviction)"),
        (720, "recovery", "node/b", "Ready again"),
    ]
    below = "5m2s" if tolerated == 300 else "2m2s"
    assert headline(life) == [
        f"{WEB} was below its 2 replicas for {below} (lowest 1, at 2m50s)",
        "node b was NotReady for 9m10s",
        f"1 pod of {WEB} was evicted (TaintManagerEviction)",
    ]


def test_a_node_that_is_not_ready_offers_nothing() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="2"), _silent("b", "10s", "2m"))
    life = lived(stage, recorder, "5m")
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
    stage.apply([annotated(web, launch_delay="10s", terminate_delay="0s")])
    stage.run("1m")
    after = make_deployment("web", replicas=2, pod=make_pod(image="web:2.0"), strategy=strategy)
    stage.apply([annotated(after, launch_delay="10s", terminate_delay="0s")])
    life = lived(stage, recorder, "5m")
    [row] = life.summary["health"]["workloads"]
    # One pod after the other: a second for the image, of the first only, and ten for the launch.
    assert (row["readyLowest"], row["readyLowestAtSeconds"], row["desiredAtLowest"]) == (1, 60, 2)
    assert row["windows"] == [[60.0, 81.0]]
    assert row["rollouts"] == [[60.0, 81.0]]
    assert row["belowDesiredSeconds"] == row["lostSeconds"] == 21
    app = "app: web:1.0 to web:2.0"
    assert (60.0, "rollout", WEB, f"rollout of {app}") in marks(life)
    assert headline(life) == [
        f"{WEB} was below its 2 replicas for 21s (lowest 1, at 1m0s), while it was rolled out"
    ]


def test_a_rescale_is_marked_and_loses_nothing() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="8"))
    stage.apply([annotated(make_deployment("web", replicas=2), launch_delay="10s")])
    stage.run("1m")
    stage.store.patch(("apps/v1", "Deployment"), "web", {"spec": {"replicas": 5}})
    life = lived(stage, recorder, "1m")
    [row] = life.summary["health"]["workloads"]
    assert row["windows"] == [[60.0, 70.0]]
    assert row["lostSeconds"] == 0
    assert marks(life) == [(60.0, "rescale", WEB, "from 2 to 5 replicas")]
    assert headline(life) == []


def test_short_waits_count_in_the_percentile_of_waits() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="100", pods=1000))
    stage.apply([make_deployment("web", replicas=150, cpu="100m")])
    stage.apply([make_deployment("huge", replicas=1, cpu="200")])
    life = lived(stage, recorder, "1m")
    pending = life.summary["health"]["pending"]
    assert pending["longestWaitSeconds"] == 60.0
    assert pending["waitP99Seconds"] == 0.0
    stage, recorder = living.recorded(make_node("a", cpu="100", pods=1000))
    stage.apply([make_deployment("web", replicas=50, cpu="100m")])
    stage.apply([make_deployment("huge", replicas=1, cpu="200")])
    assert lived(stage, recorder, "1m").summary["health"]["pending"]["waitP99Seconds"] == 60.0


def test_a_rescale_that_does_not_fit_is_told() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="4"))
    stage.apply([make_deployment("web", replicas=2, cpu="1")])
    stage.run("1m")
    stage.store.patch(("apps/v1", "Deployment"), "web", {"spec": {"replicas": 6}})
    life = lived(stage, recorder, "1m")
    pending = life.summary["health"]["pending"]
    assert (pending["peak"], pending["peakAtSeconds"]) == (2, 60.0)
    assert pending["longestWaitSeconds"] == 60.0
    # Two of six pods waited.
    assert pending["waitP99Seconds"] == 60.0
    below, waited = headline(life)
    assert below == (
        f"{WEB} was below its 6 replicas for 1m0s (lowest 2, at 1m0s), and has 4 of 6 at the end"
    )
    assert waited.startswith("up to 2 pods had no node (at 1m0s), the longest wait 1m0s (default/w")


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
    life = lived(stage, recorder, "1m")
    [row] = life.summary["health"]["workloads"]
    assert (row["everReady"], row["desired"], row["windows"]) == (False, 2, [])
    assert headline(life) == [f"{WEB} never had its 2 replicas ready (0 at the end)"]


def test_a_node_that_never_comes_up_is_told() -> None:
    late = make_node("late", annotations={"kubestage.dev/fails-after": "1ns"})
    late["status"]["conditions"] = []
    stage, recorder = living.recorded(make_node("a"))
    stage.run("1s")
    stage.load([late])
    life = lived(stage, recorder, "10m")
    told = life.summary["health"]["nodesNotReady"]
    assert [row["node"] for row in told] == ["late"]


def test_events_are_told_with_how_often() -> None:
    stage, recorder = living.recorded(make_node("a", cpu="1"))
    stage.run("1s")
    stage.apply([make_pod("large", cpu="2")])
    stage.run("1s")
    stage.load([make_node("b", cpu="1")])
    life = lived(stage, recorder, "1m")
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
    life = lived(stage, recorder, "5s")
    assert marks(life) == [(5.0, "action", "node/a", "drain begins")]
