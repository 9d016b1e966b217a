"""What fitted nowhere: another pod of its kind fits nowhere either, as long as nothing changes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.scheduler.plugins.default_preemption import DefaultPreemption
from kubestage.scheduler.plugins.dynamic_resources import DynamicResources

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.failure_handler import Failure
    from kubestage.scheduler.quick.kind_table import Kind
    from kubestage.scheduler.quick.plan import QuickPlan
    from kubestage.scheduler.status import Status


_BUILT_IN: Final = (DefaultPreemption, DynamicResources)
"""The PostFilter plugins that can say whether they would answer the next pod the same."""


class Moment(NamedTuple):
    """What the rejection of a pod depends on beside its kind and the nodes as such.

    How often pods on nodes have changed, at which row an attempt starts, and the other objects.
    """

    changes: int
    start: int
    backdrop: int


class Refusal(NamedTuple):
    """All that an attempt came to which fitted nowhere, and for which no pod has to go either.

    `ran` are the extension points that ran before PostFilter, `evaluated` is how many nodes were.
    """

    attempt: Attempt
    failure: Failure
    ran: tuple[tuple[str, Status], ...]
    evaluated: int

    def holds_for(self, pod: PodView) -> bool:
        """Whether a pod of the same plan may push out the same pods."""
        first = self.attempt.pod
        return pod.priority == first.priority and (pod.preemption_policy == first.preemption_policy)

    def repeat(self) -> None:
        """Draw what the plugins draw for every pod."""
        for plugin in self.attempt.profile.post_filter:
            plugin.repeat(self.attempt.state)


class Alike(NamedTuple):
    """All pods of this kind come to the same at this moment."""

    rejections: Rejections
    number: int
    kind: Kind
    moment: Moment

    def rejection_of(self, pod: PodView) -> Attempt | None:
        """The attempt at a pod, if one of its kind was rejected at this very moment."""
        return self.rejections.find(self.number, self.moment, pod)

    def keep(self, attempt: Attempt) -> None:
        """Remember a rejection, as it is before PostFilter plugins see it."""
        is_rejected = attempt.selected is None and not attempt.is_error
        if is_rejected and attempt.verdicts is not None:
            self.rejections.keep(self.number, self.moment, attempt)

    def refusal_of(self, pod: PodView) -> Refusal | None:
        """What attempts at pods of its plan come to at this very moment, if that is known."""
        found = self.rejections.refusal(self.kind.plan, self.moment)
        return found if found is not None and found.holds_for(pod) else None

    def keep_refusal(
        self, attempt: Attempt, failure: Failure, ran: tuple[tuple[str, Status], ...]
    ) -> None:
        """Remember what an attempt came to, if the next one will come to the same."""
        if (
            failure.is_rejected
            and not failure.nominate
            and attempt.verdicts is not None
            and all(_is_repeated(each, attempt) for each in attempt.profile.post_filter)
        ):
            refusal = Refusal(attempt, failure, ran, attempt.evaluated_count)
            self.rejections.keep_refusal(self.kind.plan, self.moment, refusal)


class Rejections:
    """The last attempt at a pod of each kind that fitted nowhere; copies begin without any.

    NOTE: a thousand pods that wait for nodes are all tried again at each new one, and most of them
    fit nowhere again (`benchmarks/karpenter_day.py`).
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Moment, Attempt]] = {}
        self._refusals: dict[QuickPlan, tuple[Moment, Refusal]] = {}

    def __reduce__(self) -> tuple[type[Rejections], tuple[()]]:
        return Rejections, ()

    def keep(self, kind: int, moment: Moment, attempt: Attempt) -> None:
        """Remember an attempt."""
        self._known[kind] = moment, _like(attempt, attempt.pod)

    def find(self, kind: int, moment: Moment, pod: PodView) -> Attempt | None:
        """The attempt at a pod, if there is one."""
        known = self._known.get(kind)
        return _like(known[1], pod) if known is not None and known[0] == moment else None

    def keep_refusal(self, plan: QuickPlan, moment: Moment, refusal: Refusal) -> None:
        """Remember what attempts at pods of a plan come to."""
        self._refusals[plan] = moment, refusal

    def refusal(self, plan: QuickPlan, moment: Moment) -> Refusal | None:
        """What attempts at pods of a plan come to, if that is known."""
        known = self._refusals.get(plan)
        return known[1] if known is not None and known[0] == moment else None


def _is_repeated(plugin: Any, attempt: Attempt) -> bool:
    """Whether a PostFilter plugin would answer the same for the next pod."""
    return type(plugin) in _BUILT_IN and plugin.is_repeated(attempt.state)


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
