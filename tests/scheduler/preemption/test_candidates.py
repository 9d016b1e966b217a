"""Which nodes are tried, in which order and how many."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kubestage.scheduler.diagnosis import Diagnosis
from kubestage.scheduler.preemption import candidates
from kubestage.scheduler.status import unresolvable, unschedulable
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scheduler.columns import Columns


def _columns(count: int) -> Columns:
    return crowd.Crowd(*(crowd.node(f"node-{number}") for number in range(count))).cache.columns


def test_only_what_removing_pods_may_mend_is_tried() -> None:
    diagnosis = Diagnosis(_columns(5))
    diagnosis.add(np.array([0, 3]), unschedulable("full"))
    diagnosis.add(np.array([1]), unresolvable("wrong place"))
    diagnosis.named = {"node-3": unresolvable("said an extender"), "gone": unschedulable("?")}
    diagnosis.named["node-2"] = unschedulable("said another")
    assert candidates.potential_rows(diagnosis).tolist() == [0, 2]


def test_a_rejection_of_the_pod_itself_leaves_all_nodes_to_try() -> None:
    diagnosis = Diagnosis(_columns(3), absent=unschedulable("claim in use"))
    diagnosis.add(np.array([1]), unresolvable("wrong place"))
    assert candidates.potential_rows(diagnosis).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("nodes", "percentage", "absolute", "expected"),
    [(5000, 10, 100, 500), (500, 10, 100, 100), (50, 10, 100, 50), (19, 10, 0, 1), (9, 10, 0, 0)],
)
def test_how_many_candidates_are_enough(
    nodes: int, percentage: int, absolute: int, expected: int
) -> None:
    assert candidates.candidate_count(nodes, percentage, absolute) == expected


def _line(count: int, *guarded: int) -> list[Json]:
    """Nodes with one victim each; a budget protects the victims on some of them."""
    objects = [crowd.node(f"node-{number}") for number in range(count)]
    for number in range(count):
        labels = {"app": "db"} if number in guarded else {}
        victim = crowd.pod(f"pod-{number}", f"node-{number}", 4, labels=labels, start=number)
        objects.append(victim)
    return [*objects, crowd.budget("db", 0, app="db"), crowd.pod("new", cpu=4, priority=10)]


def test_the_dry_run_ends_when_there_are_enough_candidates() -> None:
    crowded = crowd.Crowd(*_line(5), minCandidateNodesPercentage=0, minCandidateNodesAbsolute=2)
    told = crowded.preempt("new")
    assert (list(told["dryRun"]), told["nominatedNode"]) == (["node-0", "node-1"], "node-1")


def test_it_goes_on_until_one_of_them_breaks_no_budget() -> None:
    crowded = crowd.Crowd(
        *_line(5, 0, 1, 2), minCandidateNodesPercentage=0, minCandidateNodesAbsolute=1
    )
    told = crowded.preempt("new")
    assert (len(told["dryRun"]), told["nominatedNode"]) == (4, "node-3")


def test_violating_candidates_beyond_the_wanted_number_are_not_considered() -> None:
    crowded = crowd.Crowd(
        *_line(3, 0, 1, 2), minCandidateNodesPercentage=0, minCandidateNodesAbsolute=1
    )
    told = crowded.preempt("new")
    assert (len(told["dryRun"]), told["nominatedNode"]) == (3, "node-0")


def test_the_dry_run_starts_where_the_stream_says() -> None:
    def tried(seed: int) -> list[str]:
        crowded = crowd.Crowd(
            *_line(6),
            stream=random.Random(seed),
            minCandidateNodesPercentage=0,
            minCandidateNodesAbsolute=2,
        )
        return list(crowded.preempt("new")["dryRun"])

    assert tried(7) == tried(7)
    starts = {tuple(tried(seed)) for seed in range(20)}
    assert starts == {(f"node-{at}", f"node-{(at + 1) % 6}") for at in range(6)}
