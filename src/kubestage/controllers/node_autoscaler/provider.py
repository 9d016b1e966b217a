"""The provider of machines: it creates nodes of a group's template some time after a request."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.kubelet.annotations import HEARTBEAT
from kubestage.controllers.kubelet.outages import STOPPED
from kubestage.controllers.node_autoscaler import cloud_provider, groups, node_state
from kubestage.controllers.node_autoscaler.cloud_provider import Instance, InstanceError
from kubestage.errors import AlreadyExists, Forbidden, NotFound
from kubestage.objects import distributions
from kubestage.objects.prices import PRICE_CATALOG, Prices
from kubestage.objects.views import node as node_views

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.groups import Group


NODE: Final = ("v1", "Node")
_EXHAUSTED: Final = InstanceError(
    cloud_provider.OUT_OF_RESOURCES, "STOCKOUT", "no machines are available"
)


class Machines(msgspec.Struct):
    """What a provider has under way for a group.

    `coming` are the names of nodes that will register. What it cannot give is `missing` if only the
    size of the group shows it, else `stuck` for ever or `failed`.
    """

    coming: list[str] = []
    stuck: list[str] = []
    failed: list[str] = []
    missing: int = 0
    created: int = 0

    @property
    def running(self) -> list[str]:
        """Those that have been started, and are paid for, also if their nodes never come."""
        return [*self.coming, *self.stuck]

    @property
    def absent(self) -> int:
        """How many machines there are to be and are not."""
        return len(self.coming) + len(self.stuck) + len(self.failed) + self.missing


class Provider:
    """Knows the groups, which nodes are theirs, and what was requested.

    The target size of a group is the number of its nodes and of those requested: a client that
    deletes or adds a node changes it as well. `wake` queues a key after some time.
    """

    def __init__(self, cluster: Cluster, lister: Lister, wake: Callable[[str, int], None]) -> None:
        self._store = cluster.store
        self._seed = cluster.streams.seed
        self._lister = lister
        self._wake = wake
        self._views: dict[str, Group] = {}
        self._machines: dict[str, Machines] = {}
        self._catalogs: list[Json] = []
        self._prices = Prices({}, ())

    def groups(self) -> list[Group]:
        """All groups, by name."""
        found = []
        self._read_prices()
        for obj in self._lister.all(groups.NODE_GROUP):
            name = obj["metadata"]["name"]
            view = self._views.get(name)
            if view is None or view.raw is not obj:
                price = self._prices.of_group(obj)
                view = msgspec.structs.replace(groups.read_group(obj), price=price)
                self._views[name] = view
            found.append(view)
        return found

    def _read_prices(self) -> None:
        """Read PriceCatalogs again if they have changed, and with them the prices of groups."""
        catalogs = self._lister.all(PRICE_CATALOG)
        known = self._catalogs
        if len(catalogs) != len(known) or any(map(operator.is_not, catalogs, known)):
            self._catalogs, self._prices = catalogs, Prices({}, catalogs)
            self._views.clear()

    def get(self, name: str) -> Group | None:
        """The group of a name."""
        obj = self._lister.get(groups.NODE_GROUP, name)
        return None if obj is None else groups.read_group(obj)

    def group_of(self, node: Json) -> str:
        """The group that a node names, if there is such a group."""
        name = groups.name_of(node)
        return name if name and self._lister.get(groups.NODE_GROUP, name) is not None else ""

    def gpu_of(self, node: Json) -> str | None:
        """The GPUs that a node offers, the first kind if there are several."""
        return node_state.gpu_of(node_views.of(node).allocatable)

    def nodes(self, name: str) -> list[Json]:
        """The nodes of a group that have registered, by name."""
        found = self._lister.collection(NODE)
        return [found.objects[key] for key in sorted(found.labels.get(groups.LABEL, name))]

    def machines(self, name: str) -> Machines:
        """What is under way for a group."""
        found = self._machines.get(name)
        if found is None:
            found = self._machines[name] = Machines()
        return found

    def target_size(self, name: str) -> int:
        """How many machines a group is to have."""
        return self._node_count(name) + self.machines(name).absent

    def instances(self, name: str) -> list[Instance]:
        """The machines of a group: those of its nodes, and those that are to come."""
        machines = self.machines(name)
        found = [Instance(cloud_provider.instance_id(node)) for node in self.nodes(name)]
        names = (*machines.coming, *machines.stuck)
        found += [Instance(groups.provider_id(name, each)) for each in names]
        return [
            *found,
            *(
                Instance(groups.provider_id(name, each), error=_EXHAUSTED)
                for each in machines.failed
            ),
        ]

    def open(self, group: Group) -> None:
        """Create the initial nodes of a group, unless it has been seen before."""
        if "status" in group.raw:
            return
        for _ in range(group.initial_size - self._node_count(group.name)):
            self._register(group, self._next_name(group.name))

    def forget(self, name: str) -> None:
        """A group is no more; its nodes stay."""
        self._machines.pop(name, None)
        self._views.pop(name, None)

    def increase(self, group: Group, count: int) -> str:
        """Ask for more nodes; each takes its own time, and not all may be had."""
        machines = self.machines(group.name)
        granted = count
        if group.available is not None:
            held = self._node_count(group.name) + len(machines.coming)
            granted = min(count, max(group.available - held, 0))
        if granted < count and group.shortage == groups.REFUSE:
            return f"provider refuses: {group.available} machines available"
        for _ in range(granted):
            name = self._next_name(group.name)
            stream = distributions.stream_of(self._seed, "provision", name)
            machines.coming.append(name)
            self._wake(f"machine:{group.name}/{name}", group.provision_delay.sample_ns(stream))
        lacking = count - granted
        if group.shortage == groups.NEVER:
            machines.stuck += [self._next_name(group.name) for _ in range(lacking)]
        elif group.shortage == groups.ERROR:
            machines.failed += [self._next_name(group.name) for _ in range(lacking)]
        else:
            machines.missing += lacking
        return ""

    def deliver(self, key: str) -> None:
        """A requested machine has come up, unless it is no longer needed."""
        name, _, node_name = key.partition("/")
        machines, group = self.machines(name), self.get(name)
        if group is not None and node_name in machines.coming:
            machines.coming.remove(node_name)
            self._register(group, node_name)

    def start_kubelet(self, name: str) -> None:
        """A node that has registered is ready now, unless it has gone."""
        node = self._lister.get(NODE, name)
        notes = (node["metadata"].get("annotations") or {}) if node is not None else {}
        if notes.get(HEARTBEAT) == STOPPED:
            self._store.patch(NODE, name, {"metadata": {"annotations": {HEARTBEAT: None}}})

    def decrease(self, group: Group, count: int) -> str:
        """Ask for fewer nodes; if some of them have come already, nothing is done."""
        machines = self.machines(group.name)
        if count > machines.absent:
            nodes, target = self._node_count(group.name), self.target_size(group.name)
            sizes = f"targetSize:{target} delta:{-count} existingNodes: {nodes}"
            return f"attempt to delete existing nodes {sizes}"
        absent = min(count, machines.missing)
        machines.missing -= absent
        for names in (machines.failed, machines.stuck, machines.coming):
            cut = min(count - absent, len(names))
            del names[len(names) - cut :]
            absent += cut
        return ""

    def delete(self, group: Group, ids: Sequence[str]) -> str:
        """Take nodes and machines away."""
        machines, gone = self.machines(group.name), set(ids)
        for node in self.nodes(group.name):
            if cloud_provider.instance_id(node) in gone:
                self._delete_node(node["metadata"]["name"])
        for names in (machines.coming, machines.stuck, machines.failed):
            names[:] = [each for each in names if groups.provider_id(group.name, each) not in gone]
        return ""

    def _delete_node(self, name: str) -> None:
        try:
            self._store.delete(NODE, name)
        except NotFound:
            return

    def _node_count(self, name: str) -> int:
        labels = self._lister.collection(NODE).labels
        return len(labels.get(groups.LABEL, name))

    def _next_name(self, group: str) -> str:
        """A name that no node of the group had before."""
        machines, known = self.machines(group), self._store.read(NODE)
        while True:
            machines.created += 1
            name = f"{group}-{machines.created}"
            if name not in known:
                return name

    def _register(self, group: Group, name: str) -> None:
        node = group.node(name)
        if group.ready_delay is not None:
            stream = distributions.stream_of(self._seed, "ready", name)
            self._wake(f"ready:{name}", group.ready_delay.sample_ns(stream))
            notes = node["metadata"].setdefault("annotations", {})
            notes[HEARTBEAT] = STOPPED
        try:
            self._store.create(node)
        except (AlreadyExists, Forbidden):
            # As a kubelet that cannot register: its machine is there, its node never comes.
            return
