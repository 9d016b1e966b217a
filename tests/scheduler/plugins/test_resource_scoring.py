from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.plugins import resource_scoring
from kubestage.scheduler.plugins.node_resources_balanced_allocation import balanced
from tests.reference import node_resources_balanced_allocation as balance_twin
from tests.reference import node_resources_fit as twin
from tests.scheduler.plugins import clusters
from tests.scheduler.plugins.test_node_resources_fit import plugin

_points = st.dictionaries(st.integers(0, 100), st.integers(0, 10), min_size=1, max_size=5)


@hypothesis.given(_points)
def test_a_shape_is_a_broken_line(points: dict[int, int]) -> None:
    shape = [{"utilization": x, "score": y} for x, y in sorted(points.items())]
    expected = [(x, y * 10) for x, y in sorted(points.items())]
    assert resource_scoring.ratio_shape(shape).tolist() == [
        twin.broken_line(expected, at) for at in range(101)
    ]


def test_a_falling_line_is_rounded_towards_its_beginning() -> None:
    shape = [{"utilization": 0, "score": 10}, {"utilization": 3, "score": 0}]
    assert resource_scoring.ratio_shape(shape)[:5].tolist() == [100, 67, 34, 0, 0]


def test_a_resource_that_scores_nothing_has_no_weight_in_the_ratio() -> None:
    over = clusters.columns([clusters.node("n")])
    strategy = {
        "type": "RequestedToCapacityRatio",
        "resources": [{"name": "cpu", "weight": 3}, {"name": "memory", "weight": 1}],
        "requestedToCapacityRatio": {
            "shape": [{"utilization": 50, "score": 0}, {"utilization": 100, "score": 10}]
        },
    }
    incoming = clusters.pod(requests={"cpu": "1", "memory": "6Gi"})
    found = clusters.scores(plugin(scoringStrategy=strategy), incoming, over)
    assert found == ([50], [50])


@pytest.mark.parametrize(
    ("strategy", "score"), [("LeastAllocated", 62), ("MostAllocated", 37)]
)  # fmt: skip
def test_only_what_a_node_offers_is_weighed(strategy: str, score: int) -> None:
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "1"}
    over = clusters.columns(
        [
            clusters.node("n", allocatable=allocatable),
            clusters.node("m", allocatable={"pods": "1"}),
        ]
    )
    resources = [{"name": name, "weight": 1} for name in ("cpu", "memory", "ephemeral-storage")]
    scoring = plugin(scoringStrategy={"type": strategy, "resources": resources})
    incoming = clusters.pod(requests={"cpu": "1", "memory": "4Gi"})
    assert clusters.scores(scoring, incoming, over) == ([score, 0], [score, 0])


@hypothesis.given(st.lists(st.integers(0, 1000), min_size=3, max_size=3), st.integers(0, 2))
def test_two_resources_of_three_are_balanced_by_half_their_distance(
    thousandths: list[int], missing: int
) -> None:
    fractions = np.array(thousandths)[None, :, None] / 1000
    offered = np.array([[line != missing] for line in range(3)])
    kept = [each / 1000 for line, each in enumerate(thousandths) if line != missing]
    assert balanced(fractions, offered).tolist() == [[balance_twin.balance(kept)]]


def test_the_last_digit_of_half_the_distance_counts() -> None:
    """The general formula for the standard deviation would give one less here."""
    differing = [
        (a, b)
        for a in range(101)
        for b in range(101)
        if balance_twin.balance([a / 100, b / 100]) != int((1 - np.std([a / 100, b / 100])) * 100)
    ]
    assert differing
    offered = np.array([[True], [True], [False]])
    for a, b in differing:
        fractions = np.array([a / 100, b / 100, 0.5])[None, :, None]
        expected = balance_twin.balance([a / 100, b / 100])
        assert balanced(fractions, offered).tolist() == [[expected]]
