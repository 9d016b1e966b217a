"""The status of a NodeGroup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.node_autoscaler import groups
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.store.store import Store


HEALTHY: Final = "Healthy"
SCALING_UP: Final = "ScalingUp"
SCALE_DOWN_CANDIDATES: Final = "ScaleDownCandidates"


class Statuses:
    """Writes the status of groups when it has changed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(self, world: World, state: ClusterState, unneeded: Collection[str]) -> None:
        """Write the status of each group."""
        for name in world.groups:
            self._write(world, state, name, unneeded)

    def stamp(self, name: str, field: str, now_ns: int) -> None:
        """Record when a group was last scaled up or down."""
        found = self._store.read(groups.NODE_GROUP).get(name)
        if found is not None:
            status = {**(found.get("status") or {}), field: timestamps.format_time(now_ns)}
            self._store.record_status(groups.NODE_GROUP, name, status)

    def _write(
        self, world: World, state: ClusterState, name: str, unneeded: Collection[str]
    ) -> None:
        before: Json = self._store.read(groups.NODE_GROUP)[name].get("status") or {}
        readiness, machines = state.readiness(name), world.machines[name]
        candidates = sum(node["metadata"]["name"] in unneeded for node in world.nodes_of[name])
        conditions = list(before.get("conditions") or ())
        for kind, is_true, reason in (
            _healthy(state.is_group_healthy(name)),
            _scaling_up(world, state, name),
            _candidates(candidates),
        ):
            conditions = _with(conditions, kind, is_true, reason, world.now_ns)
        status = {
            **before,
            "size": len(world.nodes_of[name]),
            "readyNodes": len(readiness.ready),
            "targetSize": world.target(name),
            "provisioning": len(machines.coming),
            "conditions": conditions,
        }
        if status != before:
            self._store.record_status(groups.NODE_GROUP, name, status)


def _healthy(is_healthy: bool) -> tuple[str, bool, str]:
    return HEALTHY, is_healthy, "Healthy" if is_healthy else "Unhealthy"


def _scaling_up(world: World, state: ClusterState, name: str) -> tuple[str, bool, str]:
    if name in state.requests:
        return SCALING_UP, True, "InProgress"
    if not state.is_group_healthy(name):
        return SCALING_UP, False, "Unhealthy"
    if state.is_backed_off(name, world.now_ns):
        return SCALING_UP, False, "Backoff"
    return SCALING_UP, False, "NoActivity"


def _candidates(count: int) -> tuple[str, bool, str]:
    reason = "CandidatesPresent" if count else "NoCandidates"
    return SCALE_DOWN_CANDIDATES, bool(count), reason


def _with(conditions: list[Json], kind: str, is_true: bool, reason: str, now_ns: int) -> list[Json]:
    value = "True" if is_true else "False"
    before = next((each for each in conditions if each["type"] == kind), None)
    since = timestamps.format_time(now_ns)
    if before is not None and before["status"] == value:
        if before["reason"] == reason:
            return conditions
        since = before["lastTransitionTime"]
    new = {"type": kind, "status": value, "reason": reason, "lastTransitionTime": since}
    return pods.with_condition(conditions, new)
