"""How many more nodes are enough: searched, and proved by a run with one fewer."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.objects import gvk
from kubestage.objects.pod_resources import CPU, MEMORY, PODS
from kubestage.results.analysis import amounts
from kubestage.results.life import pending
from kubestage.results.life.workloads import desired
from kubestage.runs.rehearse import capacity, node_drain, settling
from kubestage.runs.rehearse.capacity import Headroom  # noqa: TC001 - msgspec reads it
from kubestage.runs.rehearse.settling import Activity
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.node_templates import NodeTemplate
    from kubestage.runs.rehearse.stage_copies import Trials
    from kubestage.stage import Stage

_COUNTED: Final = (CPU, MEMORY, PODS)
_DAEMONS_NS: Final = 10 * SECOND_NS
_CREATORS: Final = (gvk.STATEFUL_SET, gvk.REPLICA_SET)


class EnoughNodes(msgspec.Struct, frozen=True, rename="camel"):
    """How many nodes of a template are enough, or why no number is."""

    template: str
    nodes: int | None
    """How many more; None if no number within the limit is enough."""
    pending_with_one_fewer: int | None
    """How many pods that run left without a node, or that it did not even create."""
    reason: str
    """Why a pod has no node in the run with one fewer, or with as many as were tried."""
    most_nodes: int | None
    """The largest size of the NodeGroup, if it is one and has to be raised."""
    after: Headroom | None
    cost_per_hour: float | None = None
    """What that many nodes cost, if they have a price."""


class _Trial:
    """A copy of a cluster to which nodes are added."""

    def __init__(self, stage: Stage, template: NodeTemplate) -> None:
        self.stage = stage
        self.added = 0
        self.batches = 0
        self._template = template
        self._activity = Activity(stage)

    def add(self, count: int) -> None:
        """Add nodes, and let the cluster come to rest.

        Their daemons come first, as autoscalers expect it: a daemon that finds its node full has no
        other, and more nodes would not help it.
        """
        self.batches += 1
        has_daemons = bool(self.stage.store.read(gvk.DAEMON_SET))
        names = []
        for _ in range(count):
            node = self._template.node(self.stage, self.added)
            if has_daemons:
                node["spec"]["unschedulable"] = True
            names.append(self.stage.store.create(node)["metadata"]["name"])
            self.added += 1
        if has_daemons:
            self.stage.run(_DAEMONS_NS)
            for name in names:
                node_drain.uncordon(self.stage, name)
        self._activity.expect()
        settling.settle(self.stage, self._activity)


class _Shortfall(NamedTuple):
    """How many pods have no node, and why the most frequent one has none."""

    missing: int
    reason: str


class _Found(NamedTuple):
    """What a trial with some nodes leaves without one, and what there is if that is nothing.

    `known` are numbers of nodes that came at once, and what those left.
    """

    added: int
    batches: int
    left: _Shortfall
    known: dict[int, _Shortfall]
    after: Headroom | None


def enough(trials: Trials, template: NodeTemplate, most: int) -> EnoughNodes:
    """The smallest number of new nodes with which all pods have one, by the scheduler itself."""
    found = trials.run(functools.partial(_step_by_step, template=template, most=most))
    if found.left.missing:
        return EnoughNodes(template.name, None, *found.left, None, None)
    return _at_once(trials, template, most, found)


def _step_by_step(stage: Stage, template: NodeTemplate, most: int) -> _Found:
    """Add nodes until all pods have one, or as many as are allowed, or until that is no help."""
    trial = _Trial(stage, template)
    left = shortfall(stage)
    known = {0: left}
    while left.missing and trial.added < most:
        before, count = left.missing, lower_bound(stage, template)
        if count > 1:
            # One fewer than are needed at least: the next one may be enough.
            trial.add(min(count - 1, most - trial.added))
            left = shortfall(stage)
            before = left.missing
            if trial.batches == 1:
                known[trial.added] = left
        if left.missing and trial.added < most:
            trial.add(1)
            left = shortfall(stage)
        if left.missing == before and _is_no_help(stage, template):
            break
    return _found(trial, left, known)


def _at_once(trials: Trials, template: NodeTemplate, most: int, found: _Found) -> EnoughNodes:
    """The number for nodes that all come at once, near one that was found step by step.

    Pods that wait are spread over nodes that come together, and may leave no room for a large one.
    """
    known = found.known
    failing, count = max(known), found.added
    if found.batches > 1:
        found = _run(trials, template, count)
        while found.left.missing:
            known[count] = found.left
            if count >= most:
                return EnoughNodes(template.name, None, *found.left, None, None)
            failing, count = count, count + 1
            found = _run(trials, template, count)
    while count - failing > 1:
        middle = (failing + count) // 2
        tried = _run(trials, template, middle)
        if tried.left.missing:
            known[middle], failing = tried.left, middle
        else:
            found, count = tried, middle
    return _proved(template, found, known[failing])


def _run(trials: Trials, template: NodeTemplate, count: int) -> _Found:
    return trials.run(functools.partial(_all_together, template=template, count=count))


def _all_together(stage: Stage, template: NodeTemplate, count: int) -> _Found:
    trial = _Trial(stage, template)
    trial.add(count)
    return _found(trial, shortfall(stage), {})


def _found(trial: _Trial, left: _Shortfall, known: dict[int, _Shortfall]) -> _Found:
    after = None if left.missing else capacity.headroom(trial.stage.store)
    return _Found(trial.added, trial.batches, left, known, after)


def shortfall(stage: Stage) -> _Shortfall:
    """How many pods have no node or were not created, and why the most frequent one has none."""
    waiting = pending.of(stage.store)
    lacking, why = uncreated(stage)
    reason = waiting["reasons"][0]["reason"] if waiting["reasons"] else why
    return _Shortfall(waiting["pods"] + lacking, reason)


def uncreated(stage: Stage) -> tuple[int, str]:
    """How many pods controllers have not created that they are to create, and why one has not."""
    missing, reason = 0, ""
    for kind in _CREATORS:
        for obj in stage.store.read(kind).values():
            lacking = (desired(obj) or 0) - ((obj.get("status") or {}).get("replicas") or 0)
            if lacking > 0:
                missing += lacking
                reason = reason or _refusal(obj)
    return missing, reason


def _refusal(obj: Json) -> str:
    """Why a controller cannot create pods."""
    for condition in (obj.get("status") or {}).get("conditions") or ():
        if condition["type"] == "ReplicaFailure":
            return str(condition.get("message") or "")
    return "its pods are not created yet"


def _waiting(stage: Stage) -> list[Json]:
    return [
        pod
        for pod in stage.store.read(gvk.POD).values()
        if not pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"]
    ]


def lower_bound(stage: Stage, template: NodeTemplate) -> int:
    """Fewer nodes cannot hold the pods that wait: by the sums of what they request."""
    offered, needed = template.amounts, dict.fromkeys(_COUNTED, 0)
    for pod in _waiting(stage):
        wants = amounts.of_pod(pod)
        for name in _COUNTED:
            needed[name] += wants[name]
    return max(
        (-(-needed[name] // offered[name]) for name in _COUNTED if offered.get(name)), default=1
    )


def _is_no_help(stage: Stage, template: NodeTemplate) -> bool:
    """Whether the newest nodes of a template are empty but for daemons, while pods wait."""
    used = {
        pod["spec"].get("nodeName")
        for pod in stage.store.read(gvk.POD).values()
        if not _is_daemon(pod)
    }
    mine = [name for name in stage.store.read(gvk.NODE) if f"{template.node_name}-more-" in name]
    turns = mine[-len(template.examples) :]
    return len(mine) >= len(template.examples) and not any(name in used for name in turns)


def _is_daemon(pod: Json) -> bool:
    owners: Sequence[Json] = pod["metadata"].get("ownerReferences") or ()
    return any(each.get("kind") == "DaemonSet" for each in owners)


def _proved(template: NodeTemplate, found: _Found, with_one_fewer: _Shortfall) -> EnoughNodes:
    most = template.most_nodes
    is_too_small = most is not None and template.nodes + found.added > most
    cost = None if template.price is None else round(template.price * found.added, 6)
    return EnoughNodes(
        template.name,
        found.added,
        *with_one_fewer,
        most if is_too_small else None,
        found.after,
        cost,
    )
