"""What a cluster has besides its workloads: nodes, namespaces, priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.testing import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.testing.parts import Object


_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"
_HOST_NAME: Final = "kubernetes.io/hostname"


def make_node(
    name: str = "node",
    *,
    cpu: str = "4",
    memory: str = "16Gi",
    pods: int = 110,
    resources: Mapping[str, str] | None = None,
    allocatable: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    taints: Iterable[str | Object] = (),
    zone: str | None = None,
    region: str | None = None,
    unschedulable: bool = False,
    ready: bool = True,
) -> Object:
    """A Node that offers all it has, unless `allocatable` says what is kept back.

    `resources` adds to cpu, memory and pods (``{"nvidia.com/gpu": "8"}``). `taints` may be
    written as kubectl takes them: ``"dedicated=db:NoSchedule"``.
    """
    capacity = {"cpu": cpu, "memory": memory, "pods": str(pods), **(resources or {})}
    placed = parts.present({_HOST_NAME: name, _ZONE: zone, _REGION: region})
    spec = parts.present(
        {
            "taints": [parts.taint_of(each) for each in taints],
            "unschedulable": unschedulable or None,
        }
    )
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": parts.metadata_of(name, None, {**placed, **(labels or {})}, annotations),
        "spec": spec,
        "status": {
            "capacity": capacity,
            "allocatable": {**capacity, **(allocatable or {})},
            "conditions": [{"type": "Ready", "status": "True" if ready else "False"}],
        },
    }


def make_namespace(
    name: str,
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> Object:
    """A Namespace that is in use."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": parts.metadata_of(name, None, labels, annotations),
        "status": {"phase": "Active"},
    }


def make_priority_class(name: str, value: int, *, preemption_policy: str | None = None) -> Object:
    """A PriorityClass; `preemption_policy` may be ``Never``."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **parts.present({"preemptionPolicy": preemption_policy}),
    }
