"""Hands changes to the twins, and then to their mirror, in the order in which they were made.

Connections are not equally fast, so that a change may be received after others that were made later
and are taken up already. Then those are undone, the late one finds the state of its version, and
they are taken up again: a placement is predicted, or predicted again, on the state just before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.runs.shadowing import placements
from kubestage.runs.shadowing.ordering import (
    HELD_NS,
    MOST_HELD_NS,
    OrderedChanges,
    SeenChange,
    TakenChanges,
)
from kubestage.runs.shadowing.replica_steps import AUTOSCALER
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.predicting import Predictor
    from kubestage.runs.shadowing.node_arrivals import ArrivalTwin
    from kubestage.runs.shadowing.ordering import Held
    from kubestage.runs.shadowing.placements import Placement, PlacementTwin
    from kubestage.runs.shadowing.replica_steps import ReplicaTwin
    from kubestage.sources.imported import Reference

TURN_NS: Final = 50 * MILLISECOND_NS
"""How often what was held back long enough is taken up."""
# Which changes can be undone: those that were taken up so lately, and not more of them.
_UNDONE_NS: Final = 30 * SECOND_NS
_MOST_UNDONE: Final = 5_000


class OrderedMirror:
    """The twins and their mirror, which follow what watches show.

    Time is counted in turns: while the process is busy nothing is received, so that nothing is held
    back long enough.
    """

    def __init__(
        self,
        predictor: Predictor,
        placing: PlacementTwin,
        arrivals: ArrivalTwin,
        steps: ReplicaTwin,
    ) -> None:
        self._predictor = predictor
        self._placing = placing
        self._arrivals = arrivals
        self._steps = steps
        self._changes = OrderedChanges(self._lacks_owner)
        self._taken = TakenChanges(_UNDONE_NS, _MOST_UNDONE)
        self._now_ns = 0
        self._calm_ns = 0

    def hold(
        self, reference: Reference, before: Json | None, after: Json | None, at_ns: int,
        version: str,
    ) -> None:  # fmt: skip
        """A change was received."""
        self._changes.add(SeenChange(reference, before, after, at_ns), version, self._now_ns)

    def turn(self, *, is_interrupted: bool) -> None:
        """Take up what was held back long enough."""
        self._now_ns += TURN_NS
        if is_interrupted:
            # A watch that is back has to catch up.
            self._calm_ns = self._now_ns + HELD_NS
        is_interrupted = self._now_ns < self._calm_ns
        while (held := self._changes.next(self._now_ns, is_interrupted=is_interrupted)) is not None:
            self._take(held)
        self._taken.forget(self._now_ns)

    def finish(self) -> None:
        """Take up all that is left."""
        self._now_ns += MOST_HELD_NS
        while (held := self._changes.next(self._now_ns)) is not None:
            self._take(held)

    def _take(self, held: Held) -> None:
        later = self._taken.made_after(held)
        if later and _needs_its_place(held, later):
            self._undo(later)
        if held.is_taken:
            placement = held.placement and self._placing.predict_again(held.placement)
        else:
            placement = self._notify(held.change)
        self._put(held.change.reference, held.change.after)
        if not held.is_taken:
            self._notify_after(held.change)
        self._taken.add(held._replace(placement=placement), self._now_ns)

    def _undo(self, later: list[Held]) -> None:
        """Set the mirror back, and have these taken up again."""
        self._taken.drop(later)
        for each in reversed(later):
            self._put(each.change.reference, each.change.before)
            self._changes.put_back(each)

    def _put(self, reference: Reference, obj: Json | None) -> None:
        if obj is None:
            name = reference
            self._predictor.remove(name.api_version, name.kind, name.name, name.namespace)
        else:
            self._predictor.put(obj)

    def _notify(self, change: SeenChange) -> Placement | None:
        """Something has changed: what it says about predictions; the mirror does not know it."""
        reference, before, after, at_ns = change
        kind = reference.api_version, reference.kind
        if kind == gvk.POD:
            return self._placing.on_pod(before, after, at_ns)
        if kind == gvk.NODE:
            self._arrivals.on_node(before, after, at_ns)
        elif kind == AUTOSCALER:
            self._steps.on_scaler(before, after, at_ns)
        return None

    def _notify_after(self, change: SeenChange) -> None:
        """The mirror knows the change now."""
        reference, before, after, at_ns = change
        kind = reference.api_version, reference.kind
        if after is None:
            return
        if kind == AUTOSCALER and before is None:
            self._steps.on_new(after, at_ns)
        elif kind == gvk.POD and self._placing.is_unschedulable(after):
            self._arrivals.on_waiting(list(self._placing.unschedulable.values()), at_ns)

    def _lacks_owner(self, change: SeenChange) -> bool:
        """Whether a pod is new, and its owner is not known yet: how it spreads depends on that."""
        if change.before is not None or change.after is None:
            return False
        return placements.lacks_owner(change.after, self._predictor.store)


def _needs_its_place(held: Held, later: list[Held]) -> bool:
    """Whether it matters that a change is late: it is predicted, or was to be known before."""
    return placements.is_predicted(held.change) or any(each.placement for each in later)
