"""The chaos monkey of a load: nodes that fail while the steps run."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from kubestage.cluster.node_failures import NodeFailure, NodeFailures
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from kubestage.cluster.access import Cluster
    from kubestage.clusterloader import config

_NO_WAY_IN: Final = (
    "chaosMonkey.nodeFailure: no node is made to fail, because that takes a way into the machines "
    "of the cluster; rehearse it on a stage"
)


class Chaos:
    """Fails nodes of a stage from the first step to the last, and has them back afterwards."""

    def __init__(
        self, chaos_monkey: config.ChaosMonkey, cluster: Cluster, random: random.Random
    ) -> None:
        self._failure = chaos_monkey.node_failure
        self._cluster = cluster
        self._nodes = NodeFailures(cluster, random, sorted(chaos_monkey.excluded_nodes))

    @property
    def warnings(self) -> list[str]:
        """What could not be done."""
        if self._failure is None:
            return []
        if not self._cluster.is_stage:
            return [_NO_WAY_IN]
        return [f"NodeKiller: {problem}" for problem in self._nodes.problems]

    @property
    def killed(self) -> list[str]:
        """The nodes that were made to fail, in order."""
        events = self._nodes.events
        return [event.node for event in events if event.action == "stopService"]

    def start(self) -> None:
        """Start, if it is configured and the nodes are a stage's."""
        failure = self._failure
        if failure is not None and self._cluster.is_stage:
            plan = NodeFailure(
                failure.failure_rate,
                failure.interval_ns,
                failure.jitter_factor,
                failure.simulated_downtime_ns,
            )
            self._nodes.begin(plan)

    def stop(self, finished: Callable[[], None]) -> None:
        """Fail no more; `finished` is called when all nodes are back."""
        self._nodes.stop(finished)

    def summary(self) -> str:
        """What happened, in ClusterLoader2's words; empty if nothing was to happen."""
        if self._failure is None or not self._cluster.is_stage:
            return ""
        lines = ["Summary of Chaos Monkey execution", "NodeKiller: Recorded following events"]
        for event in self._nodes.events:
            what = f"{event.action} happened for node {event.node}"
            lines.append(f"NodeKiller: At {self._date(event.at_ns)} {what}")
        return "\n".join(lines) + "\n"

    def _date(self, at_ns: int) -> str:
        """A moment as ``date`` prints it."""
        moments = self._cluster.moments
        seconds = (moments.unix_ns - moments.now_ns + at_ns) // SECOND_NS
        text = dt.datetime.fromtimestamp(seconds, dt.UTC).ctime()
        return f"{text[:-4]}UTC {text[-4:]}"
