"""Events of the scheduler leave a full store nearly as it is."""

from __future__ import annotations

from kubestage.stage import Stage
from kubestage.testing import make_node, make_pod

PODS = 100


def test_events_of_placed_pods_stop_where_those_of_others_do() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.load([make_node(f"n{number}", cpu="64") for number in range(4)])
    for number in range(PODS):
        stage.store.create(make_pod(f"p{number}", cpu="100m"))
    held = stage.store.object_count
    stage.store.object_limit.most = held
    stage.run("1s")
    placed = stage.store.read(("v1", "Pod")).values()
    assert sum("nodeName" in each["spec"] for each in placed) == PODS
    assert stage.store.object_count == held + held // 10
