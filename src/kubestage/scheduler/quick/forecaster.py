"""Finds nodes for the pods that are next in turn, all at once."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler import selection
from kubestage.scheduler.quick import known
from kubestage.scheduler.quick.forecast import Forecast
from kubestage.scheduler.quick.layout import Nodes, Scratch

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle import Cycle
    from kubestage.scheduler.queue import QueuedPod
    from kubestage.scheduler.quick.backdrop import Backdrop
    from kubestage.scheduler.quick.kind_table import Compiled, KindTable
    from kubestage.scheduler.quick.known import Key, Known
    from kubestage.scheduler.runtime import Profile

_OFTEN: Final = 2
"""How often a template has to come up among the next pods to be worth learning."""


class Forecaster:
    """Computes forecasts."""

    def __init__(self, cycle: Cycle, profiles: Mapping[str, Profile], backdrop: Backdrop) -> None:
        self._cycle = cycle
        self._profiles = profiles
        self._backdrop = backdrop
        self._by_name = cycle.tie_break is selection.TieBreak.FIRST
        self._scratch: Scratch | None = None

    def is_own(self, pod: PodView) -> bool:
        """Whether a user's plugin takes part in the choice of the pod's node."""
        return self._profiles[pod.scheduler_name].is_own

    def is_hopeless(self, columns: Columns, pod: PodView) -> bool:
        """Whether it is known that there is no forecast for a pod."""
        if not known.is_eligible(pod):
            return True
        about = known.known_for(columns)
        about.prepare((pod,), self._backdrop)
        return about.get(about.key_of(pod)) == known.UNFIT

    def forecast(
        self, columns: Columns, pods: Sequence[QueuedPod], assumed: Container[str], compiled: Any
    ) -> Forecast | None:
        """The nodes of the first of some pods, up to one without a forecast."""
        about = known.known_for(columns)
        about.prepare((queued.pod for queued in pods), self._backdrop)
        numbers = self._kinds(about, pods, assumed)
        if not numbers:
            return None
        kinds: Ints = np.array(numbers, np.int64)
        listed = about.kinds.compiled(self._backdrop.namespaces)
        arrays = _nodes(columns, listed), about.plans.arrays, listed.arrays
        found = np.empty((len(kinds), 3), np.int64)
        count = compiled.place_all(
            kinds,
            self._cycle.next_start % len(columns),
            self._needed_by(about.kinds, len(columns), kinds),
            self._by_name,
            found,
            *arrays,
            self._room(len(columns), listed)._replace(order=self._order(columns)),
        )
        if not count:
            return None
        return Forecast(
            columns, pods[:count], numbers[:count], found[:count], self._backdrop, compiled, arrays
        )

    def is_current(self, forecast: Forecast) -> bool:
        """Whether the objects around are as they were when it was made."""
        return forecast.version == self._backdrop.version

    def still_holds(self, forecast: Forecast) -> bool:
        """Whether the pod whose turn it is still is what it was taken for."""
        if forecast.namespaces != self._backdrop.namespaces:
            return False
        about, pod = forecast.known, forecast.turn.queued.pod
        about.prepare((pod,), self._backdrop)
        profile = self._profiles[pod.scheduler_name]
        number = about.learn(about.key_of(pod), profile, pod, self._backdrop)
        return number == forecast.turn.number

    def _kinds(self, about: Known, pods: Sequence[QueuedPod], assumed: Container[str]) -> list[int]:
        """The kinds of the first pods, up to one that has none."""
        numbers: list[int] = []
        often: collections.Counter[Key] | None = None
        for queued in pods:
            pod = queued.pod
            if not known.is_eligible(pod) or pod.uid in assumed:
                break
            key = about.key_of(pod)
            number = about.get(key)
            if number is None:
                if not about.is_familiar(key):
                    if often is None:
                        often = collections.Counter(about.key_of(each.pod) for each in pods)
                    if often[key] < _OFTEN:
                        break
                profile = self._profiles[pod.scheduler_name]
                number = about.learn(key, profile, pod, self._backdrop)
            if number < 0:
                break
            numbers.append(number)
        return numbers

    def _needed_by(self, kinds: KindTable, nodes: int, numbers: Ints) -> Ints:
        """How many fit nodes are enough for pods of some kinds."""
        by_profile = {
            name: self._cycle.needed(profile, nodes) for name, profile in self._profiles.items()
        }
        if len(by_profile) == 1:
            [needed] = by_profile.values()
            return np.full(len(numbers), needed, np.int64)
        by_kind: Ints = np.array([by_profile[kind.profile.name] for kind in kinds.all], np.int64)
        return by_kind[numbers]

    def _order(self, columns: Columns) -> Ints:
        """The order among equals: by place in a heap, or by name."""
        if not self._by_name:
            return selection.pre_order_keys(len(columns))
        return columns.derived("order of names", lambda whole: np.argsort(np.argsort(whole.names)))

    def _room(self, nodes: int, listed: Compiled) -> Scratch:
        """Room to work in, the same as long as it is enough."""
        room, constraints = self._scratch, len(listed.arrays.items)
        if (
            room is None
            or len(room.rows) != nodes
            or len(room.limits) < constraints
            or len(room.sums) < listed.sums
            or len(room.marks) < listed.most_values + 2
        ):
            room = self._scratch = Scratch(
                rows=np.zeros(nodes, np.int64),
                totals=np.zeros(nodes, np.int64),
                order=np.zeros(0, np.int64),
                raw=np.zeros(nodes, np.int64),
                worth=np.zeros(nodes, np.float64),
                fits=np.zeros(nodes, np.bool_),
                is_ignored=np.zeros(nodes, np.bool_),
                limits=np.zeros(constraints, np.int64),
                sums=np.zeros(listed.sums, np.int64),
                marks=np.zeros(listed.most_values + 2, np.int64),
            )
        return room


def _nodes(columns: Columns, listed: Compiled) -> Nodes:
    table, log = columns.resources, columns.row_log
    return Nodes(
        table.free,
        table.allocatable,
        table.nonzero,
        table.requested,
        log.ring,
        log.logged,
        listed.slots,
        columns.cells.values,
    )
