"""A kubelet by hand: tests say when a pod starts, fails and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import timestamps
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


POD = ("v1", "Pod")
MOMENT_NS = 1_000_000


def pods(stage: Stage) -> dict[str, Json]:
    """All pods by name."""
    return {pod["metadata"]["name"]: pod for pod in stage.store.list(POD).items}


def start(stage: Stage, *names: str, ready: bool = True) -> None:
    """Pods run, and are ready or not."""
    for name in names:
        _report(stage, name, "Running", ready=ready)
    stage.run(MOMENT_NS)


def finish(stage: Stage, name: str, phase: str = "Failed") -> None:
    """A pod comes to its end by itself."""
    _report(stage, name, phase, ready=False)
    stage.run(MOMENT_NS)


def end(stage: Stage, *names: str) -> None:
    """Pods whose deletion was asked for are gone."""
    for name in names:
        stage.store.delete(POD, name, options=DeleteOptions(grace_period_seconds=0))
    stage.run(MOMENT_NS)


def terminating(stage: Stage) -> list[str]:
    """The names of the pods whose deletion was asked for."""
    found = pods(stage).items()
    return [name for name, pod in found if "deletionTimestamp" in pod["metadata"]]


def bind(stage: Stage) -> None:
    """Put every pod on the node that it asks for."""
    for name, pod in pods(stage).items():
        if not pod["spec"].get("nodeName"):
            stage.store.bind(name, "default", node_of(pod))
    stage.run(MOMENT_NS)


def node_of(pod: Json) -> str:
    """The node that a pod is on, or asks for by name; any other may be on one like the rest."""
    if pod["spec"].get("nodeName"):
        return str(pod["spec"]["nodeName"])
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return "node"
    return str(required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])


def work(stage: Stage) -> bool:
    """Do one thing as a serial kubelet would: end what is to end, else start one pod."""
    stage.run(MOMENT_NS)
    ending = terminating(stage)
    if ending:
        end(stage, *ending)
        return True
    for name, pod in sorted(pods(stage).items()):
        if pod["status"]["phase"] == "Pending":
            start(stage, name)
            return True
    return False


def work_until_quiet(stage: Stage, most: int = 500) -> None:
    """Work as long as there is anything to do."""
    for _ in range(most):
        if not work(stage):
            return
    raise AssertionError("there is always something to do")


def _report(stage: Stage, name: str, phase: str, *, ready: bool) -> None:
    if not pods(stage)[name]["spec"].get("nodeName"):
        stage.store.bind(name, "default", node_of(pods(stage)[name]))
    now = timestamps.format_time(stage.clock.unix_ns)
    condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": now}
    status = {**pods(stage)[name]["status"], "phase": phase, "conditions": [condition]}
    stage.store.record_status(POD, f"default/{name}", status)
