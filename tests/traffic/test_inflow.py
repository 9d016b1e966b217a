"""Requests are taken from a feed in blocks that are neither too small nor too large."""

from __future__ import annotations

import numpy as np

from kubestage.sim.clock import NEVER_NS
from kubestage.traffic.inflow import Block, Inflow
from tests.traffic.feeds import SECOND, Listed, Poisson, each


def blocks(inflow: Inflow) -> list[Block]:
    found = []
    while inflow.horizon_ns != NEVER_NS:
        found.append(inflow.take())
    return found


def test_all_arrivals_come_once_and_before_the_horizon() -> None:
    times = [1 + at * 777_777_777 for at in range(500)]
    inflow = Inflow(each(*[(at, 1.0, 2) for at in times]))
    taken: list[int] = []
    while inflow.horizon_ns != NEVER_NS:
        begin_ns, block = inflow.horizon_ns, inflow.take()
        assert all(begin_ns <= at < inflow.horizon_ns for at in block.at_ns.tolist())
        taken += block.at_ns.tolist()
    assert taken == times


def test_blocks_grow_longer_while_few_requests_come() -> None:
    inflow = Inflow(Poisson(4, 1))
    sizes = [len(inflow.take().at_ns) for _ in range(40)]
    assert inflow.horizon_ns > 10_000 * SECOND
    assert 1_000 < max(sizes) < 16_384


def test_a_sudden_rush_is_handed_out_in_several_blocks() -> None:
    slow = [(1 + at * SECOND, 1.0, 0) for at in range(2_000)]
    rush = [(2_000 * SECOND + at * 1_000, 1.0, 0) for at in range(100_000)]
    found = blocks(Inflow(each(*slow, *rush)))
    assert max(len(block.at_ns) for block in found) == 16_384
    assert sum(len(block.cpu_ns) for block in found) == 102_000


def test_those_of_one_instant_are_in_one_block() -> None:
    rows = [(5, 1.0, 0)] * 16_383 + [(6, 1.0, 0)] * 10 + [(7, 1.0, 0)] * 3
    found = [block.at_ns.tolist() for block in blocks(Inflow(each(*rows)))]
    assert [len(block) for block in found if block] == [16_393, 3]


def test_idle_time_is_skipped() -> None:
    inflow = Inflow(each((1_000_000 * SECOND, 1.0, 0)))
    assert len(inflow.take().at_ns) == 1


def test_nothing_arrives_at_time_zero() -> None:
    inflow = Inflow(Listed([(0, 1.0, 0, 0.5)], begin_ns=0))
    assert np.array_equal(inflow.take().at_ns, [1])


def test_a_feed_that_begins_later_is_not_asked_before() -> None:
    inflow = Inflow(Listed([(90 * SECOND, 1.0, 0, 0.5)], begin_ns=80 * SECOND))
    assert inflow.horizon_ns == 80 * SECOND
