"""How a pod fits besides the pods that are nominated to a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.scheduler.preemption import by_amounts, pod_aware_plugins
from kubestage.scheduler.verdicts import NOBODY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.nominator import Nominator
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.verdicts import Verdicts


def consider(
    nominator: Nominator,
    profile: Profile,
    state: CycleState,
    pod: PodView,
    columns: Columns,
    rows: Ints,
    verdicts: Verdicts,
) -> None:
    """Reject rows where the pod would not fit with the nominated pods on them.

    NOTE: all rows at once as far as amounts decide, which is enough for most pods; trying a
    row by itself takes 50 us, and there may be as many as there are nodes.
    """
    places, taken = nominator.nominated_amounts(pod, columns, rows)
    if not len(places):
        return
    nominated = rows[places]
    free = columns.resources.free.take(nominated, axis=1) - taken
    place, codes = by_amounts.shortages(profile, state, pod, columns, nominated, free)
    if codes is not None:
        places = _overruled(verdicts, places, place, codes)
    if by_amounts.suffice(profile, state):
        return
    known = pod_aware_plugins.active_in(profile, state, pod)
    for at in places.tolist():
        row, rejecter = rows[at : at + 1], int(verdicts.rejecter[at])
        if known is not None and NOBODY < rejecter < known.first:
            continue
        others = nominator.yielded_to(pod, columns.names[int(row[0])])
        if known is None:
            found = _tried(profile, state, pod, columns.take(row.tolist()), others)
        elif known.are_moved(map(pod_aware_plugins.kind_of, others)):
            found = known.verdicts(columns, row, others)
        else:
            continue
        if not found.is_clear:
            verdicts.rejecter[at], verdicts.code[at] = found.rejecter[0], found.code[0]


def _tried(
    profile: Profile, state: CycleState, pod: PodView, trial: Columns, others: Sequence[PodView]
) -> Verdicts:
    """The verdict on a copy of one node with other pods on it."""
    tried = state.clone()
    for other in others:
        profile.run_add_pod(tried, pod, other, trial, 0)
    return profile.run_filter(tried, pod, trial, np.zeros(1, np.int64))


def _overruled(verdicts: Verdicts, places: Ints, place: int, codes: Codes) -> Ints:
    """Reject at some places by the codes of one plugin; where nothing is decided yet."""
    # A filter before NodeResourcesFit rejects a node whichever pods are there.
    first = verdicts.rejecter[places]
    is_open = (first == NOBODY) | (first >= place)
    short = is_open & (codes != 0)
    rejected = places[short]
    verdicts.rejecter[rejected] = place
    verdicts.code[rejected] = codes[short]
    undecided: Ints = places[is_open & (codes == 0)]
    return undecided
