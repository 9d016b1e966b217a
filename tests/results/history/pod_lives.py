"""A cluster in which much happens to pods, recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from kubestage import Stage
from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.results.history.slices import Slices
from kubestage.testing import make_deployment, make_job, make_node, make_pod, make_priority_class

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.results.history.cluster_history import HistoryLimits


def lived(
    limits: HistoryLimits | None = None, on_step: Callable[[ClusterHistory], None] | None = None
) -> tuple[Stage, ClusterHistory]:
    """Two nodes for five minutes: a rollout, a Job, preemption, a cordon, a node that is lost."""
    stage = Stage(seed=3)
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    history = ClusterHistory(stage.store, stage.clock, limits)
    stage.apply([make_node("a", cpu="2"), make_priority_class("urgent", 100)])
    history.start()
    steps: list[Any] = [
        lambda: stage.apply([make_node("b", cpu="2"), make_deployment("web", replicas=2, cpu="1")]),
        lambda: stage.apply(
            [make_job("task", completions=3, cpu="100m"), make_pod("low", cpu="800m")]
        ),
        lambda: stage.apply([make_pod("huge", cpu="64")]),
        lambda: stage.apply([make_pod("high", cpu="1500m", priority_class_name="urgent")]),
        lambda: stage.store.patch(("v1", "Node"), "b", {"spec": {"unschedulable": True}}),
        lambda: stage.apply([make_deployment("web", replicas=3, cpu="1")]),
        lambda: stage.store.delete(("v1", "Node"), "b"),
    ]
    for step in steps:
        step()
        stage.run("40s")
        if on_step is not None:
            on_step(history)
    stage.run("20s")
    return stage, history


def rows_of(history: ClusterHistory) -> dict[str, Any]:
    """The rows of a history, as a reader of the API sees them."""
    slices = Slices(history)
    for _ in slices.catch_up():
        pass
    found: dict[str, Any] = as_json(slices.answer())
    return found


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))
