"""The provider of machines: it creates nodes of a group's template some time after a request."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.node_autoscaler import groups
from kubestage.errors import AlreadyExists, Forbidden, NotFound
from kubestage.objects import distributions
from kubestage.objects.prices import PRICE_CATALOG, Prices

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.controllers.controller import Cluster
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.groups import Group


NODE: Final = ("v1", "Node")


class Machines(msgspec.Struct):
    """What a provider has under way for a group.

    `coming` are the names of nodes that will register; `missing` is how many were requested that
    it cannot give.
    """

    coming: list[str] = []
    missing: int = 0
    created: int = 0


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

    def nodes(self, name: str) -> list[Json]:
        """The nodes of a group that have registered, by name."""
        return [each for each in self._lister.all(NODE) if groups.name_of(each) == name]

    def machines(self, name: str) -> Machines:
        """What is under way for a group."""
        found = self._machines.get(name)
        if found is None:
            found = self._machines[name] = Machines()
        return found

    def open(self, group: Group) -> None:
        """Create the initial nodes of a group, unless it has been seen before."""
        if "status" in group.raw:
            return
        for _ in range(group.initial_size - len(self.nodes(group.name))):
            self._register(group, self._next_name(group.name))

    def forget(self, name: str) -> None:
        """A group is no more; its nodes stay."""
        self._machines.pop(name, None)
        self._views.pop(name, None)

    def increase(self, group: Group, count: int) -> None:
        """Ask for more nodes; each takes its own time, and not all may be had."""
        machines = self.machines(group.name)
        held = len(self.nodes(group.name)) + len(machines.coming)
        granted = count
        if group.available is not None:
            granted = min(count, max(group.available - held, 0))
        machines.missing += count - granted
        for _ in range(granted):
            name = self._next_name(group.name)
            stream = distributions.stream_of(self._seed, "provision", name)
            machines.coming.append(name)
            self._wake(f"{group.name}/{name}", group.provision_delay.sample_ns(stream))

    def deliver(self, key: str) -> None:
        """A requested machine has come up, unless it is no longer needed."""
        name, _, node_name = key.partition("/")
        machines, group = self.machines(name), self.get(name)
        if group is not None and node_name in machines.coming:
            machines.coming.remove(node_name)
            self._register(group, node_name)

    def decrease(self, name: str, count: int) -> bool:
        """Ask for fewer nodes; False if some of them have come already, and nothing is done."""
        machines = self.machines(name)
        if count > machines.missing + len(machines.coming):
            return False
        absent = min(count, machines.missing)
        machines.missing -= absent
        del machines.coming[len(machines.coming) - (count - absent) :]
        return True

    def delete(self, node_name: str) -> None:
        """Take a node and its machine away."""
        try:
            self._store.delete(NODE, node_name)
        except NotFound:
            return

    def _next_name(self, group: str) -> str:
        """A name that no node of the group had before."""
        machines, known = self.machines(group), self._store.read(NODE)
        while True:
            machines.created += 1
            name = f"{group}-{machines.created}"
            if name not in known:
                return name

    def _register(self, group: Group, name: str) -> None:
        try:
            self._store.create(group.node(name))
        except (AlreadyExists, Forbidden):
            # As a kubelet that cannot register: its machine is there, its node never comes.
            return
