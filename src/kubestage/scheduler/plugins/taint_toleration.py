"""TaintToleration: taints keep pods away, or make a node less welcome."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects import taints
from kubestage.scheduler.arrays import same
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.plugins import normalize
from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.objects.taints import Taint, Toleration
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_REJECTED: Final = unresolvable("node(s) had untolerated taint(s)")
_HARD_EFFECTS: Final = frozenset({taints.NO_SCHEDULE, taints.NO_EXECUTE})
_taints_of: Final[Callable[[NodeView], tuple[Taint, ...]]] = operator.attrgetter("taints")


class TaintToleration:
    """Rejects nodes with a hard taint that is not tolerated; counts the soft ones."""

    name = "TaintToleration"
    is_static = True

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del state
        tolerations = pod.tolerations
        codes = columns.derived(
            (self.name, "filter", tolerations), lambda whole: _rejected(whole, tolerations)
        )
        return None if codes is None else codes[rows]

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod, code
        return _REJECTED

    def pre_score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Status:
        del state, pod, columns, rows
        return SUCCESS

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del state
        tolerations = pod.tolerations
        counts = columns.derived(
            (self.name, "score", tolerations), lambda whole: _soft_counts(whole, tolerations)
        )
        return same(0, len(rows)) if counts is None else counts[rows]

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints:
        del state, pod, columns, rows
        return normalize.scaled(scores, reverse=True)

    def events_to_register(self) -> Sequence[EventHint]:
        node_change = ActionType.ADD | ActionType.UPDATE_NODE_TAINT
        toleration = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_TOLERATION)
        return [
            EventHint(ClusterEvent(EventResource.NODE, node_change), _after_node_change),
            EventHint(toleration, _after_toleration_change),
        ]


def _is_rejected(node_taints: Sequence[Taint], tolerations: tuple[Toleration, ...]) -> bool:
    return taints.find_untolerated_taint(node_taints, tolerations, _HARD_EFFECTS) is not None


def _rejected(columns: Columns, tolerations: tuple[Toleration, ...]) -> Codes | None:
    groups = columns.groups(_taints_of)
    verdicts = [_is_rejected(each, tolerations) for each in groups.values]
    return np.array(verdicts, np.int32)[groups.codes] if any(verdicts) else None


def _soft_counts(columns: Columns, tolerations: tuple[Toleration, ...]) -> Ints | None:
    groups = columns.groups(_taints_of)
    counts = [
        sum(
            taint.effect == taints.PREFER_NO_SCHEDULE
            and not taints.tolerates_taint(tolerations, taint)
            for taint in each
        )
        for each in groups.values
    ]
    return np.array(counts, np.int64)[groups.codes] if any(counts) else None


def _after_node_change(
    pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    if new is None:
        return False
    before = old is None or _is_rejected(_taints_in(old), pod.tolerations)
    return before and not _is_rejected(_taints_in(new), pod.tolerations)


def _taints_in(node: dict[str, Any]) -> list[Taint]:
    return list(map(taints.taint_of, (node.get("spec") or {}).get("taints") or ()))


def _after_toleration_change(
    pod: PodView, _: dict[str, Any] | None, new: dict[str, Any] | None
) -> bool:
    return new is not None and new["metadata"].get("uid") == pod.uid
