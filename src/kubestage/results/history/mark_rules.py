"""Which changes of a cluster are worth a mark on a line of time, and what the mark says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from kubestage.objects import gvk, node_pools
from kubestage.results.life import autoscalers, disruptions, node_groups, rollouts, workloads
from kubestage.results.life.marks import (
    ACTION,
    EVICTION,
    FAILURE,
    PREEMPTION,
    RESCALE,
    ROLLOUT,
    STEP,
)
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.store.log import Change

UNSCHEDULABLE: Final = "unschedulable"
NODE_GROUP: Final = "node-group"
RESTART: Final = "restart"
KINDS: Final = (
    FAILURE, UNSCHEDULABLE, PREEMPTION, EVICTION, RESCALE, NODE_GROUP, ROLLOUT, STEP, ACTION,
    RESTART,
)  # fmt: skip
"""The kinds of marks; those of a record of a living run have the same names."""

Severity = Literal["info", "warning", "bad"]
# Events whose content other marks have.
_COVERED: Final = frozenset(
    {"FailedScheduling", "Preempted", "Evicted", "TaintManagerEviction", "NodeNotReady", "BackOff"}
)
_WAITING: Final = frozenset(
    {
        "CrashLoopBackOff", "CreateContainerConfigError", "CreateContainerError", "ErrImagePull",
        "ImagePullBackOff", "InvalidImageName", "RunContainerError",
    }
)  # fmt: skip
_STATUSES: Final = ("containerStatuses", "initContainerStatuses")


class Found(NamedTuple):
    """What a change means; `things` is what several of them are called."""

    kind: str
    subject: str
    text: str
    severity: Severity
    things: str


class MarkRules:
    """Reads one change after the other; it remembers only what is under way."""

    def __init__(self) -> None:
        self._failed_nodes: set[str] = set()
        self._rolling: set[tuple[str, str]] = set()
        self._rules: dict[tuple[str, str], Callable[[Change], Iterator[Found]]] = {
            ("", "Pod"): _of_pod,
            ("", "Node"): self._of_node,
            ("", "Event"): _of_event,
            ("apps", "Deployment"): self._of_workload,
            ("apps", "StatefulSet"): self._of_workload,
            ("apps", "DaemonSet"): self._of_workload,
            ("apps", "ReplicaSet"): self._of_workload,
            ("", "ReplicationController"): self._of_workload,
            (gvk.SCENARIO[0].partition("/")[0], "Scenario"): _of_scenario,
        }

    def of(self, change: Change) -> Iterator[Found]:
        """What a change means."""
        rule = self._rules.get((change.kind.group, change.kind.kind))
        return iter(()) if rule is None else rule(change)

    def _of_node(self, change: Change) -> Iterator[Found]:
        name, pool = change.key, node_pools.of(change.new)
        subject, where = f"node/{name}", f" in {pool}" if pool else ""
        if change.type != "MODIFIED":
            is_new = change.type == ADDED
            self._failed_nodes.discard(name)
            text = f"node {name} {'added' if is_new else 'removed'}{where}"
            things = "nodes added" if is_new else "nodes removed"
            yield Found(NODE_GROUP, subject, text, "info", things)
            return
        assert change.old is not None
        was, is_ready = node_groups.is_ready(change.old), node_groups.is_ready(change.new)
        if was and not is_ready:
            self._failed_nodes.add(name)
            yield Found(FAILURE, subject, f"node {name} is not Ready", "bad", "nodes not Ready")
        elif is_ready and not was and name in self._failed_nodes:
            self._failed_nodes.remove(name)
            text = f"node {name} is Ready again"
            yield Found(FAILURE, subject, text, "info", "nodes Ready again")

    def _of_workload(self, change: Change) -> Iterator[Found]:
        old, new, kind = change.old, change.new, change.kind.kind
        place = kind, change.key
        if old is None or change.type == DELETED:
            self._rolling.discard(place)
            return
        if kind == "ReplicaSet" and workloads.controller(new) is not None:
            return
        subject = f"{kind.lower()}/{change.key}"
        if old["spec"] is not new["spec"]:
            before, after = workloads.desired(old), workloads.desired(new)
            if kind != "DaemonSet" and before != after:
                text = f"{kind} {change.key} scaled from {before} to {after}"
                yield Found(RESCALE, subject, text, "info", "workloads scaled")
            if rollouts.begins(old, new):
                self._rolling.add(place)
                text = f"{kind} {change.key}: {rollouts.described(old, new)}"
                yield Found(ROLLOUT, subject, text, "info", "rollouts")
        if place in self._rolling and rollouts.is_complete(new):
            self._rolling.remove(place)
            text = f"{kind} {change.key}: rollout complete"
            yield Found(ROLLOUT, subject, text, "info", "rollouts")


def _of_pod(change: Change) -> Iterator[Found]:
    old, new, key = change.old, change.new, change.key
    if old is None:
        return
    subject = f"pod/{key}"
    reason = disruptions.ended_by(change)
    if reason == disruptions.PREEMPTED:
        yield Found(PREEMPTION, subject, f"pod {key} preempted", "warning", "pods preempted")
    elif reason:
        yield Found(EVICTION, subject, f"pod {key} evicted: {reason}", "warning", "pods evicted")
    if change.type == DELETED or old.get("status") is new.get("status"):
        return
    restarts = disruptions.restarted(change)
    if restarts:
        text = f"pod {key}: a container restarted"
        yield Found(RESTART, subject, text, "warning", "restarts of containers")
    message = _unschedulable(new)
    if message is not None and _unschedulable(old) is None:
        text = f"pod {key} is unschedulable: {message}"
        yield Found(UNSCHEDULABLE, subject, text, "warning", "pods unschedulable")
    for trouble in sorted(_troubles(new) - _troubles(old)):
        yield Found(FAILURE, subject, f"pod {key}: {trouble}", "bad", "failures of pods")


def _of_event(change: Change) -> Iterator[Found]:
    event = change.new
    if change.type != ADDED:
        return
    reason, about = str(event.get("reason") or ""), event.get("involvedObject") or {}
    key = "/".join(str(about[name]) for name in ("namespace", "name") if about.get(name))
    kind = str(about.get("kind") or "")
    text = f"{kind} {key}: {reason}: {event.get('message') or ''}"
    subject = f"{kind.lower()}/{key}"
    if autoscalers.is_vpa_decision(event):
        yield Found(RESCALE, subject, text, "info", "workloads scaled")
    elif event.get("type") == "Warning" and reason not in _COVERED:
        yield Found(FAILURE, subject, text, "warning", "warnings")


def _of_scenario(change: Change) -> Iterator[Found]:
    if change.type == DELETED:
        return
    before = ((change.old or {}).get("status") or {}).get("step")
    step = (change.new.get("status") or {}).get("step")
    if step is not None and step != before:
        text = f"Scenario {change.key}: step {step} begins"
        yield Found(STEP, f"scenario/{change.key}", text, "info", "steps")


def _unschedulable(pod: Json) -> str | None:
    """Why a pod has no node; None unless the scheduler has reported that."""
    for each in (pod.get("status") or {}).get("conditions") or ():
        if each.get("type") == "PodScheduled":
            is_so = each.get("status") == "False" and each.get("reason") == "Unschedulable"
            return str(each.get("message") or "") if is_so else None
    return None


def _troubles(pod: Json) -> set[str]:
    """What is wrong with a pod and its containers."""
    status, found = pod.get("status") or {}, set()
    if status.get("phase") == "Failed":
        found.add(
            f"failed: {status.get('reason') or status.get('message') or 'a container failed'}"
        )
    for name in _STATUSES:
        for each in status.get(name) or ():
            state = each.get("state") or {}
            waiting = (state.get("waiting") or {}).get("reason")
            if waiting in _WAITING:
                found.add(f"container {each['name']}: {waiting}")
            ended = state.get("terminated") or {}
            if ended.get("exitCode"):
                reason = ended.get("reason") or "Error"
                found.add(f"container {each['name']}: {reason} (exit code {ended['exitCode']})")
    return found
