"""What a pod requests of a node, and which pods that leaves room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.scheduler import resource_table
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.preemption.preemptor import Preemptor

_NATIVE_LINES: Final = resource_table.EPHEMERAL_STORAGE + 1
_NOTHING: Final = int(np.iinfo(np.int64).min)
"""The request for a resource that may be short already: less than nothing."""


class RequestedAmounts(msgspec.Struct, frozen=True):
    """The least that must be free on a node; of other resources by line and name."""

    pods: int
    cpu: int
    memory: int
    storage: int
    scalars: tuple[tuple[int, str, int], ...]

    def spared(self, pods: Sequence[PodView], free: Sequence[int]) -> list[bool]:
        """Which pods of lower priority have room, put back in order."""
        count, cpu = free[resource_table.PODS] - self.pods, free[resource_table.CPU] - self.cpu
        memory = free[resource_table.MEMORY] - self.memory
        storage = free[resource_table.EPHEMERAL_STORAGE] - self.storage
        scalars = {name: free[line] - amount for line, name, amount in self.scalars}
        found = []
        for pod in pods:
            taken = pod.requests
            fits = (
                count > 0
                and cpu >= taken.milli_cpu
                and memory >= taken.memory
                and storage >= taken.ephemeral_storage
                and not (scalars and _lack(scalars, taken))
            )
            found.append(fits)
            if fits:
                count -= 1
                cpu -= taken.milli_cpu
                memory -= taken.memory
                storage -= taken.ephemeral_storage
                for name in scalars:
                    scalars[name] -= taken.scalars.get(name, 0)
        return found


def _lack(scalars: Mapping[str, int], taken: Resource) -> bool:
    return any(left < taken.scalars.get(name, 0) for name, left in scalars.items())


def requested_by(preemptor: Preemptor, columns: Columns) -> RequestedAmounts | None:
    """What the pod requests of a node; None if devices may stand in for amounts."""
    profile, state = preemptor.profile, preemptor.state
    amounts: dict[int, int] = {}
    for plugin in profile.filter:
        if type(plugin) is NodeResourcesFit and plugin.name not in state.skip_filter:
            found = plugin.requested_amounts(state)
            if found is None:
                return None
            amounts = dict(zip(*(each.tolist() for each in found), strict=True))
    names = {line: name for name, line in columns.resources.line_of.items()}
    native, scalars = [_NOTHING] * _NATIVE_LINES, []
    for line, amount in amounts.items():
        if line < _NATIVE_LINES:
            native[line] = amount
        else:
            scalars.append((line, names[line], amount))
    pods, cpu, memory, storage = native
    return RequestedAmounts(pods, cpu, memory, storage, tuple(scalars))
