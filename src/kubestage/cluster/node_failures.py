"""Nodes that fail for a while, and come back: the chaos of a load.

Only nodes of a stage can fail: an annotation stops their heartbeats. The nodes of a real cluster
would have to be reached over SSH, which is not supported.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.cluster import node_readiness
from kubestage.cluster.access import Call, Resource
from kubestage.controllers.kubelet.annotations import HEARTBEAT
from kubestage.controllers.kubelet.outages import STOPPED
from kubestage.golang import durations

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable

    from kubestage.cluster.access import Answer, Cluster, Timer

NODE: Final = Resource("v1", "Node")
_POD: Final = Resource("v1", "Pod")
_MONITORING: Final = "monitoring"
_PROMETHEUS: Final = "prometheus=k8s"

# Without a pause virtual time would never go on.
_LEAST_PAUSE_NS: Final = durations.SECOND


class NodeFailure(msgspec.Struct, frozen=True):
    """How often nodes fail, what share of them at a time, and for how long."""

    failure_rate: float
    interval_ns: int
    jitter_factor: float = 0.0
    downtime_ns: int = 0


class FailureEvent(msgspec.Struct, frozen=True):
    """What was done to a node, and when: ``stopService`` or ``rebootNode``."""

    at_ns: int
    action: str
    node: str


class NodeFailures:
    """Fails random nodes, once or repeatedly; none of them twice.

    `killed` are the nodes that have failed so far, `events` what was done, `problems` what could
    not be done.
    """

    def __init__(
        self, cluster: Cluster, random: random.Random, excluded: Iterable[str] = ()
    ) -> None:
        self._cluster = cluster
        self._moments = cluster.moments
        self._random = random
        self.killed: dict[str, None] = dict.fromkeys(excluded)
        self.events: list[FailureEvent] = []
        self.problems: list[str] = []
        self._plan: NodeFailure | None = None
        self._pause: Timer | None = None
        self._under_way: dict[str, _Outage] = {}
        self._stopped: Callable[[], None] | None = None
        self._is_picking = False

    def begin(self, plan: NodeFailure) -> None:
        """Fail nodes repeatedly; the first time after a pause."""
        assert self._plan is None
        self._plan = plan
        # In the first pause a jitter factor of zero means one: it is up to twice as long.
        self._rest(plan.jitter_factor if plan.jitter_factor > 0 else 1.0)

    def stop(self, done: Callable[[], None]) -> None:
        """Stop failing nodes, restore those that are down, and then call back."""
        self._plan = None
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        self._stopped = done
        for outage in list(self._under_way.values()):
            outage.end_early()
        self._settle()

    def pick(self, rate: float, excluded: Iterable[str], done: Callable[[list[str]], None]) -> None:
        """Choose a share of the healthy nodes; never one that runs Prometheus."""
        _Pick(self, self._cluster, self._random, rate, frozenset(excluded), done)

    def fail(self, node: str, downtime_ns: int, done: Callable[[], None]) -> None:
        """Stop the heartbeats of a node, for a while."""
        self.killed[node] = None
        _Outage(self._cluster, self, node, downtime_ns, done)

    def record(self, action: str, node: str) -> None:
        """Record what was done."""
        self.events.append(FailureEvent(self._moments.now_ns, action, node))

    def _rest(self, factor: float) -> None:
        plan = self._plan
        assert plan is not None
        pause_ns = plan.interval_ns
        if factor > 0:
            pause_ns += int(self._random.random() * factor * plan.interval_ns)
        at_ns = self._moments.now_ns + max(pause_ns, _LEAST_PAUSE_NS)
        self._pause = self._moments.at(at_ns, self._turn)

    def _turn(self) -> None:
        self._pause = None
        if self._plan is not None:
            self._is_picking = True
            self.pick(self._plan.failure_rate, self.killed, self._picked)

    def _picked(self, nodes: list[str]) -> None:
        self._is_picking = False
        if self._plan is not None:
            downtime_ns = self._plan.downtime_ns
            for node in nodes:
                self.killed[node] = None
                outage = _Outage(self._cluster, self, node, downtime_ns, self._settle)
                self._under_way[node] = outage
        self._settle()

    def _settle(self) -> None:
        """Continue when all nodes of this round are back."""
        self._under_way = {name: each for name, each in self._under_way.items() if not each.is_over}
        if self._under_way or self._is_picking:
            return
        if self._plan is not None:
            if self._pause is None:
                self._rest(self._plan.jitter_factor)
        elif self._stopped is not None:
            stopped, self._stopped = self._stopped, None
            stopped()


class _Pick:
    """Lists the nodes and the pods of Prometheus, and draws."""

    def __init__(
        self,
        failures: NodeFailures,
        cluster: Cluster,
        random: random.Random,
        rate: float,
        excluded: frozenset[str],
        done: Callable[[list[str]], None],
    ) -> None:
        self._failures = failures
        self._cluster = cluster
        self._random = random
        self._rate = rate
        self._excluded = excluded
        self._done = done
        self._well: list[str] = []
        cluster.call(Call(verb="list", resource=NODE), self._nodes)

    def _nodes(self, answer: Answer) -> None:
        if not self._is_answered(answer):
            return
        self._well = [
            node["metadata"]["name"]
            for node in _items(answer)
            if node_readiness.is_schedulable_and_untainted(node)
        ]
        call = Call(verb="list", resource=_POD, namespace=_MONITORING, label_selector=_PROMETHEUS)
        self._cluster.call(call, self._pods)

    def _pods(self, answer: Answer) -> None:
        if not self._is_answered(answer):
            return
        watching = {(pod.get("spec") or {}).get("nodeName") for pod in _items(answer)}
        nodes = [name for name in self._well if name not in watching and name not in self._excluded]
        self._random.shuffle(nodes)
        self._done(nodes[: math.ceil(self._rate * len(nodes))])

    def _is_answered(self, answer: Answer) -> bool:
        if answer.error is None:
            return True
        self._failures.problems.append(f"Unable to pick nodes to kill: {answer.error}")
        self._done([])
        return False


class _Outage:
    """The outage of one node."""

    def __init__(
        self,
        cluster: Cluster,
        failures: NodeFailures,
        node: str,
        downtime_ns: int,
        done: Callable[[], None],
    ) -> None:
        self._cluster = cluster
        self._failures = failures
        self._node = node
        self._downtime_ns = downtime_ns
        self._done = done
        self._timer: Timer | None = None
        self._is_early = False
        self.is_over = False
        failures.record("stopService", node)
        self._annotate(STOPPED, self._silenced)

    def end_early(self) -> None:
        """Wait no longer for the node to come back."""
        self._is_early = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._reboot()

    def _silenced(self, answer: Answer) -> None:
        if answer.error is not None:
            self._end(f"ERROR while stopping node {self._node!r}: {answer.error}")
        elif self._is_early:
            self._reboot()
        else:
            moments = self._cluster.moments
            self._timer = moments.at(moments.now_ns + self._downtime_ns, self._reboot)

    def _reboot(self) -> None:
        self._timer = None
        self._failures.record("rebootNode", self._node)
        self._annotate(None, self._rebooted)

    def _rebooted(self, answer: Answer) -> None:
        self._end(
            "" if answer.error is None else f"Error while rebooting {self._node!r}: {answer.error}"
        )

    def _end(self, problem: str) -> None:
        if problem:
            self._failures.problems.append(problem)
        self.is_over = True
        self._done()

    def _annotate(self, value: str | None, done: Callable[[Answer], None]) -> None:
        body = {"metadata": {"annotations": {HEARTBEAT: value}}}
        call = Call(verb="patch", resource=NODE, name=self._node, body=body)
        self._cluster.call(call, done)


def _items(answer: Answer) -> list[dict[str, Any]]:
    return list((answer.object or {}).get("items") or ())
