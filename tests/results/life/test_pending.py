"""Which pods have no node at the end of a living run, and why."""

from __future__ import annotations

from typing import Any

from kubestage.results.life import pending
from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod


def _stage(*pods: dict[str, Any]) -> Stage:
    stage = Stage()
    stage.load([make_node("a", cpu="1"), *pods])
    stage.add_scheduler()
    stage.add_controllers()
    stage.run("10s")
    return stage


def test_reasons_are_told_once_with_the_most_frequent_first() -> None:
    gated = make_pod("gated")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
    told = pending.of(_stage(gated, *(make_pod(f"big-{at}", cpu="2") for at in range(5))).store)
    assert (told["pods"], told["of"]) == (6, 6)
    big, held = told["reasons"]
    assert big["reason"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert pending.named(big) == "default/big-0, default/big-1, default/big-2 and 2 more"
    assert held["reason"] == "held back by its gates: example.com/wait"


def test_where_every_pod_has_a_node_there_is_nothing_to_tell() -> None:
    told = pending.of(_stage(make_pod("web")).store)
    assert told == {"pods": 0, "of": 1, "reasons": []}
    assert pending.headline(told) == ""


def test_a_headline_counts_in_grammar() -> None:
    assert pending.headline({"pods": 1, "of": 1}) == "The only pod is pending"
    assert pending.headline({"pods": 1, "of": 3}) == "1 of 3 pods is pending"
    assert pending.headline({"pods": 2000, "of": 3000}) == "2,000 of 3,000 pods are pending"


def test_a_pod_nobody_has_tried_says_so() -> None:
    stage = Stage()
    stage.load([make_pod("lonely")])
    (reason,) = pending.of(stage.store)["reasons"]
    assert reason["reason"].startswith("no reason is given")
