"""Pods that are alike, put on nodes one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.preemption import by_amounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.runtime import Profile

_BUILT_IN: Final = "kubestage.scheduler.plugins."


class Placing:
    """One search for all of them: rows are tried in order, round and round.

    What is found out for one pod holds for all that are like it, so after each pod only those rows
    are tried again for which it makes a difference: its own, or all if some plugin depends on pods
    elsewhere.
    """

    def __init__(self, profile: Profile, pod: PodView, columns: Columns, rows: Ints) -> None:
        self._profile = profile
        self._pod = pod
        self._columns = columns
        self._state = CycleState()
        result = profile.run_pre_filter(self._state, pod, columns)
        if not result.status.is_success:
            rows = rows[:0]
        elif result.nodes is not None:
            allowed = [columns.row_of.get(name, -1) for name in result.nodes]
            rows = rows[np.isin(rows, np.array(allowed, np.int64))]
        self._rows = rows

    @staticmethod
    def can_share(profile: Profile, pod: PodView) -> bool:
        """Whether what is found out for a pod holds for others of its template.

        Volumes and devices are each pod's own, and of a user's plugin nothing is known.
        """
        if pod.has_volumes or pod.raw["spec"].get("resourceClaims"):
            return False
        plugins = (*profile.pre_filter, *profile.filter)
        return all(type(plugin).__module__.startswith(_BUILT_IN) for plugin in plugins)

    def place(self, pods: Sequence[PodView]) -> list[int]:
        """Put pods on nodes until one fits nowhere; the row of each."""
        if not len(self._rows):
            return []
        fitting = self._fits(self._rows)
        if not fitting.any():
            return []
        if len(pods) == 1:
            row = int(self._rows[np.argmax(fitting)])
            self._columns.add_pod(row, pods[0])
            return [row]
        room = self._room(self._rows[fitting])
        if room is None:
            return self._place_one_by_one(pods, fitting)
        placed = _spread_over(self._rows[fitting].tolist(), room, len(pods))
        for row, pod in zip(placed, pods, strict=False):
            self._columns.add_pod(row, pod)
        return placed

    def _fits(self, rows: Ints) -> Mask:
        verdicts = self._profile.run_filter(self._state, self._pod, self._columns, rows)
        fitting: Mask = np.zeros(len(rows), np.bool_)
        fitting[slice(None) if verdicts.is_clear else verdicts.passing] = True
        return fitting

    def _room(self, rows: Ints) -> list[int] | None:
        """How many such pods each of the rows has room for; None if more than room decides."""
        profile, state, pod = self._profile, self._state, self._pod
        if pod.requests != pod.fit_request or not by_amounts.suffice(profile, state):
            return None
        for plugin in profile.filter:
            if type(plugin) is NodeResourcesFit and plugin.name not in state.skip_filter:
                requested = plugin.requested_amounts(state)
                if requested is None:
                    return None
                lines, amounts = requested
                counted = amounts > 0
                free = self._columns.resources.free[lines[counted]].take(rows, axis=1)
                room: list[int] = (free // amounts[counted][:, None]).min(axis=0).tolist()
                return room
        return None

    def _place_one_by_one(self, pods: Sequence[PodView], fitting: Mask) -> list[int]:
        profile, rows, columns = self._profile, self._rows, self._columns
        self._state = self._state.clone()
        skipped = self._state.skip_filter
        reads_other_nodes = any(plugin.name not in skipped for plugin in profile.tracking)
        placed: list[int] = []
        at = 0
        for pod in pods:
            ahead = np.flatnonzero(fitting[at:])
            if len(ahead):
                at += int(ahead[0])
            elif fitting[:at].any():
                at = int(np.flatnonzero(fitting)[0])
            else:
                break
            row = int(rows[at])
            profile.run_add_pod(self._state, self._pod, pod, columns, row)
            placed.append(row)
            if reads_other_nodes:
                fitting = self._fits(rows)
            else:
                fitting[at] = self._fits(rows[at : at + 1])[0]
            at = (at + 1) % len(rows)
        return placed


def _spread_over(rows: list[int], room: list[int], count: int) -> list[int]:
    """The rows in turn, each as long as it has room."""
    placed: list[int] = []
    while rows and len(placed) < count:
        placed += rows[: count - len(placed)]
        left = [(row, more - 1) for row, more in zip(rows, room, strict=True) if more > 1]
        rows, room = [row for row, _ in left], [more for _, more in left]
    return placed
