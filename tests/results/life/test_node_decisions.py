"""The record of decisions about nodes: bounded, and the one source of why nodes come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.node_decisions import Departure, Finding, Purchase, Verdict
from kubestage.results.life import node_decisions
from kubestage.results.life.node_decisions import NodeDecisionRecord
from kubestage.results.report import node_decisions as page
from kubestage.sim.clock import Clock
from kubestage.testing import make_node
from tests.controllers.karpenter.lifecycle import stages
from tests.results.life.living import ended
from tests.results.life.test_node_lives import followed, grown_and_shrunk

if TYPE_CHECKING:
    from kubestage.results.life.life import Life


def test_verdicts_that_are_left_out_are_counted_in_table_and_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(node_decisions, "MOST_VERDICTS", 1)
    life = grown_and_shrunk()
    rows = life.rows("node-decisions")
    assert [row["decision"] for row in rows].count(node_decisions.LEFT_OUT) == 1
    assert rows[-1]["decision"] == node_decisions.LEFT_OUT
    assert rows[-1]["reason"].endswith("more verdicts on nodes, after the first 1")
    assert f"Left out: {rows[-1]['reason']}." in page.section(life)


def test_nothing_is_left_out_of_a_small_run() -> None:
    life = grown_and_shrunk()
    decisions = {row["decision"] for row in life.rows("node-decisions")}
    assert node_decisions.LEFT_OUT not in decisions
    assert "Left out" not in page.section(life)


def moved_by_karpenter() -> Life:
    """A node for six pods, and a smaller one in its place when four of them go."""
    stage = stages.staged(stages.make_web(6))
    recorder = followed(stage)
    stages.run(stage, 120)
    stages.scale(stage, 2)
    stages.run(stage, 600)
    return ended(recorder)


@pytest.fixture(scope="module", params=[grown_and_shrunk, moved_by_karpenter])
def life(request: pytest.FixtureRequest) -> Life:
    """A run of cluster-autoscaler, and one of Karpenter, in which two nodes are bought."""
    lived: Life = request.param()
    return lived


def test_the_tables_agree_on_why_nodes_come_and_go(life: Life) -> None:
    decided = life.rows("node-decisions")
    bought = {each["nodeClaim"]: each for each in decided if each["decision"] == "bought"}
    left = {each["node"]: each for each in decided if each["decision"] == "leaves"}
    lives = life.rows("lifetimes")
    assert len(lives) == len(bought) == 2
    shown = {(each["decision"], each["subject"]): each["reason"] for each in life.rows("decisions")}
    for each in lives:
        name = each["node"]
        reason = bought[name]["reason"]
        assert shown["node added", f"node/{name}"] == each["whyAdded"]
        if each["whyAdded"].startswith("for "):
            assert each["whyAdded"].removeprefix("for ") in reason
        else:
            assert each["whyAdded"] == "replaces nodes: Underutilized"
            assert "(Underutilized)" in reason
        if each["toSeconds"] is not None:
            assert shown["node removed", f"node/{name}"] == each["whyRemoved"]
            assert left[name]["reason"].startswith(f"{each['whyRemoved']}: ")


def test_purchases_and_removals_are_marked_whoever_decides(life: Life) -> None:
    (kind,) = {
        "nodeclaim" if each["by"] == "karpenter" else "node" for each in life.rows("node-decisions")
    }
    marked = [(row["mark"], row["subject"].partition("/")[0]) for row in life.rows("marks")]
    assert marked.count(("purchase", kind)) == 2
    assert marked.count(("disruption", "node")) == len(
        [row for row in life.rows("lifetimes") if row["toSeconds"] is not None]
    )


def _lived(record: NodeDecisionRecord, number: int, clock: Clock) -> None:
    """A node that is bought, kept for a reason, and goes."""
    name = f"n-{number}"
    at = clock.unix_ns
    record.on_decision(Purchase(at, "karpenter", name, "pool", "for pods that fit on no node"))
    finding = Finding(at, "single", "kept", "there is none cheaper")
    record.on_decision(Verdict(at, "karpenter", name, name, "pool", True, (finding,)))
    record.on_decision(Departure(at, "karpenter", name, name, "pool", "Empty: delete"))


def test_a_record_that_forgets_keeps_what_is_there_and_the_newest_of_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(node_decisions, "MOST_VERDICTS", 30)
    monkeypatch.setattr(node_decisions, "MOST_GONE", 5)
    stage = stages.staged()
    stage.apply([make_node("n-0")])
    record = NodeDecisionRecord(stage.clock, forgets=True)
    record.follow(stage.store, None)
    for number in range(100):
        _lived(record, number, stage.clock)
    for known in (record.purchases, record.departures, record.verdicts):
        assert "n-0" in known
        assert "n-99" in known
        assert len(known) < 40
    assert len(list(record.marks())) <= 60
    assert record.left_out == 0


def test_a_record_that_forgets_keeps_the_newest_verdicts_on_a_node() -> None:
    clock = Clock()
    record = NodeDecisionRecord(clock, forgets=True)
    for number in range(1000):
        finding = Finding(number, "single", f"kept {number}")
        record.on_decision(Verdict(number, "karpenter", "a", "a", "pool", True, (finding,)))
    kept = record.verdicts["a"]
    assert len(kept) <= 40
    assert kept[-1].at_ns == 999


def test_a_node_that_has_the_name_of_an_earlier_one_begins_anew() -> None:
    clock = Clock()
    record = NodeDecisionRecord(clock)
    _lived(record, 1, clock)
    assert (record.why_added("n-1"), record.why_removed("n-1")) != ("", "")
    record.on_decision(Purchase(5, "karpenter", "n-1", "pool", "", pods=("a/b",)))
    assert (record.why_added("n-1"), record.why_removed("n-1")) == ("for 1 pod", "")
    assert record.verdicts == {}


def test_a_removal_that_failed_is_none() -> None:
    record = NodeDecisionRecord(Clock())
    record.on_decision(Departure(1, "cluster-autoscaler", "a", "", "pool", "ScaleDown: unneeded"))
    assert record.why_removed("a") == "ScaleDown"
    finding = Finding(2, "scale-down", "BlockedByPod", "pod b/c keeps it")
    record.on_decision(Verdict(2, "cluster-autoscaler", "a", "", "pool", False, (finding,)))
    assert record.why_removed("a") == ""
