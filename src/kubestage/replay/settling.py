"""When the recorder may have looked: moments at which the cluster has been quiet for long enough.

Recordings say that nothing had changed for *at least* some time, not for how long: a step in which
something more happens later, by time alone, may have been recorded before or after it. So there
are several such moments, and `moments` goes through them, earliest first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.replay.cluster import LabCluster
    from kubestage.replay.scenario import RecordedScenario, RecordedStep
    from kubestage.store.store import Store

_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "a second": 2, "two": 2, "a third": 3, "three": 3}
_BEARERS: Final = ("job", "deployment", "replicaset", "pod", "node", "namespace")
_EXISTS: Final = re.compile(
    r"(?:(\d+)|((?:an?|one|two|three)(?: second| third)?)) (\w+?)s? exists?"
)
_GONE: Final = re.compile(r"(?:the |all )?(\w+?)s?(?: is| are)? gone")
_CONDITION: Final = re.compile(r"condition (\w+)(?:=(\w+))?")


def is_known_condition(text: str) -> bool:
    """Whether a condition in words is one that can be checked."""
    return any(each.fullmatch(text) for each in (_EXISTS, _GONE, _CONDITION))


def condition_holds(text: str, store: Store, namespace: str) -> bool:
    """Whether a condition in words holds; one that cannot be checked is assumed to."""
    if found := _EXISTS.fullmatch(text):
        number = int(found[1]) if found[1] else _NUMBERS[found[2]]
        return len(_objects(found[3], store, namespace)) >= number
    if found := _GONE.fullmatch(text):
        return not _objects(found[1], store, namespace)
    if found := _CONDITION.fullmatch(text):
        return _has_condition(found[1], found[2] or "True", store, namespace)
    return True


def _objects(name: str, store: Store, namespace: str) -> list[Json]:
    kind = store.kinds.find(name)[0]
    return [
        each
        for each in store.read(kind).values()
        if each["metadata"].get("namespace", namespace) == namespace
        and (kind.kind != "Namespace" or each["metadata"]["name"] == namespace)
    ]


def _has_condition(kind: str, status: str, store: Store, namespace: str) -> bool:
    return any(
        each["type"] == kind and each["status"] == status
        for bearer in _BEARERS
        for obj in _objects(bearer, store, namespace)
        for each in (obj.get("status") or {}).get("conditions") or ()
    )


_QUIET_NS: Final = 1_200_000_000
_QUIET_OF_VOLUMES_NS: Final = 4 * SECOND_NS
# Jobs and StatefulSets go with kubelets of more patience, whatever the topic.
_QUIET_BY_KUBELET_NS: Final = ((1.3, 3 * SECOND_NS), (0.6, 3_500_000_000))
# How much longer recordings may have waited than they had to. Nodes take their time: a minute
# until one is given up, as long until its pods are.
_PATIENCE_NS: Final = 30 * SECOND_NS
_PATIENCE_WITH_NODES_NS: Final = 90 * SECOND_NS
_LONGEST_WAIT_NS: Final = 150 * SECOND_NS
# More than any scenario takes: a cluster that moves on and on is not waited for.
_MOST_MOVEMENTS: Final = 20_000
# Recordings do not say when they gave up waiting for quiet.
_LIMITS: Final = (20.0, 30.0, 45.0, 60.0, 90.0, 120.0)


def quiet_ns(scenario: RecordedScenario) -> int:
    """For how long nothing changes before a step of the scenario is recorded."""
    if scenario.topic == "pv-binder":
        return _QUIET_OF_VOLUMES_NS
    for kubelet_seconds, found_ns in _QUIET_BY_KUBELET_NS:
        if scenario.kubelet_quiet_seconds >= kubelet_seconds:
            return found_ns
    return _QUIET_NS


def moments(cluster: LabCluster, scenario: RecordedScenario, step: RecordedStep) -> Iterator[None]:
    """Stop the clock at every moment, earliest first, at which the step may have been recorded."""
    began_ns = cluster.clock.now_ns
    at_seconds = step.recorded_after_seconds
    if at_seconds is not None or step.not_quiet:
        for seconds in _LIMITS if at_seconds is None else (at_seconds,):
            cluster.run_until(began_ns + round(seconds * SECOND_NS))
            yield
        return
    if step.wait_until:
        _wait(cluster, step)
    needed_ns = _QUIET_NS if step.wait_until else quiet_ns(scenario)
    seen, last_ns = -1, began_ns + _LONGEST_WAIT_NS
    for _ in range(_MOST_MOVEMENTS):
        quiet_at_ns = max(cluster.record.changed_ns, began_ns) + needed_ns
        next_ns = cluster.environment.next_movement_time
        if next_ns is None or next_ns > quiet_at_ns:
            cluster.run_until(max(quiet_at_ns, cluster.clock.now_ns))
            is_over = step.wait_until or cluster.kubelet.is_idle
            if is_over and cluster.record.changes != seen:
                if seen < 0:
                    last_ns = cluster.clock.now_ns + _patience_ns(step)
                seen = cluster.record.changes
                yield
        if next_ns is None or next_ns > last_ns:
            return
        cluster.environment.step()


def _patience_ns(step: RecordedStep) -> int:
    if step.wait_until and not is_known_condition(step.wait_until):
        return _LONGEST_WAIT_NS
    about_nodes = any(
        each["op"].startswith("node") or each.get("kind") == "Node" for each in step.operation
    )
    return _PATIENCE_WITH_NODES_NS if about_nodes else _PATIENCE_NS


def _wait(cluster: LabCluster, step: RecordedStep) -> None:
    last_ns = cluster.clock.now_ns + _LONGEST_WAIT_NS
    for _ in range(_MOST_MOVEMENTS):
        if condition_holds(step.wait_until, cluster.store, cluster.namespace):
            return
        next_ns = cluster.environment.next_movement_time
        if next_ns is None or next_ns > last_ns:
            return
        cluster.environment.step()
