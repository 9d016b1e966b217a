"""Which rows are feasible, in a profile whose own filters have their answers kept.

The rows are the same as those of `Profile.run_filter`, and a user's plugin is called for the same
rows in the same order; which plugin rejects the others is not worked out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.scheduler import sampling
from kubestage.scheduler.contract.checked_plugin import CheckedPlugin
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.remembered import RememberedFilter
from kubestage.scheduler.scalar import ScalarFilter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Mask
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState


def are_brief(filters: Sequence[Any]) -> bool:
    """Whether all filters of a profile can be run in this way: built-in ones, and kept ones."""
    return not any(isinstance(each, CheckedPlugin | ScalarFilter) for each in filters)


def evaluate(attempt: Attempt, order: Ints) -> bool:
    """Find all feasible nodes of an attempt; False if there is none, or only some may be tried."""
    columns = attempt.columns
    if len(order) < len(columns):
        return False
    found = feasible(attempt.profile.filter, attempt.state, attempt.pod, columns, int(order[0]))
    if not len(found):
        return False
    attempt.evaluated, attempt.feasible = order, found
    attempt.rejected_count = len(columns) - len(found)
    return True


def feasible(
    filters: Sequence[Any], state: CycleState, pod: PodView, columns: Columns, start: int
) -> Ints:
    """The feasible rows, from a row on and then around."""
    passing: Mask | None = None
    for each in filters:
        if each.name in state.skip_filter:
            continue
        if isinstance(each, RememberedFilter):
            passing = _kept(each, passing, state, pod, columns, start)
            continue
        fits = _built_in(each, state, pod, columns)
        if fits is not None:
            passing = fits if passing is None else passing & fits
    return (
        sampling.all_rotated(start, len(columns)) if passing is None else in_order(passing, start)
    )


def _kept(
    plugin: RememberedFilter,
    passing: Mask | None,
    state: CycleState,
    pod: PodView,
    columns: Columns,
    start: int,
) -> Mask:
    """The rows that pass a user's plugin, too; it is called for those that passed so far."""
    if passing is None or np.count_nonzero(passing) == len(passing):
        clear: Mask = plugin.all_codes(state, pod, columns, start) == 0
        return clear
    left = in_order(passing, start)
    passing[left[plugin.filter(state, pod, columns, left) != 0]] = False
    return passing


def _built_in(plugin: Any, state: CycleState, pod: PodView, columns: Columns) -> Mask | None:
    """The rows that pass a built-in plugin; None if all do."""
    if isinstance(plugin, NodeResourcesFit):
        fits = plugin.fits(state, columns)
        if fits is not None:
            return fits
    codes: Codes | None = plugin.filter(state, pod, columns, slice(0, len(columns)))
    return None if codes is None else codes == 0


def in_order(chosen: Mask, start: int) -> Ints:
    """The rows that are chosen, from a row on and then around."""
    rows: Ints = chosen.nonzero()[0]
    if not start:
        return rows
    at = rows.searchsorted(start)
    return np.concatenate((rows[at:], rows[:at])) if at else rows
