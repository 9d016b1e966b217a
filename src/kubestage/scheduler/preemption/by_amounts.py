"""Preemption by arithmetic, for as much of it as needs no pod to be looked at.

What weaker pods take up is kept (`weaker_pods`), and a fit is a comparison of columns, so a node
where the pod would not fit without any of them is found at once. That goes as far as the filters
do that know a node by its own properties and by what is free there: the verdict on a node is
that of the first filter to reject it, so those that come after need not be asked. If no other
filter has a say, the weaker pods are put back by arithmetic, too.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler import resource_table
from kubestage.scheduler.plugins.node_affinity import NodeAffinity
from kubestage.scheduler.plugins.node_name import NodeName
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.plugins.node_unschedulable import NodeUnschedulable
from kubestage.scheduler.plugins.taint_toleration import TaintToleration
from kubestage.scheduler.verdicts import NOBODY, Verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns, Ints, Mask
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.status import Status

_LOOK_AT_NO_POD: Final = frozenset(
    {NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodeResourcesFit}
)
"""Exactly these: what a user's plugin looks at is not known, though it be named or made alike."""

_NATIVE_LINES: Final = resource_table.EPHEMERAL_STORAGE + 1


def suffices(preemptor: Preemptor) -> bool:
    """Whether no filter that has a say looks at pods."""
    skipped = preemptor.state.skip_filter
    return not preemptor.tracks_pods and all(
        plugin.name in skipped or type(plugin) in _LOOK_AT_NO_POD
        for plugin in preemptor.profile.filter
    )


def rejections(preemptor: Preemptor, columns: Columns, rows: Ints) -> Iterator[tuple[Ints, Status]]:
    """Places among the rows where the pod does not fit without weaker pods either, and why.

    Nothing is told of nodes that are promised to others: how it fits beside those comes first.
    """
    profile, state, pod = preemptor.profile, preemptor.state, preemptor.pod
    promised = _promised(preemptor, columns)
    for who, code, rejected in _first_verdicts(preemptor, columns, rows).rejections():
        places = rejected if promised is None else rejected[~promised[rows[rejected]]]
        if len(places):
            yield places, profile.status_of(state, pod, who, code)


def _first_verdicts(preemptor: Preemptor, columns: Columns, rows: Ints) -> Verdicts:
    """Who rejects which of the rows without weaker pods, up to the first who looks at pods."""
    pod, state = preemptor.pod, preemptor.state
    verdicts = Verdicts(len(rows))
    cleared = _cleared(columns, pod.priority, rows)
    for place, plugin in enumerate(preemptor.profile.filter):
        if plugin.name in state.skip_filter:
            continue
        if type(plugin) not in _LOOK_AT_NO_POD:
            break
        codes = plugin.filter(state, pod, cleared, rows)
        if codes is not None and codes.any():
            verdicts.reject(place, codes)
    return verdicts


def _promised(preemptor: Preemptor, columns: Columns) -> Mask | None:
    """The nodes that were promised to pods which the preemptor yields to."""
    if preemptor.nominator.is_empty:
        return None
    promised = np.zeros(len(columns), np.bool_)
    for name, _ in preemptor.nominator.by_node():
        if name in columns.row_of and preemptor.yields_to(name):
            promised[columns.row_of[name]] = True
    return promised


class Amounts:
    """What is free on all nodes once the weaker pods of some rows are off those."""

    def __init__(self, preemptor: Preemptor, columns: Columns, rows: Ints) -> None:
        self._preemptor = preemptor
        self._columns = _cleared(columns, preemptor.pod.priority, rows)

    def put(self, pods: Mapping[int, PodView]) -> None:
        """Put a pod on each of some rows."""
        self._free(pods, -1)

    def take_off(self, pods: Mapping[int, PodView]) -> None:
        """Take a pod off each of some rows."""
        self._free(pods, 1)

    def fits(self, rows: list[int]) -> list[bool]:
        """Whether the preemptor fits on each of some rows."""
        profile, state, pod = self._preemptor.profile, self._preemptor.state, self._preemptor.pod
        verdicts = profile.run_filter(state, pod, self._columns, np.array(rows, np.int64))
        fits: list[bool] = (verdicts.rejecter == NOBODY).tolist()
        return fits

    def _free(self, pods: Mapping[int, PodView], sign: int) -> None:
        if not pods:
            return
        free, line_of = self._columns.resources.free, self._columns.resources.line_of
        amounts = [
            (1, taken.milli_cpu, taken.memory, taken.ephemeral_storage)
            for taken in (pod.requests for pod in pods.values())
        ]
        free[:_NATIVE_LINES, list(pods)] += sign * np.array(amounts, np.int64).T
        for row, pod in pods.items():
            for resource, amount in pod.requests.scalars.items():
                free[line_of[resource], row] += sign * amount


def _cleared(columns: Columns, priority: int, rows: Ints) -> Columns:
    """The columns with what weaker pods take up on some rows made free; nothing else is changed.

    All but the table of what is free is shared with the original, so it is not to be written to.
    """
    cleared, resources = copy.copy(columns), copy.copy(columns.resources)
    resources.free = resources.free + columns.weaker_pods.share(priority, rows)
    cleared.resources = resources
    return cleared
