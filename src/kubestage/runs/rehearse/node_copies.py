"""New nodes that are like others: of a node that is there, or of a NodeGroup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kubelet.annotations import FAILS_AFTER, HEARTBEAT, RECOVERS_AFTER
from kubestage.controllers.node_autoscaler import groups, node_state
from kubestage.errors import InputError
from kubestage.objects import distributions, gvk

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.distributions import Distribution
    from kubestage.store.store import Store

# What one node has and the next one does not.
_OWN_ANNOTATIONS: Final = (
    FAILS_AFTER, HEARTBEAT, RECOVERS_AFTER, "kubectl.kubernetes.io/last-applied-configuration",
)  # fmt: skip


def like(node: Json, name: str) -> Json:
    """A new node of this name, with the labels, taints and capacity of another."""
    metadata, status = node["metadata"], node.get("status") or {}
    new: Json = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**(metadata.get("labels") or {}), groups.HOSTNAME: name},
        },
        "spec": {},
        "status": {
            "capacity": status.get("capacity") or status.get("allocatable") or {},
            "allocatable": status.get("allocatable") or status.get("capacity") or {},
        },
    }
    annotations = {
        key: value
        for key, value in (metadata.get("annotations") or {}).items()
        if key not in _OWN_ANNOTATIONS
    }
    if annotations:
        new["metadata"]["annotations"] = annotations
    taints = node_state.lasting_taints(node)
    if taints:
        new["spec"]["taints"] = taints
    return new


def start_up_time(store: Store, node: Json, text: str | None) -> Distribution:
    """How long a machine like a node takes until its kubelet registers: as set, or its group's."""
    if text is not None:
        return parse_start_up(text)
    group = store.read(groups.NODE_GROUP).get(groups.name_of(node))
    if group is not None:
        return groups.read_group(group).provision_delay
    return distributions.parse(groups.DEFAULT_PROVISION_DELAY)


def parse_start_up(text: str) -> Distribution:
    """The distribution of a start-up time; InputError if it is none."""
    try:
        return distributions.parse(text)
    except InputError as error:
        raise InputError(error.problem, path="--startup", fix=error.fix) from None


def free_name(store: Store, preferred: str) -> str:
    """A name that no node has: this one, or with a number."""
    known, number = store.read(gvk.NODE), 1
    name = preferred
    while name in known:
        number += 1
        name = f"{preferred}-{number}"
    return name
