"""Each table says what it is meant to say."""

from __future__ import annotations

import math

import pytest

from kubestage.errors import InputError
from kubestage.results import analysis
from tests.results.analysis.stories import NO_ROOM, Story, rivalry

GIB = 1024**3


def test_allocation_is_what_pods_request_of_what_nodes_offer() -> None:
    table = analysis.table(rivalry().status(), "allocation")
    assert table.names == ("step", "resource", "requested", "allocatable", "rate")
    assert [row for row in table.rows if row[1] == "cpu"] == [
        (1, "cpu", 3000, 4000, 0.75),
        (2, "cpu", 3000, 4000, 0.75),
        (3, "cpu", 3500, 4000, 0.875),
    ]
    assert table.rows[-2:] == [
        (3, "memory", 6 * GIB, 8 * GIB, 0.75),
        (3, "pods", 3, 220, 3 / 220),
    ]


def test_an_extended_resource_is_told_of_as_soon_as_a_node_has_it() -> None:
    story = Story().step(1).node("a").step(2).node("b", resources={"example.com/gpu": "4"})
    table = analysis.table(story.status(), "allocation")
    assert [row[2:] for row in table.rows if row[1] == "example.com/gpu"] == [
        (0, 0, None),
        (0, 4, 0.0),
    ]
    nodes = analysis.table(story.status(), "nodes")
    assert [row[1] for row in nodes.rows if row[2] == "example.com/gpu"] == ["b"]


def test_storage_and_huge_pages_are_told_of_only_if_a_pod_asks_for_them() -> None:
    offered = {"ephemeral-storage": "100Gi", "hugepages-2Mi": "1Gi"}
    story = Story().step(1).node("a", resources=offered)
    assert set(analysis.table(story.status(), "allocation").column("resource")) == {
        "cpu",
        "memory",
        "pods",
    }
    story.pod("web", requests={"ephemeral-storage": "10Gi"}).bind("web", "a")
    assert analysis.table(story.status(), "allocation").rows[3] == (
        1, "ephemeral-storage", 10 * GIB, 100 * GIB, 0.1,
    )  # fmt: skip


def test_each_node_has_its_own_rate_at_the_end_of_each_step() -> None:
    table = analysis.table(rivalry().status(), "nodes")
    cpu = {(row[0], row[1]): row[5] for row in table.rows if row[2] == "cpu"}
    assert cpu == {
        (1, "a"): 0.5, (1, "b"): 1.0, (2, "a"): 0.5, (2, "b"): 1.0, (3, "a"): 0.75, (3, "b"): 1.0,
    }  # fmt: skip


def test_balance_is_over_the_nodes_that_have_the_resource() -> None:
    story = Story().step(1).node("a", cpu="4", resources={"example.com/gpu": "2"})
    story.node("b", cpu="4").node("c", cpu="4")
    gpu = {"example.com/gpu": "1"}
    story.pod("one", cpu="1", requests=gpu).bind("one", "a").pod("two", cpu="3").bind("two", "b")
    rows = {row[1]: row[2:] for row in analysis.table(story.status(), "balance").rows}
    nodes, low, high, mean, deviation = rows["cpu"]
    assert (nodes, low, high) == (3, 0.0, 0.75)
    assert math.isclose(mean, 1 / 3)
    assert math.isclose(deviation, math.sqrt((1 / 9 + 1 / 144 + 25 / 144) / 3))
    assert rows["example.com/gpu"] == (1, 0.5, 0.5, 0.5, 0.0)


def test_what_is_free_where_the_typical_pod_does_not_fit_is_stranded() -> None:
    story = Story().step(1).node("full", cpu="4", memory="4Gi").node("free", cpu="4", memory="4Gi")
    story.pod("hungry", cpu="1", memory="4Gi").bind("hungry", "full")
    story.pod("one", cpu="1", memory="1Gi").bind("one", "free")
    story.pod("two", cpu="1", memory="1Gi").bind("two", "free")
    rows = {
        row["resource"]: row for row in analysis.table(story.status(), "fragmentation").records()
    }
    cpu = rows["cpu"]
    # There is no memory left beside the three cores of the full node.
    assert (cpu["free"], cpu["typicalRequest"], cpu["stranded"]) == (5000, 1000, 3000)
    assert math.isclose(cpu["strandedRate"], 0.6)
    assert (rows["memory"]["free"], rows["memory"]["stranded"]) == (2 * GIB, 0)
    assert (cpu["largestPending"], cpu["blocked"]) == (None, None)


def test_who_asks_for_nothing_of_a_resource_counts_as_zero_in_the_typical_pod() -> None:
    story = Story().step(1).node("a", cpu="1", resources={"example.com/gpu": "4"})
    story.pod("learner", requests={"example.com/gpu": "1"}).bind("learner", "a")
    story.pod("web", cpu="500m").bind("web", "a").pod("api", cpu="500m").bind("api", "a")
    rows = {
        row["resource"]: row for row in analysis.table(story.status(), "fragmentation").records()
    }
    gpu = rows["example.com/gpu"]
    # The typical pod wants no GPU, but it wants CPU, and of that the node has none left.
    assert (gpu["typicalRequest"], gpu["free"], gpu["stranded"]) == (0, 3, 3)


def test_the_typical_request_is_the_median_over_all_pods_and_not_of_those_who_ask() -> None:
    story = Story().step(1).node("a", resources={"example.com/gpu": "4"})
    for name, gpus in (("one", "1"), ("two", "2"), ("silent", "0")):
        story.pod(name, requests={"example.com/gpu": gpus} if gpus != "0" else None)
    row = list(analysis.table(story.status(), "fragmentation").records())[3]
    assert (row["resource"], row["typicalRequest"]) == ("example.com/gpu", 1)


def test_what_is_free_where_the_largest_pending_pod_does_not_fit_is_blocked() -> None:
    story = Story().step(1).node("a", cpu="4", memory="4Gi").node("b", cpu="4", memory="4Gi")
    story.pod("web", cpu="3", memory="1Gi").bind("web", "a")
    story.pod("small", cpu="1", memory="1Gi").refuse("small")
    story.pod("large", cpu="3", memory="1Gi").refuse("large")
    row = next(analysis.table(story.status(), "fragmentation").records())
    assert (row["largestPending"], row["largestRequest"]) == ("default/large", 3000)
    assert (row["free"], row["blocked"], row["blockedRate"]) == (5000, 1000, 0.2)


def test_the_largest_pending_pod_is_the_one_with_the_largest_share_of_anything() -> None:
    story = Story().step(1).node("a", cpu="100", memory="10Gi")
    story.pod("thinker", cpu="20", memory="1Gi").refuse("thinker")
    story.pod("keeper", cpu="1", memory="8Gi").refuse("keeper")
    assert set(analysis.table(story.status(), "fragmentation").column("largestPending")) == {
        "default/keeper"
    }


def test_the_largest_pending_pod_is_that_of_the_step_even_without_nodes() -> None:
    story = Story().step(1).pod("one", cpu="1").refuse("one").step(2).step(3).delete("Pod", "one")
    story.pod("two", cpu="2").refuse("two")
    largest = analysis.table(story.status(), "fragmentation").column("largestPending")
    assert largest == ["default/one"] * 6 + ["default/two"] * 3


def test_idle_steps_are_like_the_step_before() -> None:
    story = rivalry().step(4).step(5).step(6).delete("Pod", "web")
    for table in (
        analysis.table(story.status(), "balance"),
        analysis.table(story.status(), "fragmentation"),
    ):
        by_step = {step: [row[1:] for row in table.rows if row[0] == step] for step in range(3, 7)}
        assert by_step[3] == by_step[4] == by_step[5] != by_step[6]


def test_each_pod_has_a_row_with_what_became_of_it() -> None:
    rows = {row["pod"]: row for row in analysis.table(rivalry().status(), "pods").records()}
    assert list(rows) == [f"default/{name}" for name in ("web", "batch", "db", "big", "small")]
    batch, big = rows["default/batch"], rows["default/big"]
    assert (batch["status"], batch["node"], batch["preemptedBy"]) == (
        "Preempted",
        "b",
        "default/db",
    )
    assert (batch["createdAt"], batch["boundAt"], batch["preemptedAt"]) == (1, 1, 2)
    assert (big["status"], big["node"], big["boundAt"]) == ("Pending", None, None)
    assert (big["pendingSteps"], big["attempts"], big["message"]) == (1, 2, NO_ROOM)
    assert (rows["default/db"]["priority"], rows["default/db"]["message"]) == (100, None)


def test_pending_tells_who_waited_and_who_still_waits() -> None:
    story = Story().step(1).node("a", cpu="1").pod("first", cpu="1").refuse("first")
    story.pod("gated", gated=True).pod("lucky", cpu="1").bind("lucky", "a")
    story.step(3).bind("first", "a").pod("last", cpu="1").refuse("last")
    story.step(4).refuse("last")
    rows = [
        (row["pod"], row["status"], row["pendingSteps"], row["message"])
        for row in analysis.table(story.status(), "pending").records()
    ]
    assert rows == [
        ("default/gated", "Gated", 3, ""),
        ("default/last", "Pending", 1, NO_ROOM),
        ("default/first", "Scheduled", 2, None),
    ]


def test_a_pod_that_went_unscheduled_has_waited_until_it_went() -> None:
    story = Story().step(1).pod("web", cpu="1").refuse("web").step(4).delete("Pod", "web").step(9)
    (row,) = analysis.table(story.status(), "pending").records()
    assert (row["status"], row["pendingSteps"]) == ("Deleted", 3)


def test_preemptions_name_the_victim_and_who_came_in_its_place() -> None:
    (row,) = analysis.table(rivalry().status(), "preemptions").records()
    assert (row["step"], row["pod"], row["node"], row["priority"]) == (2, "default/batch", "b", 0)
    assert (row["preemptedBy"], row["preemptorPriority"], row["preemptorNode"]) == (
        "default/db", 100, "b",
    )  # fmt: skip


def test_attempts_are_counted_by_profile_and_result() -> None:
    table = analysis.attempts(rivalry().status())
    assert table.names == (
        "profile", "result", "attempts", "pods", "evaluatedNodes", "feasibleNodes",
    )  # fmt: skip
    assert table.rows == [
        ("default-scheduler", "scheduled", 4, 4, 8, 4),
        ("default-scheduler", "unschedulable", 2, 1, 4, 0),
    ]


def test_attempts_are_counted_by_whatever_is_asked_for() -> None:
    story = rivalry()
    by_step = analysis.attempts(story.status(), by=("step", "result"))
    assert [row[:3] for row in by_step.rows] == [
        (1, "scheduled", 2),
        (2, "scheduled", 1),
        (2, "unschedulable", 1),
        (3, "scheduled", 1),
        (3, "unschedulable", 1),
    ]
    assert analysis.attempts(story.status(), by=("pod",)).rows[1][:2] == ("default/big", 2)
    with pytest.raises(InputError, match='no "colour"'):
        analysis.attempts(story.status(), by=("colour",))


def test_every_attempt_is_told_of_once_though_each_event_tells_of_all_before() -> None:
    table = analysis.attempt_log(rivalry().status())
    assert table.column("attempt") == [1, 2, 3, 4, 5, 6]
    assert table.rows[3][1:6] == (2, "default/big", "default-scheduler", "unschedulable", None)


def test_the_victims_of_an_attempt_are_counted() -> None:
    story = rivalry()
    event = next(each for each in story.timeline["2"] if each["operation"] == "PodScheduled")
    (attempt,) = event["podScheduled"]["scheduleResult"]
    attempt["preemption"] = {"nominatedNode": "b", "victims": ["default/batch"]}
    row = list(analysis.attempt_log(story.status()).records())[2]
    assert (row["nominatedNode"], row["victims"]) == ("b", 1)


def test_the_summary_counts_each_pod_once() -> None:
    story = rivalry().pod("done").bind("done", "a").finish("done").pod("gone").delete("Pod", "gone")
    summary = analysis.summary(story.pod("held", gated=True).scenario("story"))
    assert (summary.name, summary.phase, summary.steps, summary.last_step) == (
        "story", "Succeeded", 3, 3,
    )  # fmt: skip
    assert (summary.scheduled, summary.pending, summary.gated) == (3, 1, 1)
    assert (summary.preempted, summary.finished, summary.deleted) == (1, 1, 1)
    assert summary.pods == 8
    assert (summary.nodes, summary.nodes_used) == (2, 2)


def test_the_summary_has_resources_as_they_are_at_the_end() -> None:
    cpu = analysis.summary(rivalry().status()).resources["cpu"]
    assert (cpu.requested, cpu.allocatable, cpu.rate) == (3500, 4000, 0.875)
    assert (cpu.min, cpu.max, cpu.mean, cpu.stddev) == (0.75, 1.0, 0.875, 0.125)
    assert cpu.stranded_rate == 1.0


def test_the_summary_counts_waits_and_attempts() -> None:
    story = Story().step(1).node("a", cpu="2").pod("web", cpu="1").refuse("web")
    story.step(3).bind("web", "a").pod("db", cpu="1").bind("db", "a")
    summary = analysis.summary(story.status())
    assert (summary.pending_steps_mean, summary.pending_steps_max) == (1.0, 2)
    assert (summary.attempts, summary.attempts_by_result) == (
        3, {"scheduled": 2, "unschedulable": 1},
    )  # fmt: skip


def test_steps_tell_what_happened_in_them_and_what_was_left() -> None:
    rows = list(analysis.table(rivalry().status(), "steps").records())
    assert [(row["created"], row["scheduled"], row["pending"]) for row in rows] == [
        (2, 2, 0),
        (2, 1, 1),
        (1, 1, 1),
    ]
    assert [row["preempted"] for row in rows] == [0, 1, 0]
    assert [row["attempts"] for row in rows] == [2, 2, 2]


def test_a_digest_serves_for_all_tables() -> None:
    status = rivalry().status()
    told = analysis.digest(status)
    assert analysis.table(told, "pods") == analysis.table(status, "pods")
    assert analysis.table(told, "fragmentation") == analysis.table(status, "fragmentation")
    assert analysis.summary(told) == analysis.summary(status)
