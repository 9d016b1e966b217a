"""The measures that come with kubestage equal what is computed from scratch."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kubestage import Stage
from kubestage.scheduler.device_measures import (
    SHIPPED,
    DeviceAllocation,
    DeviceFragmentation,
)
from kubestage.scheduler.fragmentation import PodShape, TypicalPods
from kubestage.testing import make_node, make_pod

COUNT, SHARE = "alibabacloud.com/gpu-count", "alibabacloud.com/gpu-milli"


def _stage(*measures: Any, pods: int = 40) -> Stage:
    chosen = random.Random(2)
    stage = Stage(seed=1)
    stage.apply([make_node(f"n{at}", cpu="16", labels={COUNT: "4"}) for at in range(5)])
    stage.add_scheduler(measures=measures)
    for at in range(pods):
        share = chosen.choice(("200", "500", "1000"))
        stage.apply([make_pod(f"p{at}", cpu="1", annotations={SHARE: share})])
    stage.run("1s")
    return stage


def _last(stage: Stage) -> dict[str, float]:
    assert stage.scheduler is not None
    found = stage.scheduler.measuring.series()
    return {definition.name: values[-1].value for definition, values in found}


def test_allocation_is_what_pods_have_of_all_devices() -> None:
    stage = _stage(DeviceAllocation, pods=12)
    assert stage.scheduler is not None
    requested = sum(
        int(pod["metadata"]["annotations"][SHARE])
        for pod in stage.store.read(("v1", "Pod")).values()
        if pod["spec"].get("nodeName")
    )
    assert _last(stage)["deviceAllocation"] == pytest.approx(requested / 20_000)


def test_fragmentation_equals_that_of_all_nodes_computed_again() -> None:
    stage = _stage(DeviceFragmentation)
    assert stage.scheduler is not None
    columns = stage.scheduler.cache.columns
    shapes = [
        PodShape(1000, int(pod["metadata"]["annotations"][SHARE]), 1)
        for pod in stage.store.read(("v1", "Pod")).values()
    ]
    free = columns.allocatable_of("cpu") - columns.requested_of("cpu")
    expected = TypicalPods(shapes).fragmentation(free, columns.devices("gpu").free)
    assert _last(stage)["deviceFragmentation"] == pytest.approx(expected.sum() / 20_000)
    assert expected.sum() > 0


@pytest.mark.parametrize("name", SHIPPED)
def test_a_cluster_without_devices_has_none(name: str) -> None:
    stage = Stage()
    stage.apply([make_node("a")])
    stage.add_scheduler(measures=[SHIPPED[name]])
    stage.apply([make_pod("web")])
    stage.run("1s")
    assert _last(stage) == {name: 0.0}
