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
    from kubestage.controllers.node_autoscaler.provider import Provider
    from kubestage.controllers.node_autoscaler.world import World
    from kubestage.store.store import Store


HEALTHY: Final = "Healthy"
SCALING_UP: Final = "ScalingUp"
SCALE_DOWN_CANDIDATES: Final = "ScaleDownCandidates"


class Statuses:
    """Writes the status of groups when it has changed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def write(
        self, world: World, state: ClusterState, unneeded: Collection[str], provider: Provider
    ) -> None:
        """Write the status of each group."""
        nodes = dict.fromkeys(world.groups, 0)
        candidates = dict.fromkeys(world.groups, 0)
        for node_name, group in world.group_names.items():
            if group in nodes:
                nodes[group] += 1
                candidates[group] += node_name in unneeded
        for name in world.groups:
            before: Json = self._store.read(groups.NODE_GROUP)[name].get("status") or {}
            status = {
                **before,
                "size": nodes[name],
                "readyNodes": len(state.readiness(name).ready),
                "targetSize": world.target(name),
                "provisioning": len(provider.machines(name).coming),
                "conditions": _conditions(world, state, name, before, candidates[name]),
            }
            machines = provider.machines(name).running
            if machines:
                status["machines"] = machines
            else:
                status.pop("machines", None)
            if status != before:
                self._store.record_status(groups.NODE_GROUP, name, status)

    def stamp(self, name: str, field: str, now_ns: int) -> None:
        """Record when a group was last scaled up or down."""
        found = self._store.read(groups.NODE_GROUP).get(name)
        if found is not None:
            status = {**(found.get("status") or {}), field: timestamps.format_time(now_ns)}
            self._store.record_status(groups.NODE_GROUP, name, status)


def _conditions(
    world: World, state: ClusterState, name: str, before: Json, candidates: int
) -> list[Json]:
    conditions = list(before.get("conditions") or ())
    scale_up = scale_up_status(state, name, world.now_ns)
    for kind, is_true, reason in (
        _healthy(state.is_group_healthy(name)),
        (SCALING_UP, scale_up == "InProgress", scale_up),
        (SCALE_DOWN_CANDIDATES, bool(candidates), scale_down_status(candidates)),
    ):
        conditions = _with(conditions, kind, is_true, reason, world.now_ns)
    return conditions


def _healthy(is_healthy: bool) -> tuple[str, bool, str]:
    return HEALTHY, is_healthy, "Healthy" if is_healthy else "Unhealthy"


def scale_up_status(state: ClusterState, name: str, now_ns: int) -> str:
    """How the scale-up of a group does."""
    if state.is_scaling_up(name):
        return "InProgress"
    if not state.is_group_healthy(name):
        return "Unhealthy"
    return "Backoff" if state.is_backed_off(name, now_ns) else "NoActivity"


def scale_down_status(count: int) -> str:
    """Whether nodes of a group may go."""
    return "CandidatesPresent" if count else "NoCandidates"


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
