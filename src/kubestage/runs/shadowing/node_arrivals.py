"""Predicts which nodes a node autoscaler adds: of the pools in which waiting pods would fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import groups
from kubestage.objects import gvk, node_pools
from kubestage.runs.inputs import node_words
from kubestage.runs.rehearse import node_copies
from kubestage.runs.shadowing.result import ArrivalCounts
from kubestage.sources.imported import format_ns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.runs.predicting import Predictor

# Kinds of which each cluster with an object has a node autoscaler.
_SIGNS: Final = (groups.NODE_GROUP, ("karpenter.sh/v1", "NodePool"))
_PROGRAMS: Final = ("cluster-autoscaler", "karpenter")
# Copies are tried under a name that no node has.
_COPY: Final = "kubestage-shadow-copy"
_MOST_PODS: Final = 20


class ArrivalTwin:
    """The pools that would help pods that fit nowhere, and the nodes that came.

    Nothing is predicted for a cluster that shows no sign of a node autoscaler.
    """

    def __init__(self, predictor: Predictor, report: Callable[[Json], None]) -> None:
        self.counts = ArrivalCounts()
        self._predictor = predictor
        self._report = report
        self._expected: dict[str, frozenset[str]] = {}

    def on_waiting(self, pods: list[Json], at_ns: int) -> None:
        """These pods fit nowhere at the moment; each is looked at once."""
        names = {_name(pod) for pod in pods}
        self._expected = {name: found for name, found in self._expected.items() if name in names}
        new = [pod for pod in pods if _name(pod) not in self._expected][:_MOST_PODS]
        if not new or not self._has_autoscaler():
            return
        for pod in new:
            pools = frozenset(self._fitting(pod))
            self._expected[_name(pod)] = pools
            self._report({"at": format_ns(at_ns), "type": "arrivalPrediction", "pod": _name(pod),
                          "predicted": sorted(pools)})  # fmt: skip

    def on_node(self, before: Json | None, after: Json | None, at_ns: int) -> None:
        """A node comes, changes or goes; the mirror does not know that yet."""
        if before is not None or after is None or not self._has_autoscaler():
            return
        pool = node_pools.of(after)
        pools = frozenset().union(*self._expected.values())
        is_hit = bool(pool) and pool in pools
        self.counts.arrivals += 1
        self.counts.expected += is_hit
        self.counts.unexpected += not is_hit
        name = after["metadata"]["name"]
        report: Json = {"at": format_ns(at_ns), "type": "arrival", "node": name, "pool": pool,
                        "predicted": sorted(pools), "hit": is_hit}  # fmt: skip
        if not is_hit:
            report["why"] = (
                "pods that wait would fit in other pools" if pools
                else "no pod was known that fits nowhere and would fit in a new node"
            )  # fmt: skip
        self._report(report)

    def _fitting(self, pod: Json) -> Iterator[str]:
        """The pools with a node of which the pod would fit if there was one more."""
        found: set[str] = set()
        for pool, node in self._templates():
            if pool in found:
                continue
            self._predictor.put(node)
            try:
                if self._predictor.predict(pod, preemption=False).is_feasible(_COPY):
                    found.add(pool)
                    yield pool
            finally:
                self._predictor.remove("v1", "Node", _COPY)

    def _templates(self) -> list[tuple[str, Json]]:
        """A new node of each pool, and of each zone that it is in."""
        store = self._predictor.store
        examples: dict[tuple[str, str], Json] = {}
        for node in store.read(gvk.NODE).values():
            pool = node_pools.of(node)
            if pool:
                examples[pool, node_words.zone_of(node)] = node
        found = [
            (pool, node_copies.like(node, _COPY)) for (pool, _), node in sorted(examples.items())
        ]
        known = {pool for pool, _ in examples}
        for name, obj in sorted(store.read(groups.NODE_GROUP).items()):
            if name not in known:
                found.append((name, groups.read_group(obj).node(_COPY)))
        return found

    def _has_autoscaler(self) -> bool:
        store = self._predictor.store
        for api_version, kind in _SIGNS:
            row = store.kinds.get(api_version, kind)
            if row is not None and store.read(row):
                return True
        deployments = store.read(("apps/v1", "Deployment")).values()
        return any(sign in each["metadata"]["name"] for each in deployments for sign in _PROGRAMS)


def _name(pod: Json) -> str:
    return f"{pod['metadata'].get('namespace') or ''}/{pod['metadata']['name']}"
