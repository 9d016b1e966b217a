"""What autoscalers decided, and when: rescales, evictions and resizes."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.results.life.workloads import WorkloadName
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.results.life.workloads import Workloads
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change


RESCALE: Final = "rescale"
EVICTION: Final = "eviction"
RESIZE: Final = "resize"
NODE_ADDED: Final = "node added"
NODE_REMOVED: Final = "node removed"
_OF_VPAS: Final = {"EvictedByVPA": EVICTION, "InPlaceResizedByVPA": RESIZE}
_CALCULATED: Final = "calculate a replica count from "
_RESCALED: Final = "SuccessfulRescale"
_DECISIONS: Final = frozenset({_RESCALED, *_OF_VPAS})
# Upstream's Events of VPAs do not say why; ours do, beside the same text.
_REASON: Final = "kubestage.dev/reason"


class ScalingDecision(msgspec.Struct, frozen=True):
    """Something that an autoscaler did: to what, how many there were before and after, and why.

    `by` is the autoscaler or node group; `subject` the workload, pod or node.
    """

    at_ns: int
    sort: str
    by: str
    subject: str
    before: int | None = None
    after: int | None = None
    reason: str = ""


class Autoscalers:
    """All HPAs and VPAs of a cluster, and what they have done.

    A rescale is read from the HPA's status, for Events of one object are held back when there are
    many. Why it was done is in the Event; without that, it is read from the HPA's conditions.
    """

    def __init__(self, clock: Clock, workloads: Workloads) -> None:
        self.hpas: dict[str, Json] = {}
        self.vpas: dict[str, Json] = {}
        self.decisions: list[ScalingDecision] = []
        self._clock = clock
        self._workloads = workloads
        self._moved: dict[str, tuple[int, int | None, int | None]] = {}
        self._reported: dict[str, tuple[int, str]] = {}

    def on_hpa(self, change: Change) -> None:
        """Record a change of an HPA."""
        if change.type == DELETED:
            self.hpas.pop(change.key, None)
            return
        self.hpas[change.key] = change.new
        scaled = _status(change.new).get("lastScaleTime")
        if change.old is not None and scaled and scaled != _status(change.old).get("lastScaleTime"):
            self._rescaled(change.key, change.new)

    def on_vpa(self, change: Change) -> None:
        """Record a change of a VPA."""
        if change.type == DELETED:
            self.vpas.pop(change.key, None)
        else:
            self.vpas[change.key] = change.new

    def on_replicas(self, workload: str, before: int | None, after: int | None) -> None:
        """The desired number of replicas changed."""
        self._moved[workload] = (self._clock.now_ns, before, after)

    def on_event(self, change: Change) -> None:
        """Record an Event if it reports a decision."""
        if change.type == DELETED or not is_decision(change.new):
            return
        reason = change.new["reason"]
        regarding = change.new.get("involvedObject") or {}
        key = f"{regarding.get('namespace')}/{regarding.get('name')}"
        now_ns, message = self._clock.now_ns, str(change.new.get("message") or "")
        if reason == _RESCALED:
            self._hear_why(key, message.partition("reason: ")[2] or message)
            return
        workload = self._workloads.of_pod(key)
        by = "" if workload is None else self._vpa_of(workload.place)
        annotations = change.new["metadata"].get("annotations") or {}
        why = annotations.get(_REASON, "")
        decision = ScalingDecision(now_ns, _OF_VPAS[str(reason)], by, f"pod/{key}", reason=why)
        self.decisions.append(decision)

    def counted(self, sort: str) -> collections.Counter[str]:
        """How many decisions of a sort there were, by who made them."""
        return collections.Counter(each.by for each in self.decisions if each.sort == sort)

    def _hear_why(self, hpa: str, reason: str) -> None:
        """Why an HPA rescales: it may say so just before or just after it does."""
        now_ns = self._clock.now_ns
        self._reported[hpa] = (now_ns, reason)
        for at in range(len(self.decisions) - 1, -1, -1):
            each = self.decisions[at]
            if each.at_ns != now_ns:
                return
            if (each.sort, each.by) == (RESCALE, hpa):
                self.decisions[at] = msgspec.structs.replace(each, reason=reason)

    def _rescaled(self, key: str, hpa: Json) -> None:
        now_ns = self._clock.now_ns
        workload = str(target_of(hpa, "scaleTargetRef"))
        at_ns, before, after = self._moved.get(workload, (-1, None, None))
        if at_ns != now_ns:
            status = _status(hpa)
            before, after = status.get("currentReplicas"), status.get("desiredReplicas")
        reason_ns, reason = self._reported.get(key, (-1, ""))
        shown_reason = reason if reason_ns == now_ns else _reason(hpa, before or 0, after or 0)
        self.decisions.append(
            ScalingDecision(now_ns, RESCALE, key, workload, before, after, shown_reason)
        )

    def _vpa_of(self, place: WorkloadName) -> str:
        for key, vpa in self.vpas.items():
            if str(target_of(vpa, "targetRef")) == str(place):
                return key
        return ""


def is_decision(event: Json) -> bool:
    """Whether an Event reports a decision."""
    return event.get("reason") in _DECISIONS


def is_vpa_decision(event: Json) -> bool:
    """Whether an Event reports a decision of a VPA, which no other object shows."""
    return event.get("reason") in _OF_VPAS


def target_of(obj: Json, field: str) -> WorkloadName:
    """The workload that an object names in a field of its spec."""
    spec = obj.get("spec") or {}
    named = spec.get(field) or {}
    kind = str(named.get("kind") or "")
    api_version = str(named.get("apiVersion") or ("v1" if kind == "Service" else "apps/v1"))
    return WorkloadName(
        api_version, kind, obj["metadata"]["namespace"], str(named.get("name") or "")
    )


def _reason(hpa: Json, before: int, after: int) -> str:
    """Why an HPA rescales, in the words of its Event, from its spec and its conditions."""
    spec = hpa["spec"]
    if before > spec["maxReplicas"]:
        return "Current number of replicas above Spec.MaxReplicas"
    if before < (spec.get("minReplicas") or 1):
        return "Current number of replicas below Spec.MinReplicas"
    if after < before:
        return "All metrics below target"
    for condition in _status(hpa).get("conditions") or ():
        metric = str(condition.get("message") or "").partition(_CALCULATED)[2]
        if condition.get("type") == "ScalingActive" and metric:
            return f"{metric} above target"
    return ""


def _status(obj: Json) -> Json:
    status: Json = obj.get("status") or {}
    return status
