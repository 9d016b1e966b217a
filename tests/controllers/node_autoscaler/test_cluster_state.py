"""Requests, machines and health, with a provider that does as it is told here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.controllers.lister import Lister
from kubestage.controllers.node_autoscaler import groups
from kubestage.controllers.node_autoscaler.cloud_provider import Instance, InstanceError
from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
from kubestage.controllers.node_autoscaler.node_group_repair import NodeGroupRepair
from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
from kubestage.controllers.node_autoscaler.world import Observer
from kubestage.stage import Stage
from kubestage.units import MINUTE_NS
from tests.controllers.node_autoscaler.clusters import make_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.world import World

_STOCKOUT = InstanceError("OutOfResource", "STOCKOUT", "nothing left")


class _Provider:
    """One group; what it has and what was done to it can be read and set."""

    def __init__(self, **spec: Any) -> None:
        self.group = groups.read_group(make_group(**spec))
        self.target = 0
        self.machines: list[Instance] = []
        self.calls: list[tuple[str, Any]] = []
        self.refusal = ""

    def groups(self) -> list[Group]:
        return [self.group]

    def group_of(self, node: Json) -> str:
        return groups.name_of(node)

    def target_size(self, name: str) -> int:
        assert name == "pool"
        return self.target

    def instances(self, name: str) -> list[Instance]:
        assert name == "pool"
        return list(self.machines)

    def gpu_of(self, node: Json) -> str | None:
        return None

    def increase(self, group: Group, count: int) -> str:
        self.calls.append(("increase", count))
        return self.refusal

    def decrease(self, group: Group, count: int) -> str:
        self.calls.append(("decrease", count))
        if not self.refusal:
            self.target -= count
        return self.refusal

    def delete(self, group: Group, ids: Sequence[str]) -> str:
        self.calls.append(("delete", list(ids)))
        if not self.refusal:
            self.target -= len(ids)
            self.machines = [each for each in self.machines if each.id not in ids]
        return self.refusal


class _Reports:
    """Keeps the reasons of Events."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def report(self, regarding: Json, kind: str, reason: str, message: str) -> None:
        self.reasons.append(reason)

    def report_group(self, group: Json, kind: str, reason: str, message: str) -> None:
        self.reasons.append(reason)

    def report_status(self, groups: Iterable[Group], kind: str, reason: str, message: str) -> None:
        self.reasons.append(reason)

    def stamp(self, group: str, field: str, now_ns: int) -> None:
        pass


class _Lab:
    """A registry of the state, and time that is set by hand."""

    def __init__(self, flags: Json | None = None, **spec: Any) -> None:
        self.settings = NodeAutoscalerSettings(**(flags or {}))
        self.provider, self.reports = _Provider(**spec), _Reports()
        self.stage = Stage()
        self.observer = Observer(Lister(self.stage.store), self.provider, self.settings)
        self.state = ClusterState(self.settings, self.provider, self.reports)
        self.repair = NodeGroupRepair(self.provider, self.state, self.reports, self.settings)
        self._start_ns = self.stage.clock.unix_ns

    def look(self, minutes: float) -> World:
        """The cluster after so many minutes."""
        now_ns = self._start_ns + round(minutes * MINUTE_NS)
        world = msgspec.structs.replace(self.observer.observe(now_ns), now_ns=now_ns)
        self.state.update(world)
        return world

    def request(self, minutes: float, count: int) -> None:
        """Nodes are requested."""
        self.provider.target += count
        self.state.ask(self.look(minutes), "pool", count)
        self.state.recalculate()

    def add_node(self, name: str) -> None:
        """A machine registers; its node is ready."""
        node = self.provider.group.node(name)
        now = "2026-01-01T00:00:00Z"
        node["metadata"]["creationTimestamp"] = now
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": now}
        node["status"]["conditions"] = [condition]
        self.stage.store.load(node)


def test_a_machine_without_a_node_is_upcoming_and_unregistered() -> None:
    lab = _Lab()
    lab.request(0, 2)
    lab.provider.machines = [Instance("kubestage://pool/pool-1")]
    world = lab.look(1)
    assert lab.state.upcoming(world.now_ns) == {"pool": (2, [])}
    assert list(lab.state.unregistered) == ["kubestage://pool/pool-1"]
    lab.add_node("pool-1")
    world = lab.look(2)
    assert lab.state.upcoming(world.now_ns) == {"pool": (1, [])}
    assert lab.state.unregistered == {}


def test_machines_are_listed_at_each_scan_only_while_a_group_scales_up() -> None:
    lab = _Lab()
    lab.look(0)
    lab.provider.machines = [Instance("m1")]
    lab.look(1)
    assert lab.state.unregistered == {}
    lab.state.cache.refresh()
    lab.look(2)
    assert list(lab.state.unregistered) == ["m1"]


def test_a_late_machine_is_deleted_unless_its_group_is_at_its_least() -> None:
    lab = _Lab(minSize=1)
    lab.provider.target = 2
    lab.provider.machines = [Instance("m1"), Instance("m2")]
    lab.look(0)
    lab.repair.remove_unregistered(lab.look(15))
    assert lab.provider.calls == []
    lab.repair.remove_unregistered(lab.look(15.1))
    assert lab.provider.calls == [("delete", ["m1"])]
    assert lab.reports.reasons == ["DeleteUnregistered"]
    forced = _Lab({"force_delete_unregistered_nodes": True}, minSize=1)
    forced.provider.target, forced.provider.machines = 1, [Instance("m1")]
    forced.look(0)
    forced.repair.remove_unregistered(forced.look(15.1))
    assert forced.provider.calls == [("delete", ["m1"])]


def test_a_provider_that_does_not_delete_late_machines_is_reported() -> None:
    lab = _Lab()
    lab.provider.target, lab.provider.machines = 1, [Instance("m1")]
    lab.look(0)
    lab.provider.refusal = "locked"
    lab.repair.remove_unregistered(lab.look(16))
    assert lab.reports.reasons == ["DeleteUnregisteredFailed"]


def test_failed_machines_end_their_request_and_are_deleted() -> None:
    lab = _Lab()
    lab.request(0, 2)
    lab.provider.machines = [Instance("m1"), Instance("m2", error=_STOCKOUT)]
    world = lab.look(0.2)
    assert lab.reports.reasons == ["ScaleUpFailed"]
    assert lab.state.requests["pool"].increase == 1
    assert lab.state.backoff.error("pool", world.now_ns) == _STOCKOUT
    lab.repair.remove_failed(world)
    assert lab.provider.calls == [("delete", ["m2"])]
    assert (lab.provider.target, lab.state.target("pool")) == (1, 1)
    # It is an old failure from now on.
    lab.provider.machines.append(Instance("m2", error=_STOCKOUT))
    lab.look(0.4)
    assert lab.reports.reasons == ["ScaleUpFailed"]


@pytest.mark.parametrize(("keeps_some", "deleted"), [(False, ["m1", "m2"]), (True, None)])
def test_of_a_group_that_scales_as_a_whole_all_machines_go_or_none(
    keeps_some: bool, deleted: list[str] | None
) -> None:
    options = {"zeroOrMaxNodeScaling": True, "allowNonAtomicScaleUpToMax": keeps_some}
    lab = _Lab(options=options)
    lab.request(0, 2)
    lab.provider.machines = [Instance("m1"), Instance("m2", error=_STOCKOUT)]
    lab.repair.remove_failed(lab.look(0.2))
    assert lab.provider.calls == ([] if deleted is None else [("delete", deleted)])


def test_a_request_that_times_out_is_reverted_and_a_refusal_is_reported() -> None:
    lab = _Lab(options={"maxNodeProvisionTime": "5m"})
    lab.request(0, 2)
    lab.look(5)
    assert lab.provider.calls == []
    lab.look(5.1)
    assert (lab.provider.calls, lab.provider.target) == ([("decrease", 2)], 0)
    assert lab.reports.reasons == ["ScaleUpTimedOut"]
    refused = _Lab()
    refused.request(0, 2)
    refused.provider.refusal = "no"
    world = refused.look(16)
    assert refused.reports.reasons == ["ScaleUpTimedOut", "FailedToRevertScaleUp"]
    assert refused.state.is_backed_off("pool", world.now_ns)
    assert refused.state.upcoming(world.now_ns) == {}


def test_a_size_that_stays_wrong_is_lowered_and_a_refusal_ends_the_scan() -> None:
    lab = _Lab()
    lab.add_node("pool-1")
    lab.provider.target = 3
    lab.look(0)
    assert lab.repair.fix_sizes(lab.look(15)) == (False, "")
    assert lab.repair.fix_sizes(lab.look(15.1)) == (True, "")
    assert lab.provider.calls == [("decrease", 2)]
    lab.provider.target = 3
    lab.provider.refusal = "attempt to delete existing nodes"
    lab.look(16)
    problem = "failed to decrease pool: attempt to delete existing nodes"
    assert lab.repair.fix_sizes(lab.look(32)) == (False, problem)
