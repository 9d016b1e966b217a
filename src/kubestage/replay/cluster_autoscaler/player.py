"""Plays one world, step by step."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import instance_cache
from kubestage.controllers.node_autoscaler.autoscaler import Autoscaler, AutoscalingContext
from kubestage.replay.cluster_autoscaler import flags, view
from kubestage.replay.cluster_autoscaler.recorded_cluster import RecordedCluster
from kubestage.replay.cluster_autoscaler.recorded_provider import RecordedProvider
from kubestage.replay.cluster_autoscaler.recorded_reports import RecordedReports
from kubestage.scheduler.what_if import WhatIf
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.expanders import Option
    from kubestage.replay.cluster_autoscaler.recorded_world import RecordedStep, RecordedWorld

_AFTER_LAST: Final = 10
_REFRESH: Final = instance_cache.REFRESH_NS // SECOND_NS
_MACHINES: Final = ""


class _First:
    """Instead of chance: the first of the groups."""

    def choice(self, options: Sequence[Option]) -> Option:
        """The first option."""
        return options[0]


class _Player:
    """A world on its way: what is due, and what was taken note of."""

    def __init__(self, world: RecordedWorld) -> None:
        settings = flags.settings_of(world.flags)
        self.cluster = RecordedCluster()
        self.provider = RecordedProvider(world.node_groups, self.cluster.remove_node)
        self.reports = RecordedReports(self.cluster, settings)
        for obj in world.objects:
            self.cluster.put(obj)
            if obj["kind"] == "Node":
                self.provider.start_with(obj)
        if world.priority_expander_config is not None:
            self.cluster.put(_priority_config(world.priority_expander_config))
        context = AutoscalingContext(
            self.cluster,
            self.cluster.lister,
            self.provider,
            self.reports,
            _First(),
            self._wake,
        )
        self.autoscaler = Autoscaler(context, settings)
        self._what_if = WhatIf(self.cluster.stage)
        self._start_ns = self.cluster.now_ns
        self._due: list[tuple[float, int, str]] = [(0, 0, _MACHINES)]
        self._number = 0
        self._taints: dict[str, list[str]] = {}
        self._is_first = True

    def run(self, step: RecordedStep, until: float) -> Json:
        """Do what was done, scan, and let happen what follows until the next step."""
        self._let_pass(step.time)
        for action in step.actions:
            self.cluster.act(action, self.provider)
        now_ns = self.cluster.now_ns
        result = self.autoscaler.scan(now_ns, self._what_if)
        loop = view.loop_of(result, self.autoscaler, self._start_ns, now_ns)
        loop |= self._effects()
        loop["taintsChanged"] = self._changed_taints()
        if self._is_first:
            loop["templates"] = view.templates_of(self.autoscaler.templates)
            self._is_first = False
        self._let_pass(until)
        return {"loop": loop, "until_next": self._effects()}

    def _wake(self, name: str, delay_ns: int) -> None:
        self._number += 1
        at = self.cluster.seconds + delay_ns / SECOND_NS
        heapq.heappush(self._due, (at, self._number, name))

    def _let_pass(self, until: float) -> None:
        """Go on with removals and list machines, each at its time."""
        while self._due and self._due[0][0] <= until:
            at, _, name = heapq.heappop(self._due)
            self.cluster.run_until(at)
            if name == _MACHINES:
                self.autoscaler.refresh_instances()
                self._wake(_MACHINES, _REFRESH * SECOND_NS)
            else:
                self.autoscaler.step(name, self.cluster.now_ns)
            self.provider_times()
        self.cluster.run_until(until)

    def provider_times(self) -> None:
        """Note when calls were made."""
        for call in self.provider.calls:
            call.setdefault("t", self.cluster.seconds)

    def _effects(self) -> Json:
        self.provider_times()
        return {
            "events": self.reports.take(),
            "evictions": self.cluster.take_evictions(),
            "providerCalls": self.provider.take_calls(),
        }

    def _changed_taints(self) -> dict[str, list[str]]:
        before, self._taints = self._taints, view.taints_of(self.cluster)
        return {
            name: taints for name, taints in self._taints.items() if before.get(name, []) != taints
        }


def play(world: RecordedWorld) -> Iterator[Json]:
    """What ours does at each step, in the form of the recording."""
    player = _Player(world)
    times = [step.time for step in world.steps]
    for number, step in enumerate(world.steps, 1):
        until = times[number] if number < len(times) else step.time + _AFTER_LAST
        yield player.run(step, until)


def _priority_config(text: str) -> Json:
    metadata = {"name": "cluster-autoscaler-priority-expander", "namespace": "kube-system"}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"priorities": text},
    }
