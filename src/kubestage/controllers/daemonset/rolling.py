"""The step by step of a DaemonSet to a new template, within what its strategy allows."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from kubestage.aliases import Json
from kubestage.controllers import pods
from kubestage.controllers.controller import Retry
from kubestage.controllers.daemonset.fleet import AVAILABLE, NONE, UNAVAILABLE
from kubestage.golang import integers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.controllers.daemonset.fleet import Fleet, Standing


# The nodes that get a new pod, and the pods that go.
Step = tuple[list[str], list[Json]]


def surge_of(daemon_set: Json, desired: int) -> int:
    """How many nodes may have two pods."""
    return _scaled(daemon_set, "maxSurge", desired)


def unavailable_of(daemon_set: Json, desired: int) -> int:
    """How many nodes may be without an available pod."""
    return _scaled(daemon_set, "maxUnavailable", desired)


def _scaled(daemon_set: Json, name: str, desired: int) -> int:
    strategy = daemon_set["spec"].get("updateStrategy") or {}
    if strategy.get("type") != "RollingUpdate":
        return 0
    value: int | str = (strategy.get("rollingUpdate") or {}).get(name) or 0
    if isinstance(value, int):
        return value
    return -(-integers.parse(value.removesuffix("%")) * desired // 100)


def next_step(daemon_set: Json, fleet: Fleet) -> Step:
    """What to do now so that, in the end, all pods are of the new template."""
    desired = sum(len(names) for standing, names in fleet.groups.items() if standing.is_desired)
    surge, unavailable = surge_of(daemon_set, desired), unavailable_of(daemon_set, desired)
    if surge:
        return _surge(fleet, desired, surge)
    if desired and not unavailable:
        unavailable = 1
    return [], _replace(fleet, unavailable)


def _replace(fleet: Fleet, max_unavailable: int) -> list[Json]:
    """The old pods to end: all that are of no use, and as many others as may be missed."""
    unavailable = 0
    useless: list[Iterable[str]] = []
    candidates: list[Iterable[str]] = []
    for standing, names in fleet.groups.items():
        if standing.is_crowded or (standing.old == NONE) == (standing.new == NONE):
            unavailable += len(names)
        elif standing.old == NONE:
            unavailable += len(names) if standing.new == UNAVAILABLE else 0
        elif standing.old == UNAVAILABLE:
            useless.append(names)
            unavailable += len(names)
        else:
            candidates.append(names)
    chosen = itertools.islice(
        itertools.chain.from_iterable(candidates), max(max_unavailable - unavailable, 0)
    )
    return _old_pods(fleet, itertools.chain(itertools.chain.from_iterable(useless), chosen))


def _surge(fleet: Fleet, desired: int, max_surge: int) -> Step:
    """New pods come before old ones go: at once where the old one is of no use."""
    surging = available = 0
    finished: list[str] = []
    unwanted: list[str] = []
    useless: list[str] = []
    candidates: list[Iterable[str]] = []
    for standing, names in fleet.groups.items():
        if standing.is_crowded:
            surging += len(names)
            continue
        available += len(names) if _is_served(standing) else 0
        if standing.old == NONE:
            continue
        if standing.new != NONE:
            if standing.new == AVAILABLE:
                finished += names
            else:
                surging += len(names)
        elif not standing.is_known:
            missing = next(iter(names))
            raise Retry(f'couldn\'t get node for nodeName "{missing}": node not found')
        elif standing.old == UNAVAILABLE:
            (useless if standing.is_desired else finished).extend(names)
        elif standing.is_desired:
            candidates.append(names)
        else:
            unwanted += names
    finished += unwanted[: max(available - desired, 0)]
    chosen = itertools.islice(
        itertools.chain.from_iterable(candidates), max(max_surge - surging, 0)
    )
    return [*useless, *chosen], _old_pods(fleet, finished)


def _is_served(standing: Standing) -> bool:
    """Whether a node has an available pod, where an old one counts before a new one."""
    return (standing.old or standing.new) == AVAILABLE


def _old_pods(fleet: Fleet, node_names: Iterable[str]) -> list[Json]:
    placement = fleet.placement
    assert placement is not None
    return [
        pod
        for node_name in node_names
        for pod in fleet.pods_on(node_name)
        if not pods.is_terminating(pod) and not placement.is_updated(pod)
    ]
