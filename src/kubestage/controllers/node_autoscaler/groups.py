"""NodeGroups as the autoscaler reads them, and the nodes that are made of them."""

from __future__ import annotations

from typing import Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import distributions, node_pools

NODE_GROUP: Final = ("kubestage.dev/v1alpha1", "NodeGroup")
LABEL: Final = node_pools.GROUP_LABEL
HOSTNAME: Final = "kubernetes.io/hostname"
DEFAULT_PROVISION_DELAY: Final = "60s"
ABSENT: Final = "absent"
NEVER: Final = "never"
ERROR: Final = "error"
REFUSE: Final = "refuse"
SHORTAGES: Final = (ABSENT, NEVER, ERROR, REFUSE)
"""What may become of machines that a provider does not have."""
_NO_OPTIONS: Final[Json] = {}
_MOST_PODS: Final = "110"
# What every kubelet writes on its node, so that pods may ask for it.
_STANDARD_LABELS: Final = {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/os": "linux",
}


class Group(msgspec.Struct, frozen=True):
    """One version of a NodeGroup.

    `available` is how many nodes its provider can really give, if that is limited, and `shortage`
    what becomes of the machines beyond that. `options` are those that differ from the flags.
    """

    raw: Json
    name: str
    min_size: int
    max_size: int
    initial_size: int
    price: float | None
    priority: int | None
    provision_delay: distributions.Distribution
    available: int | None
    shortage: str = ABSENT
    ready_delay: distributions.Distribution | None = None
    options: Json = {}

    def node(self, name: str) -> Json:
        """A node of this group, as its provider registers it."""
        template = self.raw["spec"].get("template") or {}
        metadata = template.get("metadata") or {}
        labels = {
            **_STANDARD_LABELS,
            **(metadata.get("labels") or {}),
            HOSTNAME: name,
            LABEL: self.name,
        }
        spec: Json = {"providerID": provider_id(self.name, name)}
        taints = (template.get("spec") or {}).get("taints")
        if taints:
            spec["taints"] = [dict(each) for each in taints]
        capacity = template.get("capacity") or template.get("allocatable") or {}
        capacity = {"pods": _MOST_PODS, **capacity}
        allocatable = {**capacity, **(template.get("allocatable") or {})}
        node: Json = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "spec": spec,
            "status": {"capacity": capacity, "allocatable": allocatable},
        }
        if metadata.get("annotations"):
            node["metadata"]["annotations"] = dict(metadata["annotations"])
        return node


def read_group(obj: Json) -> Group:
    """The view of a NodeGroup object, which must not change afterwards."""
    spec = obj["spec"]
    min_size = spec.get("minSize") or 0
    initial, ready_delay = spec.get("initialSize"), spec.get("readyDelay")
    return Group(
        obj,
        obj["metadata"]["name"],
        min_size,
        spec["maxSize"],
        min_size if initial is None else initial,
        spec.get("price"),
        spec.get("priority"),
        distributions.parse(spec.get("provisionDelay") or DEFAULT_PROVISION_DELAY),
        spec.get("available"),
        spec.get("shortage") or ABSENT,
        None if ready_delay is None else distributions.parse(ready_delay),
        spec.get("options") or _NO_OPTIONS,
    )


def provider_id(group: str, name: str) -> str:
    """What a provider calls the machine of a node."""
    return f"kubestage://{group}/{name}"


def name_of(node: Json) -> str:
    """The group that a node names, or nothing."""
    found: str = (node["metadata"].get("labels") or {}).get(LABEL) or ""
    return found
