"""The state of the requested nodes, and which groups can be scaled up.

A request for nodes that are not all ready in time has failed: its group is left alone for a while,
for longer the more often this happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler import node_state
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.world import World

TIMEOUT: Final = "timeout"


class ScaleUpRequest(msgspec.Struct):
    """Nodes that were requested; `expected_ns` is when they should be there."""

    increase: int
    at_ns: int
    expected_ns: int


class _Backoff(msgspec.Struct):
    duration_ns: int
    until_ns: int
    failed_ns: int


class Readiness(msgspec.Struct):
    """The nodes of a group, or of the cluster, by how they do."""

    ready: list[str] = []
    unready: list[str] = []
    not_started: list[str] = []

    @property
    def registered(self) -> int:
        """How many nodes there are."""
        return len(self.ready) + len(self.unready) + len(self.not_started)


class _WrongSize(msgspec.Struct, frozen=True):
    current: int
    expected: int
    since_ns: int


class ClusterState:
    """Tracks requests, failures and health from scan to scan."""

    def __init__(self, settings: NodeAutoscalerSettings) -> None:
        self._settings = settings
        self.requests: dict[str, ScaleUpRequest] = {}
        self._backoffs: dict[str, _Backoff] = {}
        self._wrong_sizes: dict[str, _WrongSize] = {}
        self._readiness: dict[str, Readiness] = {}
        self._total = Readiness()
        self._least: dict[str, int] = {}
        self._targets: dict[str, int] = {}

    def update(self, world: World) -> dict[str, ScaleUpRequest]:
        """Take in how the cluster is; the requests that have failed by now are returned."""
        self._measure(world)
        self._set_least(world)
        timed_out = self._settle_requests(world)
        self._set_least(world)
        self._find_wrong_sizes(world)
        return timed_out

    def ask(self, name: str, count: int, now_ns: int) -> None:
        """Nodes of a group have been requested."""
        expected_ns = now_ns + self._settings.max_node_provision_time_ns
        found = self.requests.get(name)
        if found is None:
            self.requests[name] = ScaleUpRequest(count, now_ns, expected_ns)
        else:
            found.increase += count
            found.at_ns, found.expected_ns = now_ns, expected_ns

    def fail(self, name: str, now_ns: int) -> None:
        """A request has failed: leave the group alone, for longer if it has just failed before."""
        settings = self._settings
        duration_ns = settings.initial_node_group_backoff_duration_ns
        before = self._backoffs.get(name)
        if before is not None:
            duration_ns = before.duration_ns
            if before.until_ns < now_ns:
                most_ns = settings.max_node_group_backoff_duration_ns
                duration_ns = min(2 * before.duration_ns, most_ns)
        self._backoffs[name] = _Backoff(duration_ns, now_ns + duration_ns, now_ns)

    def is_backed_off(self, name: str, now_ns: int) -> bool:
        """Whether a group is left alone at present."""
        found = self._backoffs.get(name)
        return found is not None and found.until_ns >= now_ns

    def readiness(self, name: str) -> Readiness:
        """The nodes of a group by how they do."""
        return self._readiness.get(name) or Readiness()

    def is_cluster_healthy(self) -> bool:
        """Whether not too many nodes have broken down."""
        return not self._are_too_many(len(self._total.unready), self._total.registered)

    def is_group_healthy(self, name: str) -> bool:
        """Whether a group has about as many nodes as it should."""
        least = self._least[name]
        found = self._readiness.get(name)
        if found is None:
            return not self._targets[name] or not least
        return not self._are_too_many(max(least - len(found.ready), 0), found.registered)

    def is_safe_to_grow(self, name: str, now_ns: int) -> bool:
        """Whether more nodes of a group may be requested."""
        return self.is_group_healthy(name) and not self.is_backed_off(name, now_ns)

    def upcoming(self, world: World) -> dict[str, tuple[int, list[str]]]:
        """How many nodes of each group are on their way, and which of them have registered."""
        found = {}
        for name in world.groups:
            count = self._upcoming_of(name)
            if count > 0 and name in self.requests and not self.is_backed_off(name, world.now_ns):
                found[name] = count, self.readiness(name).not_started
        return found

    def too_large_by(self, name: str, now_ns: int) -> int:
        """How many nodes of a group have been requested for too long without coming."""
        found = self._wrong_sizes.get(name)
        if found is None or found.since_ns + self._settings.max_node_provision_time_ns >= now_ns:
            return 0
        return max(found.expected - found.current, 0)

    def forget(self, name: str) -> None:
        """A group is no more."""
        self.requests.pop(name, None)
        self._backoffs.pop(name, None)

    def _measure(self, world: World) -> None:
        self._total = Readiness()
        self._readiness = {}
        for node in world.nodes.values():
            group, name = world.group_of(node), node["metadata"]["name"]
            counted = [self._total]
            if group is not None:
                counted.append(self._readiness.setdefault(group.name, Readiness()))
            created_ns = timestamps.parse_time(node["metadata"]["creationTimestamp"])
            for each in counted:
                if node_state.is_ready(node):
                    each.ready.append(name)
                elif created_ns + self._settings.max_node_startup_time_ns > world.now_ns:
                    each.not_started.append(name)
                else:
                    each.unready.append(name)

    def _set_least(self, world: World) -> None:
        """How many nodes each group must have by now."""
        self._targets = {name: world.target(name) for name in world.groups}
        self._least = dict(self._targets)
        for name, request in self.requests.items():
            if name in self._least:
                self._least[name] -= request.increase

    def _upcoming_of(self, name: str) -> int:
        found = self.readiness(name)
        return self._targets[name] - len(found.ready) - len(found.unready)

    def _settle_requests(self, world: World) -> dict[str, ScaleUpRequest]:
        now_ns, reset_ns = world.now_ns, self._settings.node_group_backoff_reset_timeout_ns
        for name, backoff in list(self._backoffs.items()):
            if backoff.failed_ns + reset_ns < now_ns:
                del self._backoffs[name]
        timed_out = {}
        for name, request in list(self.requests.items()):
            if name not in world.groups or self._upcoming_of(name) <= 0:
                del self.requests[name]
            elif request.expected_ns < now_ns:
                timed_out[name] = self.requests.pop(name)
                self.fail(name, now_ns)
        return timed_out

    def _find_wrong_sizes(self, world: World) -> None:
        found = {}
        for name in world.groups:
            readiness = self._readiness.get(name)
            if readiness is not None and readiness.registered != self._targets[name]:
                wrong = _WrongSize(readiness.registered, self._targets[name], world.now_ns)
                before = self._wrong_sizes.get(name)
                if before is not None and (before.current, before.expected) == (
                    wrong.current,
                    wrong.expected,
                ):
                    wrong = before
                found[name] = wrong
        self._wrong_sizes = found

    def _are_too_many(self, count: int, of_all: int) -> bool:
        settings = self._settings
        share = settings.max_total_unready_percentage / 100.0 * of_all
        return count > settings.ok_total_unready_count and count > share
