"""The provider of the recordings: it answers at once, and does what a world says it can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.node_autoscaler import cloud_provider, groups
from kubestage.controllers.node_autoscaler.cloud_provider import Instance, InstanceError
from kubestage.controllers.node_autoscaler.groups import Group
from kubestage.objects import distributions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.replay.cluster_autoscaler.recorded_actions import GroupChange
    from kubestage.replay.cluster_autoscaler.recorded_world import RecordedGroup

_SCHEME: Final = "sim://"
_GPU_LABEL: Final = "sim/gpu"
_GPU: Final = "nvidia.com/gpu"
_STOCKOUT: Final = InstanceError(cloud_provider.OUT_OF_RESOURCES, "STOCKOUT", "out of resources")
_AT_ONCE: Final = distributions.parse("0s")


class NodeGroup(Group, frozen=True, kw_only=True):
    """A group whose new nodes are exactly as its template says."""

    template: Json

    def node(self, name: str) -> Json:
        """A node of this group."""
        metadata = self.template.get("metadata") or {}
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {**metadata, "name": name, "labels": dict(metadata.get("labels") or {})},
            "spec": dict(self.template.get("spec") or {}),
            "status": self.template.get("status") or {},
        }


class _Machines(msgspec.Struct):
    """The machines of a group, in the order in which they came, and how many there are to be."""

    listed: dict[str, Instance] = {}
    target: int = 0
    created: int = 0


class RecordedProvider:
    """Groups and machines; `calls` are those that were made since they were last taken."""

    def __init__(self, recorded: Iterable[RecordedGroup], remove: Callable[[str], None]) -> None:
        self._groups = {each.name: _group_of(each) for each in recorded}
        self._machines = {name: _Machines() for name in self._groups}
        self._remove = remove
        self.calls: list[Json] = []

    def groups(self) -> list[Group]:
        """All groups, in the order of the world."""
        return list(self._groups.values())

    def group_of(self, node: Json) -> str:
        """The group that a node's providerID names."""
        found = (node.get("spec") or {}).get("providerID") or ""
        name: str = found.removeprefix(_SCHEME).partition("/")[0]
        return name if name in self._groups else ""

    def gpu_of(self, node: Json) -> str | None:
        """The GPUs of nodes that are labelled so."""
        return _GPU if _GPU_LABEL in (node["metadata"].get("labels") or {}) else None

    def target_size(self, name: str) -> int:
        """How many machines a group is to have."""
        return self._machines[name].target

    def instances(self, name: str) -> list[Instance]:
        """The machines of a group."""
        return list(self._machines[name].listed.values())

    def increase(self, group: Group, count: int) -> str:
        """Ask for more machines; what happens to those that are not available is recorded."""
        call = {"call": "increaseSize", "group": group.name, "delta": count}
        machines, available = self._machines[group.name], group.available
        lacking = 0
        if available is not None:
            lacking = min(max(machines.target + count - available, 0), count)
        if lacking and group.shortage == groups.REFUSE:
            problem = f"provider refuses: {available} machines available"
            self.calls.append({**call, "error": problem})
            return problem
        self.calls.append(call)
        machines.target += count
        for number in range(count):
            machines.created += 1
            provider_id = f"{_SCHEME}{group.name}/{group.name}-new-{machines.created:02d}"
            is_lacking = number >= count - lacking
            if is_lacking and group.shortage == groups.ABSENT:
                continue
            error = _STOCKOUT if is_lacking and group.shortage == groups.ERROR else None
            machines.listed[provider_id] = Instance(provider_id, error=error)
        return ""

    def decrease(self, group: Group, count: int) -> str:
        """Ask for fewer machines, but not for fewer than there are."""
        call = {"call": "decreaseTargetSize", "group": group.name, "delta": -count}
        machines, problem = self._machines[group.name], ""
        if machines.target - count < len(machines.listed):
            problem = "attempt to delete existing nodes"
            call["error"] = problem
        else:
            machines.target -= count
        self.calls.append(call)
        return problem

    def delete(self, group: Group, ids: Sequence[str]) -> str:
        """Take machines away, and their nodes at once."""
        names = [each.rpartition("/")[2] for each in ids]
        self.calls.append({"call": "deleteNodes", "group": group.name, "nodes": names})
        machines = self._machines[group.name]
        for each, name in zip(ids, names, strict=True):
            if machines.listed.pop(each, None) is not None:
                machines.target -= 1
            self._remove(name)
        return ""

    def start_with(self, node: Json) -> None:
        """A node is there from the start."""
        name = self.group_of(node)
        if name:
            self.register(node)
            self._machines[name].target += 1

    def register(self, node: Json) -> None:
        """The machine of a node has come up."""
        name = self.group_of(node)
        if name:
            provider_id = cloud_provider.instance_id(node)
            self._machines[name].listed.setdefault(provider_id, Instance(provider_id))

    def change(self, change: GroupChange) -> None:
        """A group has other limits from now on."""
        group = self._groups[change.group]
        stated = {
            "min_size": change.min,
            "max_size": change.max,
            "available": change.available,
        }
        limits = {name: each for name, each in stated.items() if each is not msgspec.UNSET}
        self._groups[change.group] = msgspec.structs.replace(group, **limits)

    def take_calls(self) -> list[Json]:
        """The calls that were made since they were last taken."""
        calls, self.calls = self.calls, []
        return calls


def _group_of(recorded: RecordedGroup) -> NodeGroup:
    return NodeGroup(
        raw={"kind": "NodeGroup", "metadata": {"name": recorded.name}},
        name=recorded.name,
        min_size=recorded.min,
        max_size=recorded.max,
        initial_size=0,
        price=recorded.price,
        priority=None,
        provision_delay=_AT_ONCE,
        available=recorded.available,
        shortage=recorded.shortage,
        options=msgspec.to_builtins(recorded.options),
        template=recorded.template,
    )
