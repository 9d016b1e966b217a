"""Preemption by arithmetic, for as much of it as needs no pod to be looked at.

What weaker pods take up is kept (`weaker_pods`), as is what promised ones would take
(`promised_pods`), and a fit is a comparison of columns, so a node where the pod would not fit
without any weaker ones is found at once. That goes as far as the filters do that know a node by
its own properties and by what is free there: the verdict on a node is that of the first filter to
reject it, so those that come after need not be asked. If no other filter has a say, whom there is
room for beside the pod is told by subtraction, too (`asked`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

from kubestage.scheduler.plugins.node_affinity import NodeAffinity
from kubestage.scheduler.plugins.node_name import NodeName
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.plugins.node_unschedulable import NodeUnschedulable
from kubestage.scheduler.plugins.taint_toleration import TaintToleration
from kubestage.scheduler.verdicts import Verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Codes, Columns, Ints
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.resource_table import Table
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.status import Status

_LOOK_AT_NO_POD: Final = frozenset(
    {NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodeResourcesFit}
)
"""Exactly these: what a user's plugin looks at is not known, though it be named or made alike."""

_ALL: Final = slice(None)


def looks_at_no_pod(plugin: object) -> bool:
    """Whether a filter knows a node by its own properties and by what is free there."""
    return type(plugin) in _LOOK_AT_NO_POD


def suffice(profile: Profile, state: CycleState) -> bool:
    """Whether no filter that has a say looks at pods."""
    skipped = state.skip_filter
    return all(
        type(plugin) in _LOOK_AT_NO_POD or plugin.name in skipped for plugin in profile.filter
    ) and all(plugin.name in skipped for plugin in profile.tracking)


def verdicts(
    profile: Profile, state: CycleState, pod: PodView, columns: Columns, rows: Ints, free: Table
) -> Verdicts:
    """Who rejects which of the rows if so much is free there, up to the first who looks at pods."""
    found = Verdicts(len(rows))
    for place, plugin in enumerate(profile.filter):
        if plugin.name in state.skip_filter:
            continue
        if type(plugin) not in _LOOK_AT_NO_POD:
            break
        if type(plugin) is NodeResourcesFit:
            codes = _codes(plugin, state, pod, columns, rows, free)
        else:
            codes = plugin.filter(state, pod, columns, rows)
        if codes is not None and codes.any():
            found.reject(place, codes)
    return found


def shortages(
    profile: Profile, state: CycleState, pod: PodView, columns: Columns, rows: Ints, free: Table
) -> tuple[int, Codes | None]:
    """The place of NodeResourcesFit among the filters, and its codes if so much is free on rows.

    -1 if it has no say, or none before somebody who looks at pods.
    """
    for place, plugin in enumerate(profile.filter):
        if plugin.name in state.skip_filter:
            continue
        if type(plugin) is NodeResourcesFit:
            return place, _codes(plugin, state, pod, columns, rows, free)
        if type(plugin) not in _LOOK_AT_NO_POD:
            break
    return -1, None


def cleared(preemptor: Preemptor, columns: Columns, rows: Ints) -> Table:
    """What is free on rows without weaker pods, but with those that were promised a place."""
    pod, nominator = preemptor.pod, preemptor.nominator
    beside = None if nominator.is_empty else nominator.beside(pod, columns, rows)
    free: Table = columns.resources.free.take(rows, axis=1)
    free += columns.weaker_pods.share(pod.priority, rows).take(rows, axis=1)
    if beside is not None:
        places, taken = beside
        free[:, places] -= taken
    return free


def rejections(
    preemptor: Preemptor, columns: Columns, rows: Ints, free: Table
) -> Iterator[tuple[Ints, Status]]:
    """Places among the rows where the pod does not fit though so much is free, and why."""
    profile, state, pod = preemptor.profile, preemptor.state, preemptor.pod
    found = verdicts(profile, state, pod, columns, rows, free)
    if not found.is_clear:
        for who, code, places in found.rejections():
            yield places, profile.status_of(state, pod, who, code)


def _codes(
    plugin: NodeResourcesFit,
    state: CycleState,
    pod: PodView,
    columns: Columns,
    rows: Ints,
    free: Table,
) -> Codes | None:
    offered = columns.resources.allocatable.take(rows, axis=1)
    return plugin.filter(state, pod, cast("Columns", _Only(_Amounts(free, offered))), _ALL)


class _Amounts(NamedTuple):
    free: Table
    allocatable: Table


class _Only(NamedTuple):
    """Stands in for columns before NodeResourcesFit, which looks at nothing but amounts.

    NOTE: columns are not copied to change what is free, which takes 4 us, twice for each attempt.
    """

    resources: _Amounts
