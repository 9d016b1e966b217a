"""Stages that live for a while and are recorded, for tests of what is read from their history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import Stage
from kubestage.errors import ApiError
from kubestage.results.history.cluster_history import ClusterHistory
from kubestage.testing import make_deployment, make_node, make_pod
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.results.history.cluster_history import HistoryLimits

NODE: Final = ("v1", "Node")
POD: Final = ("v1", "Pod")
DEPLOYMENT: Final = ("apps/v1", "Deployment")
STEPS: Final = (
    "pod", "big pod", "node", "drop node", "drop pod", "deploy", "scale", "roll out", "cordon",
    "label", "wait",
)  # fmt: skip


def recorded(limits: HistoryLimits | None = None) -> tuple[Stage, ClusterHistory]:
    """A stage with two nodes, and its history from then on."""
    stage = Stage()
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    stage.apply([make_node("a", cpu="2"), make_node("b", cpu="2")])
    history = ClusterHistory(stage.store, stage.clock, limits)
    history.start()
    stage.run("1ms")
    return stage, history


def live(stage: Stage, steps: Iterable[str]) -> None:
    """Do one thing after the other; what is refused does not happen."""
    for number, step in enumerate(steps):
        try:
            _do(stage, step, number)
        except ApiError:
            continue


def _do(stage: Stage, step: str, number: int) -> None:
    store = stage.store
    if step == "pod":
        stage.apply([make_pod(f"p{number}", cpu="500m")])
    elif step == "big pod":
        stage.apply([make_pod(f"big{number}", cpu="99")])
    elif step == "node":
        stage.apply([make_node(f"n{number}", cpu="2", zone="ab"[number % 2])])
    elif step == "drop node":
        store.delete(NODE, _first(stage, NODE))
    elif step == "drop pod":
        namespace, _, name = _first(stage, POD).partition("/")
        store.delete(POD, name, namespace)
    elif step == "deploy":
        stage.apply([make_deployment("web", replicas=2)])
    elif step == "scale":
        store.patch(DEPLOYMENT, "web", {"spec": {"replicas": number % 5}})
    elif step == "roll out":
        template = {"metadata": {"annotations": {"step": str(number)}}}
        store.patch(DEPLOYMENT, "web", {"spec": {"template": template}})
    elif step == "cordon":
        store.patch(NODE, _first(stage, NODE), {"spec": {"unschedulable": number % 2 == 0}})
    elif step == "label":
        namespace, _, name = _first(stage, POD).partition("/")
        labels: dict[str, Any] = {"metadata": {"labels": {"step": str(number)}}}
        store.patch(POD, name, labels, namespace)
    else:
        stage.run(3 * SECOND_NS)


def _first(stage: Stage, kind: tuple[str, str]) -> str:
    return next(iter(stage.store.read(kind)), "none")
