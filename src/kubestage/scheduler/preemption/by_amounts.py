"""Preemption by arithmetic, as far as filters do not depend on single pods.

What pods of lower priority take up is stored (`lower_priority_pods`), as is what nominated pods
would take (`nominated_pods`), and a fit is a comparison of columns. So a node where the pod would
not fit even without pods of lower priority is found at once. That holds for filters that depend on
the node and on what is free there: the first filter to reject a node decides, so the filters after
it need not run. If there are no other filters, the victims are found by subtraction, too
(`requested_amounts`).
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
    from kubestage.scheduler.arrays import Codes, Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.resource_table import Table
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.status import Status

_READ_NO_PODS: Final = frozenset(
    {NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodeResourcesFit}
)
"""Exactly these types: nothing is known of a user's plugin, even of a subclass."""

_ALL: Final = slice(None)


def reads_no_pods(plugin: object) -> bool:
    """Whether a filter knows a node by its own properties and by what is free there."""
    return type(plugin) in _READ_NO_PODS


def suffice(profile: Profile, state: CycleState) -> bool:
    """Whether no active filter depends on single pods."""
    skipped = state.skip_filter
    return all(
        type(plugin) in _READ_NO_PODS or plugin.name in skipped for plugin in profile.filter
    ) and all(plugin.name in skipped for plugin in profile.tracking)


def verdicts(
    profile: Profile, state: CycleState, pod: PodView, columns: Columns, rows: Ints, free: Table
) -> Verdicts:
    """Which filters reject which rows if so much is free, up to the first that depends on pods."""
    found = Verdicts(len(rows))
    for place, plugin in enumerate(profile.filter):
        if plugin.name in state.skip_filter:
            continue
        if type(plugin) not in _READ_NO_PODS:
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

    -1 if it is not active, or comes after a filter that depends on pods.
    """
    for place, plugin in enumerate(profile.filter):
        if plugin.name in state.skip_filter:
            continue
        if type(plugin) is NodeResourcesFit:
            return place, _codes(plugin, state, pod, columns, rows, free)
        if type(plugin) not in _READ_NO_PODS:
            break
    return -1, None


def cleared(preemptor: Preemptor, columns: Columns, rows: Ints) -> Table:
    """What is free on rows without pods of lower priority, but with nominated ones."""
    pod, nominator = preemptor.pod, preemptor.nominator
    nominated_amounts = (
        None if nominator.is_empty else nominator.nominated_amounts(pod, columns, rows)
    )
    free: Table = columns.resources.free.take(rows, axis=1)
    free += columns.lower_priority_pods.share(pod.priority, rows).take(rows, axis=1)
    if nominated_amounts is not None:
        places, taken = nominated_amounts
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
    """Stands in for columns before NodeResourcesFit, which reads nothing but amounts.

    NOTE: columns are not copied to change what is free, which takes 4 us, twice for each attempt.
    """

    resources: _Amounts
