"""Fragmentation by typical pods, against the definition one node and one pod at a time."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.fragmentation import PodShape, TypicalPods

shapes = st.lists(
    st.builds(
        PodShape,
        st.sampled_from([0, 1000, 8000]),
        st.sampled_from([0, 200, 500, 1000]),
        st.integers(1, 3),
    ).map(lambda each: each if each.share else each._replace(number=0)),
    min_size=1,
    max_size=12,
)
nodes = st.lists(
    st.tuples(
        st.sampled_from([0, 1000, 9000]), st.lists(st.sampled_from([0, 300, 1000]), max_size=4)
    ),
    min_size=1,
    max_size=5,
)


def _by_definition(pods: list[PodShape], cpu: int, devices: list[int]) -> float:
    total = 0.0
    for pod in pods:
        fitting = [free for free in devices if free >= pod.share]
        if not pod.number or len(fitting) < pod.number or cpu < pod.milli_cpu:
            total += sum(devices)
        else:
            total += sum(free for free in devices if free < pod.share)
    return total / len(pods)


@hypothesis.given(shapes, nodes)
def test_fragmentation_is_as_defined(
    pods: list[PodShape], cluster: list[tuple[int, list[int]]]
) -> None:
    typical = TypicalPods(pods, threshold=100)
    width = max(len(devices) for _, devices in cluster)
    rows = [devices + [0] * (width - len(devices)) for _, devices in cluster]
    table = np.array(rows, np.int64).reshape(len(cluster), width)
    cpu = np.array([each for each, _ in cluster])
    found = typical.fragmentation(cpu, table)
    expected = [_by_definition(pods, each, devices) for each, devices in cluster]
    assert found.tolist() == pytest.approx(expected)
    # Many nodes are counted in another way.
    often = typical.fragmentation(np.tile(cpu, 80), np.tile(table, (80, 1)))
    assert often.tolist() == pytest.approx(expected * 80)


def test_the_most_popular_shapes_are_typical() -> None:
    common, usual, rare = PodShape(1, 1, 1), PodShape(2, 2, 1), PodShape(3, 3, 1)
    pods = [common] * 60 + [usual] * 36 + [rare] * 4
    assert TypicalPods(pods).shapes == [common, usual]
    assert TypicalPods(pods, threshold=60).shapes == [common]
    assert TypicalPods(pods, threshold=100).shapes == [common, usual, rare]
