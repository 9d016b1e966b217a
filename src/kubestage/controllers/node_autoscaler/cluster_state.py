"""The state of the requested nodes, and which groups can be scaled up.

A request for nodes that are not all ready in time has failed: its group is left alone for a while,
for longer the more often this happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.node_autoscaler import cloud_provider, creation_errors, readiness
from kubestage.controllers.node_autoscaler.backoff import Backoff
from kubestage.controllers.node_autoscaler.cloud_provider import InstanceError
from kubestage.controllers.node_autoscaler.instance_cache import InstanceCache
from kubestage.controllers.node_autoscaler.readiness import Readiness, Unregistered
from kubestage.golang import durations
from kubestage.store.event_recorder import WARNING

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider, Instance
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.world import World

TIMEOUT: Final = "timeout"


class ScaleUpRequest(msgspec.Struct):
    """Nodes that were requested; `expected_ns` is when they should be there."""

    increase: int
    at_ns: int
    expected_ns: int


class _WrongSize(msgspec.Struct, frozen=True):
    current: int
    expected: int
    since_ns: int


class ClusterState:
    """Tracks requests, failures, machines and health from scan to scan."""

    def __init__(
        self, settings: NodeAutoscalerSettings, provider: CloudProvider, reports: Reports
    ) -> None:
        self._settings = settings
        self._provider = provider
        self._reports = reports
        self.cache = InstanceCache(provider)
        self.backoff = Backoff(settings)
        self.requests: dict[str, ScaleUpRequest] = {}
        self.unregistered: dict[str, Unregistered] = {}
        self.instances: dict[str, list[Instance]] = {}
        self._wrong_sizes: dict[str, _WrongSize] = {}
        self._readiness: dict[str, Readiness] = {}
        self.total = Readiness()
        self._least: dict[str, int] = {}
        self._targets: dict[str, int] = {}

    def update(self, world: World) -> None:
        """Take in how the cluster is, and give up on nodes that did not come in time."""
        targets = {name: self._provider.target_size(name) for name in world.groups}
        for name in world.groups:
            if self.is_scaling_up(name):
                self.cache.invalidate(name)
        before, self.instances = self.instances, self.cache.of_all(world.groups)
        self._find_unregistered(world)
        self.total, self._readiness = readiness.measure(world, self.unregistered)
        self._set_ranges(targets)
        self._settle_requests(world)
        self._settle_errors(world, before)
        self._set_ranges(targets)
        self._find_wrong_sizes(world)

    def recalculate(self) -> None:
        """Take in that groups have grown or shrunk since."""
        groups = self._provider.groups()
        self._set_ranges({each.name: self._provider.target_size(each.name) for each in groups})

    def ask(self, world: World, name: str, count: int) -> None:
        """Nodes of a group have been requested, or as many fewer."""
        expected_ns = world.now_ns + world.options[name].max_node_provision_time_ns
        found = self.requests.get(name)
        if found is None:
            if count > 0:
                self.requests[name] = ScaleUpRequest(count, world.now_ns, expected_ns)
        elif found.increase + count <= 0:
            del self.requests[name]
        else:
            found.increase += count
            if count > 0:
                found.at_ns, found.expected_ns = world.now_ns, expected_ns

    def is_backed_off(self, name: str, now_ns: int) -> bool:
        """Whether a group is left alone at present."""
        return self.backoff.error(name, now_ns) is not None

    def readiness(self, name: str) -> Readiness:
        """The nodes of a group by how they do."""
        return self._readiness.get(name) or Readiness()

    def target(self, name: str) -> int:
        """How many nodes a group is to have, as it was when that was last looked at."""
        return self._targets.get(name, 0)

    def is_cluster_healthy(self) -> bool:
        """Whether not too many nodes have broken down."""
        return not self._are_too_many(len(self.total.unready), self.total.registered)

    def is_group_healthy(self, name: str) -> bool:
        """Whether a group has about as many nodes as it should."""
        if name not in self._least:
            return False
        least, found = self._least[name], self._readiness.get(name)
        if found is None:
            return not self._targets[name] or (not least and self._targets[name] > 0)
        missing = max(least - len(found.ready) - len(found.suspended), 0)
        return not self._are_too_many(missing, found.registered)

    def is_safe_to_grow(self, name: str, now_ns: int) -> bool:
        """Whether more nodes of a group may be requested."""
        return self.is_group_healthy(name) and not self.is_backed_off(name, now_ns)

    def is_scaling_up(self, name: str) -> bool:
        """Whether nodes of a group have been requested and are still to come."""
        return name in self.requests and self._has_upcoming(name)

    def upcoming(self, now_ns: int) -> dict[str, tuple[int, list[str]]]:
        """How many nodes of each group are on their way, and which of them have registered."""
        found = {}
        for group in self._provider.groups():
            name = group.name
            count = self.target(name) - self.readiness(name).counted
            if count > 0 and name in self.requests and not self.is_backed_off(name, now_ns):
                found[name] = count, self.readiness(name).not_started
        return found

    def too_large_by(self, world: World, name: str) -> int:
        """How many nodes of a group have been requested for too long without coming."""
        found = self._wrong_sizes.get(name)
        patience_ns = world.options[name].max_node_provision_time_ns
        if found is None or found.since_ns + patience_ns >= world.now_ns:
            return 0
        return max(found.expected - found.current, 0)

    def forget(self, name: str) -> None:
        """A group is no more."""
        self.requests.pop(name, None)
        self.backoff.forget(name)
        self.cache.invalidate(name)

    def _find_unregistered(self, world: World) -> None:
        registered = {cloud_provider.instance_id(node) for node in world.nodes.values()}
        known, now_ns = self.unregistered, world.now_ns
        self.unregistered = {
            each.id: known.get(each.id) or Unregistered(each.id, name, now_ns)
            for name, instances in self.instances.items()
            for each in instances
            if each.may_register and each.id not in registered
        }

    def _set_ranges(self, targets: dict[str, int]) -> None:
        """How many nodes each group must have by now, and is to have in the end."""
        self._targets = targets
        self._least = {
            name: target - len(self.readiness(name).long_unregistered)
            for name, target in targets.items()
        }
        for name, request in self.requests.items():
            if name in self._least:
                self._least[name] -= request.increase

    def _has_upcoming(self, name: str) -> bool:
        return self.target(name) - self.readiness(name).counted > 0

    def _settle_requests(self, world: World) -> None:
        now_ns = world.now_ns
        self.backoff.drop_old(now_ns)
        for name, request in list(self.requests.items()):
            if name not in world.groups or not self._has_upcoming(name):
                del self.requests[name]
            elif request.expected_ns < now_ns:
                self._time_out(world, name, request)
                del self.requests[name]

    def _time_out(self, world: World, name: str, request: ScaleUpRequest) -> None:
        group = world.groups[name]
        waited = durations.go_string(world.now_ns - request.at_ns)
        text = f"Nodes added to group {name} failed to register within {waited}"
        self._reports.report_group(group.raw, WARNING, "ScaleUpTimedOut", text)
        text = f"Scale-up timed out for node group {name} after {waited}"
        self.backoff.fail(name, InstanceError(cloud_provider.OTHER, TIMEOUT, text), world.now_ns)
        problem = self._provider.decrease(group, request.increase)
        if problem:
            text = (
                f"Failed to decrease target size for group {name} after scale-up timeout: {problem}"
            )
            self._reports.report_group(group.raw, WARNING, "FailedToRevertScaleUp", text)

    def _settle_errors(self, world: World, before: dict[str, list[Instance]]) -> None:
        """Leave groups alone whose machines could not be created."""
        for name, instances in self.instances.items():
            for error, ids in creation_errors.unseen(instances, before.get(name, ())):
                if not self.is_scaling_up(name):
                    continue
                text = (
                    f"Failed adding {len(ids)} nodes to group {name} due to {error.reason}; "
                    f"source errors: {error.message}"
                )
                group = world.groups[name].raw
                self._reports.report_group(group, WARNING, "ScaleUpFailed", text)
                self.ask(world, name, -len(ids))
                self.backoff.fail(name, error, world.now_ns)

    def _find_wrong_sizes(self, world: World) -> None:
        found = {}
        for name, target in self._targets.items():
            each = self._readiness.get(name)
            if each is None:
                continue
            absent = len(each.unregistered) + len(each.long_unregistered)
            if target - absent <= each.registered <= target:
                continue
            wrong = _WrongSize(each.registered, target, world.now_ns)
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
