"""Nodes and machines by how they do: ready, starting, broken, or not registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.controllers.node_autoscaler import node_state
from kubestage.controllers.node_autoscaler.settings import MAX_NODE_STARTUP_TIME_NS
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.world import World


class Readiness(msgspec.Struct):
    """The nodes of a group, or of the cluster, by how they do.

    Machines without a node are `unregistered`, and `long_unregistered` when that has lasted.
    """

    ready: list[str] = []
    unready: list[str] = []
    not_started: list[str] = []
    suspended: list[str] = []
    unregistered: list[str] = []
    long_unregistered: list[str] = []

    @property
    def registered(self) -> int:
        """How many nodes there are."""
        return sum(map(len, (self.ready, self.unready, self.not_started, self.suspended)))

    @property
    def is_known(self) -> bool:
        """Whether there is anything, be it a machine without a node."""
        return bool(self.registered or self.unregistered or self.long_unregistered)

    @property
    def counted(self) -> int:
        """How many machines are not on their way any more, for better or worse."""
        settled = (self.ready, self.unready, self.suspended, self.long_unregistered)
        return sum(map(len, settled))


class Unregistered(msgspec.Struct, frozen=True):
    """A machine without a node, and since when it has been known."""

    id: str
    group: str
    since_ns: int


def measure(
    world: World, unregistered: Mapping[str, Unregistered]
) -> tuple[Readiness, dict[str, Readiness]]:
    """How the cluster does, and each group that has nodes or machines."""
    total, of_group = Readiness(), dict[str, Readiness]()
    startup_ns = MAX_NODE_STARTUP_TIME_NS
    for name, node in world.nodes.items():
        group = world.group_of(node)
        counted = [total]
        if group is not None:
            # It holds for nodes without a group that follow, too.
            startup_ns = world.options[group.name].max_node_startup_time_ns
            counted.append(of_group.setdefault(group.name, Readiness()))
        for each in counted:
            _list_of(each, node, startup_ns, world.now_ns).append(name)
    for machine in unregistered.values():
        provision_ns = world.options[machine.group].max_node_provision_time_ns
        found = of_group.setdefault(machine.group, Readiness())
        is_late = machine.since_ns + provision_ns < world.now_ns
        (found.long_unregistered if is_late else found.unregistered).append(machine.id)
    return total, of_group


def _list_of(each: Readiness, node: Json, startup_ns: int, now_ns: int) -> list[str]:
    if _is_suspended(node):
        return each.suspended
    if node_state.is_ready(node):
        return each.ready
    created = node["metadata"].get("creationTimestamp")
    is_starting = bool(created) and timestamps.parse_time(created) + startup_ns > now_ns
    return each.not_started if is_starting else each.unready


def _is_suspended(node: Json) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or ()
    found = next((each for each in conditions if each["type"] == "Suspended"), None)
    return found is not None and found["status"] == "True"
