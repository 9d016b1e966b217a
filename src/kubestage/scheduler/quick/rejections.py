"""What fitted nowhere: another pod of its kind fits nowhere either, as long as nothing changes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt


class Moment(NamedTuple):
    """What the rejection of a pod depends on beside its kind and the nodes as such.

    How often pods on nodes have changed, at which row an attempt starts, and the other objects.
    """

    changes: int
    start: int
    backdrop: int


class Alike(NamedTuple):
    """All pods of this kind come to the same at this moment."""

    rejections: Rejections
    kind: int
    moment: Moment

    def rejection_of(self, pod: PodView) -> Attempt | None:
        """The attempt at a pod, if one of its kind was rejected at this very moment."""
        return self.rejections.find(self.kind, self.moment, pod)

    def keep(self, attempt: Attempt) -> None:
        """Remember a rejection, as it is before PostFilter plugins see it."""
        is_rejected = attempt.selected is None and not attempt.is_error
        if is_rejected and attempt.verdicts is not None:
            self.rejections.keep(self.kind, self.moment, attempt)


class Rejections:
    """The last attempt at a pod of each kind that fitted nowhere; copies begin without any.

    NOTE: a thousand pods that wait for nodes are all tried again at each new one, and most of them
    fit nowhere again (`benchmarks/karpenter_day.py`).
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Moment, Attempt]] = {}

    def __reduce__(self) -> tuple[type[Rejections], tuple[()]]:
        return Rejections, ()

    def keep(self, kind: int, moment: Moment, attempt: Attempt) -> None:
        """Remember an attempt."""
        self._known[kind] = moment, _like(attempt, attempt.pod)

    def find(self, kind: int, moment: Moment, pod: PodView) -> Attempt | None:
        """The attempt at a pod, if there is one."""
        known = self._known.get(kind)
        return _like(known[1], pod) if known is not None and known[0] == moment else None


def _like(attempt: Attempt, pod: PodView) -> Attempt:
    """An attempt with the same verdicts; what is found out later is of each alone."""
    verdicts = attempt.diagnosis
    diagnosis = dataclasses.replace(
        verdicts,
        groups=list(verdicts.groups),
        unschedulable_plugins=set(verdicts.unschedulable_plugins),
        pending_plugins=set(verdicts.pending_plugins),
    )
    return dataclasses.replace(attempt, pod=pod, state=attempt.state.shared(), diagnosis=diagnosis)
