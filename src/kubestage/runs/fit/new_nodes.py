"""One more node like those that are there, or of a NodeGroup, with its daemons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.node_autoscaler import groups, node_state, templates
from kubestage.objects import gvk
from kubestage.results.packing import contents, wording
from kubestage.runs.fit import candidate
from kubestage.runs.fit.advice import ADD_NODE
from kubestage.runs.fit.candidate import Candidate
from kubestage.runs.fit.edit import Edit
from kubestage.runs.fit.removals import is_movable
from kubestage.scheduler import resource_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.prices import Prices
    from kubestage.objects.views.pod import PodView
    from kubestage.runs.fit.cluster_copy import ClusterCopy

_CSI_NODE: Final = ("storage.k8s.io/v1", "CSINode")
_SUFFIX: Final = "-new"
_LONGEST_NAME: Final = 240
_MOST: Final = 8


def candidates(copy: ClusterCopy) -> Iterator[Candidate]:
    """A node of each NodeGroup and of each sort of node, the smallest sort first."""
    grouped = {}
    if any(each.kind.kind == "NodeGroup" for each in copy.store.collections()):
        stored = copy.objects(groups.NODE_GROUP).values()
        grouped = {obj["metadata"]["name"]: groups.read_group(obj) for obj in stored}
    known = contents.prices_of(copy.store)
    daemon_sets = list(copy.objects(gvk.DAEMON_SET).values())
    for group in grouped.values():
        node, pods = templates.of_description(group, daemon_sets).copy("new")
        text = f"add one node of the group {group.name}"
        text += _price(known, node)
        if _count(copy, group.name) >= group.max_size:
            text += f" (and raise its maxSize, which is {group.max_size})"
        yield _candidate(text, _renamed(node, f"{group.name}{_SUFFIX}"), pods, 0.0)
    columns = copy.scheduler.cache.columns
    sizes = columns.resources.allocatable[resource_table.CPU]
    found: dict[str, tuple[int, str]] = {}
    for row, info in enumerate(columns.infos):
        if groups.name_of(info.view.raw) not in grouped:
            found.setdefault(_sort(info.view.raw), (int(sizes[row]), info.name))
    for place, (_, name) in enumerate(sorted(found.values())[:_MOST]):
        info = columns.infos[columns.row_of[name]]
        node = _renamed(_fresh(info.view.raw), f"{name}{_SUFFIX}")
        staying = [pod for pod in info.pods.values() if not is_movable(pod)]
        text = f"add one node like {name}{_price(known, node)}"
        yield _candidate(text, node, staying, 1.0 + place / _MOST, _csi_node(copy, name))


def _price(known: Prices, node: Json) -> str:
    """`` ($0.192 per hour)``, or nothing without a price."""
    price = known.of_node(node)
    return "" if price is None else f" ({wording.money(price, known.currency)} per hour)"


def _count(copy: ClusterCopy, group: str) -> int:
    nodes = copy.objects(gvk.NODE).values()
    return sum(1 for node in nodes if groups.name_of(node) == group)


def _candidate(
    text: str, node: Json, pods: list[PodView], weight: float, beside: tuple[Json, ...] = ()
) -> Candidate:
    name = node["metadata"]["name"]
    daemons = tuple(_moved(pod, name) for pod in pods)
    cost = (candidate.NEW_NODE + weight,)
    return Candidate(ADD_NODE, text, Edit(put=(node,), beside=(*beside, *daemons)), cost)


def _sort(node: Json) -> str:
    """What makes a node like another: labels, taints and what it offers."""
    labels = dict(node["metadata"].get("labels") or {})
    labels.pop(groups.HOSTNAME, None)
    offered = (node.get("status") or {}).get("allocatable") or {}
    return json.dumps([labels, node_state.lasting_taints(node), offered], sort_keys=True)


def _fresh(node: Json) -> Json:
    """A node as it would come: open, and without the taints of a passing condition."""
    spec = {
        name: each
        for name, each in (node.get("spec") or {}).items()
        if name not in ("taints", "unschedulable", "providerID")
    }
    lasting = node_state.lasting_taints(node)
    return {**node, "spec": {**spec, **({"taints": lasting} if lasting else {})}}


def _renamed(node: Json, name: str) -> Json:
    metadata: dict[str, Any] = dict(node["metadata"])
    labels = dict(metadata.get("labels") or {})
    if groups.HOSTNAME in labels:
        labels[groups.HOSTNAME] = name
    return {**node, "metadata": {**metadata, "name": name, "labels": labels, "uid": f"uid-{name}"}}


def _moved(pod: PodView, node: str) -> Json:
    """A pod like that one, on the new node."""
    own = {"name": f"{pod.name[:_LONGEST_NAME]}{_SUFFIX}", "uid": f"{pod.uid}/{node}"}
    return {
        **pod.raw,
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**pod.raw["metadata"], **own},
        "spec": {**pod.raw["spec"], "nodeName": node},
    }


def _csi_node(copy: ClusterCopy, name: str) -> tuple[Json, ...]:
    """The drivers of a node like that one, with their limits."""
    found = copy.objects(_CSI_NODE).get(name)
    return () if found is None else (_renamed(found, f"{name}{_SUFFIX}"),)
