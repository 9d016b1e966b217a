"""Predicts where pods go: when they are first seen, and again just before they get a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import gvk
from kubestage.runs.inputs import config_file, plugin_files
from kubestage.runs.predicting import Predictor
from kubestage.runs.shadowing.result import PlacementCounts
from kubestage.sources.imported import format_ns
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.runs.predicting import Prediction
    from kubestage.runs.shadow_options import ShadowOptions
    from kubestage.runs.shadowing.ordering import SeenChange
    from kubestage.store.store import Store

DEFAULT: Final = "default-scheduler"
_ENDED: Final = ("Succeeded", "Failed")
_NAMED: Final = 20


class _Waiting(NamedTuple):
    since_ns: int
    first: Prediction


class _Marks(NamedTuple):
    """In which ways a prediction came true; the names are those of the counts."""

    same_node: bool
    best: bool
    possible: bool
    feasible: bool


class Placement(NamedTuple):
    """A pod that got a node, and what that says of its prediction."""

    pod: Json
    node: str
    at_ns: int
    pending_ns: int
    as_first: bool
    marks: _Marks | None = None
    """None while its node is not known."""


class PlacementTwin:
    """The pods that wait, what was predicted of them, and what came of it.

    `report` receives predictions and outcomes. A pod is `unschedulable` as long as it fits nowhere.
    """

    def __init__(self, predictor: Predictor, report: Callable[[Json], None]) -> None:
        self.counts = PlacementCounts()
        self.unschedulable: dict[str, Json] = {}
        self._predictor = predictor
        self._report = report
        self._waiting: dict[str, _Waiting] = {}

    @property
    def pending(self) -> int:
        """How many pods have a prediction and no node."""
        return len(self._waiting)

    def on_pod(self, before: Json | None, after: Json | None, at_ns: int) -> Placement | None:
        """A pod changes; the mirror does not know that yet. Returns what was predicted before."""
        uid = _uid(after or before)
        if after is None or not _is_alive(after):
            self._forget(uid)
            return None
        node = _node(after)
        if not node:
            self._seen(uid, after, at_ns)
            return None
        waiting = self._forget(uid)
        if before is not None and _node(before):
            return None
        if before is None:
            self.counts.unseen += 1
            return None
        return self._bound(before, node, waiting, at_ns)

    def predict_again(self, placement: Placement) -> Placement:
        """The state just before a placement was another one than was known then."""
        if placement.marks is None:
            return self._predict(placement)
        found = self._predictor.predict(placement.pod, preemption=False)
        marks = _marks(found, placement.node)
        if marks == placement.marks:
            return placement
        self._count(placement.marks, -1)
        self._count(marks, 1)
        again = placement._replace(marks=marks)
        self._emit_placement(again, marks, found, wasHit=placement.marks.possible)
        return again

    def is_unschedulable(self, pod: Json) -> bool:
        """Whether a pod fits nowhere."""
        return _uid(pod) in self.unschedulable

    def retry(self, at_ns: int) -> list[Json]:
        """Try the pods again that fitted nowhere; returns those that still do not."""
        for uid, pod in list(self.unschedulable.items()):
            found = self._predictor.predict(pod)
            if found.node:
                del self.unschedulable[uid]
                self._emit("prediction", pod, found, at_ns)
        return list(self.unschedulable.values())

    def _seen(self, uid: str, pod: Json, at_ns: int) -> None:
        if uid in self._waiting or not _is_schedulable(pod):
            return
        if not self._predictor.knows(_scheduler(pod)):
            return
        found = self._predictor.predict(pod)
        self._waiting[uid] = _Waiting(at_ns, found)
        if not found.node:
            self.unschedulable[uid] = pod
        self._emit("prediction", pod, found, at_ns)

    def _bound(
        self, pod: Json, node: str, waiting: _Waiting | None, at_ns: int
    ) -> Placement | None:
        self.counts.others += 1
        if waiting is None:
            return None
        pending_ns = at_ns - waiting.since_ns
        as_first = node in waiting.first.possible
        return self._predict(Placement(pod, node, at_ns, pending_ns, as_first))

    def _predict(self, placement: Placement) -> Placement:
        """Predict a placement that counts as one by others, if its node is known."""
        if not self._predictor.has_node(placement.node):
            return placement
        found = self._predictor.predict(placement.pod, preemption=False)
        marks = _marks(found, placement.node)
        self.counts.others -= 1
        self.counts.predicted += 1
        self.counts.first_best += placement.as_first
        self._count(marks, 1)
        self._emit_placement(placement, marks, found)
        return placement._replace(marks=marks)

    def _count(self, marks: _Marks, sign: int) -> None:
        counts = self.counts
        counts.same_node += sign * marks.same_node
        counts.best += sign * marks.best
        counts.possible += sign * marks.possible
        counts.feasible += sign * marks.feasible

    def _emit_placement(
        self, placement: Placement, marks: _Marks, found: Prediction, **more: Any
    ) -> None:
        node = placement.node
        if not marks.possible:
            more["why"] = found.compared_with(node)
        self._emit(
            "placement", placement.pod, found, placement.at_ns,
            node=node, hit=marks.possible, inBest=marks.best, fits=marks.feasible,
            asFirstPredicted=placement.as_first,
            pendingSeconds=round(placement.pending_ns / SECOND_NS, 3),
            **more,
        )  # fmt: skip

    def _emit(self, kind: str, pod: Json, found: Prediction, at_ns: int, **more: Any) -> None:
        best = sorted(found.possible)
        report: Json = {
            "at": format_ns(at_ns), "type": kind, "pod": found.pod or _name(pod), **more,
            "predicted": best[:_NAMED], "predictedCount": len(best),
            "feasibleCount": len(found.feasible),
        }  # fmt: skip
        if not found.node:
            report["message"] = found.message
            if found.preemption is not None:
                report["preempts"] = {
                    "node": found.preemption.node, "pods": list(found.preemption.victims),
                }  # fmt: skip
        self._report(report)

    def _forget(self, uid: str) -> _Waiting | None:
        self.unschedulable.pop(uid, None)
        return self._waiting.pop(uid, None)


def predictor(options: ShadowOptions) -> Predictor:
    """A predictor that works as the scheduler of a cluster is configured."""
    configuration = config_file.load(options.config, config_file.Flags())
    plugins = plugin_files.load(options.plugins, configuration)
    config_file.check(configuration, plugins, options.config)
    with plugin_files.error_context(plugins):
        return Predictor(
            configuration, plugins=plugins, tie_break=options.tie_break, seed=options.seed
        )


def is_predicted(change: SeenChange) -> bool:
    """Whether a change shows a pod that waits, or that gets a node."""
    reference, before, after, _ = change
    is_pod = (reference.api_version, reference.kind) == gvk.POD
    return is_pod and after is not None and (before is None or not _node(before))


def lacks_owner(obj: Json, store: Store) -> bool:
    """Whether an object is a pod whose controller is of a known kind, and is not there."""
    if (obj["apiVersion"], obj["kind"]) != gvk.POD:
        return False
    for owner in obj["metadata"].get("ownerReferences") or ():
        kind = store.kinds.get(str(owner.get("apiVersion")), str(owner.get("kind")))
        if owner.get("controller") and kind is not None and kind.namespaced:
            key = f"{obj['metadata'].get('namespace') or ''}/{owner.get('name')}"
            return key not in store.read(kind)
    return False


def _marks(found: Prediction, node: str) -> _Marks:
    return _Marks(
        found.node == node, node in found.best, node in found.possible, found.is_feasible(node)
    )


def _is_alive(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") not in _ENDED


def _is_schedulable(pod: Json) -> bool:
    """Whether a scheduler would try it now."""
    is_gated = bool(pod["spec"].get("schedulingGates"))
    return not is_gated and not pod["metadata"].get("deletionTimestamp")


def _scheduler(pod: Json) -> str:
    return str(pod["spec"].get("schedulerName") or DEFAULT)


def _node(pod: Json) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")


def _name(pod: Json) -> str:
    return f"{pod['metadata'].get('namespace') or ''}/{pod['metadata']['name']}"


def _uid(pod: Json | None) -> str:
    assert pod is not None
    return str(pod["metadata"].get("uid") or _name(pod))
