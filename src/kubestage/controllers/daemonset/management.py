"""Which pods of a DaemonSet are made and which are ended, node by node, and doing so."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.daemonset import rolling
from kubestage.controllers.daemonset.fleet import seniority
from kubestage.controllers.daemonset.placement import target_node
from kubestage.controllers.pod_control import PodControl, is_namespace_ending
from kubestage.errors import ApiError, NotFound
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.daemonset.fleet import Fleet
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store


_BURST: Final = 250
_FIRST_BACKOFF_NS: Final = 1_000_000_000
_LAST_BACKOFF_NS: Final = 900 * 1_000_000_000


class Management:
    """One pass over the nodes of one set.

    Afterwards `has_acted` is whether pods were created or deleted, and `backoff_ns` how long to
    wait until a failed pod may be replaced.
    """

    def __init__(
        self,
        store: Store,
        events: EventRecorder,
        daemon_set: Json,
        fleet: Fleet,
        allowance: Callable[[int], int],
    ) -> None:
        self._allowance = allowance
        self._set = daemon_set
        self._fleet = fleet
        self._events = events
        self._control = PodControl(store, events)
        self._clock = store.clock
        self._allows_surge = rolling.surge_of(daemon_set, 1) > 0
        self.has_acted = False
        self.backoff_ns: int | None = None

    def run(self) -> None:
        """Examine all nodes where something has changed, and act on what is found.

        NOTE: a client writes so little at a time that most nodes have to wait for their pod; to
        examine them again each time took a tenth of a load with 5,000 nodes (benchmarks/load.py).
        """
        fleet = self._fleet
        missing: list[str] = []
        surplus: list[Json] = []
        nodes = sorted(fleet.unmanaged)
        fleet.unmanaged.clear()
        for node_name in nodes:
            fleet.vacant.pop(node_name, None)
            surplus += self._surplus_on(node_name, missing)
        fleet.add_vacant([each for each in missing if not fleet.has_pods(each)])
        others = [each for each in missing if each not in fleet.vacant]
        first = sorted([*itertools.islice(fleet.vacant, _BURST), *others])
        self.act(first, surplus)

    def _surplus_on(self, node_name: str, missing: list[str]) -> list[Json]:
        """The pods to end on a node; the node joins those that miss a pod if it does."""
        fleet = self._fleet
        assert fleet.placement is not None
        node, there = fleet.nodes.get(node_name), fleet.pods_on(node_name)
        if node is None:
            # No other controller ends a pod that waits for a node that is gone.
            return [pod for pod in there if not pod["spec"].get("nodeName")]
        should_run, may_go_on = fleet.placement.verdict(node)
        if should_run and not there:
            missing.append(node_name)
            return []
        if not may_go_on:
            return [pod for pod in there if not pods.is_terminating(pod)]
        surplus, running = self._ended_on(node_name, there)
        if not self._allows_surge:
            return surplus + running[1:]
        if not running and should_run:
            missing.append(node_name)
        return surplus + self._superseded(running)

    def _ended_on(self, node_name: str, there: Sequence[Json]) -> tuple[list[Json], list[Json]]:
        """The pods of a node that have ended and are to be replaced, and those that run."""
        ended: list[Json] = []
        running: list[Json] = []
        for pod in there:
            if pods.is_terminating(pod):
                continue
            phase = pods.phase(pod)
            if phase == "Failed":
                if self._may_replace(node_name):
                    self._report_failure(WARNING, "Failed", pod, node_name, "kill")
                    ended.append(pod)
            elif phase == "Succeeded":
                self._report_failure(NORMAL, "Succeeded", pod, node_name, "delete")
                ended.append(pod)
            else:
                running.append(pod)
        running.sort(key=seniority)
        return ended, running

    def _report_failure(self, kind: str, state: str, pod: Json, node_name: str, verb: str) -> None:
        name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        text = f"Found {state.lower()} daemon pod {name} on node {node_name}, will try to {verb} it"
        self._events.event(self._set, kind, f"{state}DaemonPod", text)

    def _may_replace(self, node_name: str) -> bool:
        """Whether a failed pod may be replaced now: each time on a node takes longer."""
        fleet, now_ns = self._fleet, self._clock.now_ns
        backoff_ns, at_ns = fleet.failures.get(node_name, (0, 0))
        if now_ns - at_ns > 2 * _LAST_BACKOFF_NS:
            backoff_ns = 0
        if backoff_ns and now_ns - at_ns < backoff_ns:
            fleet.unmanaged.add(node_name)
            self.backoff_ns = min(backoff_ns, self.backoff_ns or backoff_ns)
            return False
        longer_ns = min(2 * backoff_ns, _LAST_BACKOFF_NS) if backoff_ns else _FIRST_BACKOFF_NS
        fleet.failures[node_name] = longer_ns, now_ns
        return True

    def _superseded(self, running: list[Json]) -> list[Json]:
        """The pods of a node that a surge leaves over.

        Two may stay: the oldest of the new template while it is not available, and the oldest of
        an earlier one while it is ready.
        """
        if len(running) <= 1:
            return []
        placement = self._fleet.placement
        assert placement is not None
        new = [pod for pod in running if placement.has_hash(pod)]
        old = [pod for pod in running if not placement.has_hash(pod)]
        survivor = [*new[:1], *old[:1]]
        superseded = [pod for pod in running if not any(pod is each for each in survivor)]
        if new and old and (not pods.is_ready(old[0]) or self._is_available(new[0])):
            superseded.append(old[0])
        return superseded

    def _is_available(self, pod: Json) -> bool:
        min_ready_seconds = self._set["spec"].get("minReadySeconds") or 0
        return pods.is_available(pod, min_ready_seconds, self._clock.unix_ns)

    def act(self, missing: Sequence[str], surplus: Sequence[Json]) -> None:
        """Make pods for nodes and end pods, so many at a time; the rest has to wait."""
        self.has_acted = self.has_acted or bool(missing or surplus)
        making = self._allowance(min(len(missing), _BURST))
        ending = self._allowance(min(len(surplus), _BURST))
        made = missing[:making]
        for node_name in made:
            self._fleet.vacant.pop(node_name, None)
        failures = self._make(made)
        for pod in surplus[:ending]:
            try:
                self._control.delete(pod, self._set)
            except NotFound:
                continue
            except ApiError as error:
                self._put_back(pod)
                failures.append(error)
        self._fleet.unmanaged.update(
            each for each in missing[making:] if each not in self._fleet.vacant
        )
        for pod in surplus[ending:]:
            self._put_back(pod)
        if failures:
            raise failures[0]

    def _make(self, missing: Sequence[str]) -> list[ApiError]:
        """Make pods in batches that double in size; a batch with failures is the last one."""
        placement = self._fleet.placement
        assert placement is not None
        failures: list[ApiError] = []
        size, done = 1, 0
        while done < len(missing) and not failures:
            for node_name in missing[done : done + size]:
                try:
                    self._control.create(placement.pod_for(node_name), self._set)
                except ApiError as error:
                    if not is_namespace_ending(error):
                        self._fleet.unmanaged.add(node_name)
                        failures.append(error)
            done += size
            size *= 2
        self._fleet.unmanaged.update(missing[done:])
        return failures

    def _put_back(self, pod: Json) -> None:
        node_name = target_node(pod)
        if node_name is not None:
            self._fleet.unmanaged.add(node_name)
