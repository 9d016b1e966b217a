"""What a test expects of several pods."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final, Literal, Self

from kubestage.objects import gvk, labels
from kubestage.runs.explain import pod_attempts
from kubestage.runs.inputs import node_words
from kubestage.testing.clusters import zones
from kubestage.testing.clusters.expecting import hold
from kubestage.testing.clusters.messages import Problem
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.testing.clusters.cluster import Cluster

_HOST: Final = "kubernetes.io/hostname"


def selected(cluster: Cluster, selector: str, namespace: str | None) -> PodsExpectation:
    """What is expected of the pods with these labels."""
    required = labels.parse(selector)

    def found() -> list[Json]:
        return [
            pod
            for pod in cluster.store.read(gvk.POD).values()
            if namespace in (None, pod["metadata"]["namespace"])
            and required.matches(pod["metadata"].get("labels") or {})
        ]

    return PodsExpectation(cluster, found, f"pods {selector}" if selector else "pods")


class PodsExpectation:
    """What is expected of pods; each method may be followed by another."""

    def __init__(self, cluster: Cluster, found: Callable[[], list[Json]], name: str) -> None:
        self._cluster = cluster
        self._found = found
        self._name = name

    def count(self, number: int, *, within: str | int | None = None) -> Self:
        """There are so many."""
        __tracebackhide__ = True

        def check(pods: list[Json]) -> Problem | None:
            if len(pods) == number:
                return None
            return Problem(f"{number} {self._name}", f"there are {len(pods)}", pods)

        return self._check(check, within)

    def ready(self, number: int | None = None, *, within: str | int | None = None) -> Self:
        """So many are ready; by default all of them, and there are some."""
        __tracebackhide__ = True

        def check(pods: list[Json]) -> Problem | None:
            ready = sum(map(is_ready, pods))
            if ready == (len(pods) if number is None else number) and (pods or number == 0):
                return None
            required = "all" if number is None else str(number)
            expected = f"{required} {self._name} to be ready"
            return Problem(expected, f"{ready} of {len(pods)}", sorted(pods, key=is_ready))

        return self._check(check, within)

    def pending(self, number: int | None = None, *, within: str | int | None = None) -> Self:
        """So many wait for a node; by default all of them, and there are some."""
        __tracebackhide__ = True

        def check(pods: list[Json]) -> Problem | None:
            waiting = sum(map(pod_attempts.is_pending, pods))
            if waiting == (len(pods) if number is None else number) and (pods or number == 0):
                return None
            required = "all" if number is None else str(number)
            expected = f"{required} {self._name} to wait for a node"
            return Problem(expected, f"{waiting} of {len(pods)}", pods)

        return self._check(check, within)

    def on_nodes(
        self,
        *names: str,
        zone: str | None = None,
        selector: str = "",
        within: str | int | None = None,
    ) -> Self:
        """All are on nodes of these names, of this zone, or with these labels; there are some."""
        __tracebackhide__ = True

        def check(pods: list[Json]) -> Problem | None:
            required = self._nodes(names, zone, selector)
            where = _described(names, zone, selector)
            if not pods:
                return Problem(f"{self._name} on {where}", "there are none")
            others = [pod for pod in pods if pod["spec"].get("nodeName") not in required]
            if not others:
                return None
            placed = ", ".join(f"{_name_of(pod)} on {_place_of(pod)}" for pod in others[:5])
            listed = f"The nodes that are meant are {few(sorted(required))}."
            return Problem(f"{self._name} on {where}", placed, others, [listed])

        return self._check(check, within)

    def spread(
        self,
        across: Literal["zone", "node"] = "zone",
        *,
        max_skew: int = 1,
        within: str | int | None = None,
    ) -> Self:
        """They are spread over all zones or nodes: no two numbers differ by more than that."""
        __tracebackhide__ = True

        def check(pods: list[Json]) -> Problem | None:
            nodes = self._cluster.store.read(gvk.NODE)
            counts = collections.Counter({_domain(node, across): 0 for node in nodes.values()})
            counts.update(
                _domain(nodes[name], across)
                for pod in pods
                if (name := pod["spec"].get("nodeName")) in nodes
            )
            numbers = counts.values()
            if pods and numbers and max(numbers) - min(numbers) <= max_skew:
                return None
            shown = ", ".join(f"{name or 'none'}: {number}" for name, number in counts.items())
            expected = f"{self._name} spread over each {across}"
            return Problem(expected, shown or "there are no nodes", pods)

        return self._check(check, within)

    def _check(
        self, problem_of: Callable[[list[Json]], Problem | None], within: str | int | None
    ) -> Self:
        __tracebackhide__ = True
        hold(self._cluster, lambda: problem_of(self._found()), within)
        return self

    def _nodes(self, names: tuple[str, ...], zone: str | None, selector: str) -> set[str]:
        store = self._cluster.store
        chosen = labels.parse(selector)
        name = None if zone is None else zones.zone_name(store, zone)
        for each in names:
            node_words.of_word(store.read(gvk.NODE), f"node/{each}")
        return {
            key
            for key, node in store.read(gvk.NODE).items()
            if (not names or key in names)
            and (name is None or node_words.zone_of(node) == name)
            and chosen.matches(node["metadata"].get("labels") or {})
        }


def is_ready(pod: Json) -> bool:
    """Whether a pod is Ready, and is not ending."""
    if "deletionTimestamp" in pod["metadata"]:
        return False
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _domain(node: Json, across: Literal["zone", "node"]) -> str:
    if across == "zone":
        return node_words.zone_of(node)
    return str((node["metadata"].get("labels") or {}).get(_HOST, node["metadata"]["name"]))


def _described(names: tuple[str, ...], zone: str | None, selector: str) -> str:
    parts = [plural(len(names), "node") if len(names) > 1 else "".join(names)]
    parts += [f"zone {zone}" if zone is not None else "", selector and f"nodes with {selector}"]
    return ", ".join(each for each in parts if each) or "any node"


def _name_of(pod: Json) -> str:
    return str(pod["metadata"]["name"])


def _place_of(pod: Json) -> str:
    return pod["spec"].get("nodeName") or "no node"
