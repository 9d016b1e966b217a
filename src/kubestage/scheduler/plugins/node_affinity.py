"""NodeAffinity: which nodes a pod may run on, and which it would rather run on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects import node_selector
from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler import node_matching
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.memo import Memo
from kubestage.scheduler.plugins import normalize
from kubestage.scheduler.status import SKIP, SUCCESS, Status, error, unresolvable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.plan import PodPlan
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Rows
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_BY_POD: Final = 1
_BY_PROFILE: Final = 2
_STATUSES: Final = {
    _BY_POD: unresolvable("node(s) didn't match Pod's node affinity/selector"),
    _BY_PROFILE: unresolvable("node(s) didn't match scheduler-enforced node affinity"),
}
_CONFLICT: Final = unresolvable("pod affinity terms conflict")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"

_Answer = tuple[Status, frozenset[str] | None]


class NodeAffinity:
    """Weighs the node selector and node affinity of the pod, and those the profile adds."""

    name = "NodeAffinity"
    is_static = True

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del handle
        added = args.get("addedAffinity") or {}
        required, preferred = added.get(_REQUIRED), added.get(_PREFERRED)
        self._required = None if required is None else node_selector.parse(required)
        self._preferred = node_selector.preferred(preferred) if preferred else None
        self._answers = Memo()

    def pre_filter(self, state: CycleState, pod: PodView, columns: Columns) -> _Answer:
        del state, columns
        plan = pod.plan
        return self._answers.get(plan, lambda: self._pre_filter(plan))

    def _pre_filter(self, plan: PodPlan) -> _Answer:
        if plan.required_node_affinity.empty and self._required is None:
            return SKIP, None
        names = _named_nodes(plan)
        return (_CONFLICT, None) if names is not None and not names else (SUCCESS, names)

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del state
        plan = pod.plan
        codes = columns.derived((self, plan, "filter"), lambda whole: self._rejected(whole, plan))
        return None if codes is None else codes[rows]

    def _rejected(self, columns: Columns, plan: PodPlan) -> Codes | None:
        matched = node_matching.matches_required(columns, plan.required_node_affinity)
        codes: Codes = np.where(matched, 0, _BY_POD).astype(np.int32)
        if self._required is not None:
            codes[~node_matching.matches_any(columns, self._required)] = _BY_PROFILE
        return codes if codes.any() else None

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod
        return _STATUSES[code]

    def pre_score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Status:
        del state, columns, rows
        try:
            preferred = pod.plan.preferred_node_terms
        except SelectorError as problem:
            return error(str(problem))
        if preferred.terms or self._preferred is not None or _states_preference(pod.plan):
            return SUCCESS
        return SKIP

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del state
        plan = pod.plan
        scores = columns.derived((self, plan, "score"), lambda whole: self._scores(whole, plan))
        return scores[rows]

    def _scores(self, columns: Columns, plan: PodPlan) -> Ints:
        scores = node_matching.preference(columns, plan.preferred_node_terms)
        if self._preferred is not None:
            scores += node_matching.preference(columns, self._preferred)
        return scores

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints:
        del state, pod, columns, rows
        return normalize.scaled(scores)

    def events_to_register(self) -> Sequence[EventHint]:
        node_change = ActionType.ADD | ActionType.UPDATE_NODE_LABEL
        return [EventHint(ClusterEvent(EventResource.NODE, node_change), self._after_node_change)]

    def _after_node_change(
        self, pod: PodView, old: dict[str, Any] | None, new: dict[str, Any] | None
    ) -> bool:
        if new is None or (self._required is not None and not self._required.match_node(new)):
            return False
        required = pod.required_node_affinity
        try:
            return required.match_node(new) and (old is None or not required.match_node(old))
        except SelectorError:
            return True


def _stated(plan: PodPlan) -> dict[str, Any]:
    return (plan.spec.get("affinity") or {}).get("nodeAffinity") or {}


def _states_preference(plan: PodPlan) -> bool:
    """Whether the pod lists preferences, even if they are empty."""
    return bool(_stated(plan).get(_PREFERRED))


def _named_nodes(plan: PodPlan) -> frozenset[str] | None:
    """The nodes that a pod demands by name; None if it leaves the name open in some term."""
    terms = (_stated(plan).get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()
    names: frozenset[str] | None = None
    for term in terms:
        named = [
            frozenset(field.get("values") or ())
            for field in (term or {}).get("matchFields") or ()
            if field.get("key") == node_selector.NAME_FIELD and field.get("operator") == "In"
        ]
        if not named:
            return None
        names = (names or frozenset()) | frozenset.intersection(*named)
    return names
