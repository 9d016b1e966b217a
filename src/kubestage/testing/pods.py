"""Pods and their containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.testing import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.testing.parts import Object


def make_pod(
    name: str = "pod",
    *,
    namespace: str = "default",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    image: str = "app:1.0",
    cpu: str | None = None,
    memory: str | None = None,
    requests: Mapping[str, str] | None = None,
    limits: Mapping[str, str] | None = None,
    host_ports: Iterable[int] = (),
    containers: Sequence[Object] | None = None,
    init_containers: Sequence[Object] = (),
    node_name: str | None = None,
    node_selector: Mapping[str, str] | None = None,
    affinity: Object | None = None,
    tolerations: Iterable[str | Object] = (),
    topology_spread_constraints: Sequence[Object] = (),
    priority: int | None = None,
    priority_class_name: str | None = None,
    scheduler_name: str | None = None,
    volumes: Sequence[Object] = (),
    phase: str | None = None,
    owner: Object | None = None,
) -> Object:
    """A Pod with one container.

    `cpu` and `memory` are requests; `requests` adds others (``{"nvidia.com/gpu": "1"}``).
    `tolerations` may be written as taints are: ``"dedicated=db:NoSchedule"``. `containers`
    replaces the container altogether. `node_name` binds the pod; `phase` gives it a status.
    `owner` is the object that controls the pod.
    """
    if containers is None:
        container = make_container("app", image=image, limits=limits, host_ports=host_ports)
        requested = parts.present({"cpu": cpu, "memory": memory, **(requests or {})})
        if requested:
            container.setdefault("resources", {})["requests"] = requested
        containers = [container]
    metadata = parts.metadata_of(name, namespace, labels, annotations)
    if owner is not None:
        metadata["ownerReferences"] = [owner_reference(owner)]
    spec = parts.present(
        {
            "containers": list(containers),
            "initContainers": list(init_containers),
            "nodeName": node_name,
            "nodeSelector": dict(node_selector or {}),
            "affinity": affinity,
            "tolerations": [parts.toleration_of(each) for each in tolerations],
            "topologySpreadConstraints": list(topology_spread_constraints),
            "priority": priority,
            "priorityClassName": priority_class_name,
            "schedulerName": scheduler_name,
            "volumes": list(volumes),
        }
    )
    pod: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    if phase is not None:
        pod["status"] = {"phase": phase}
    return pod


def make_container(
    name: str = "app",
    *,
    image: str = "app:1.0",
    requests: Mapping[str, str] | None = None,
    limits: Mapping[str, str] | None = None,
    host_ports: Iterable[int] = (),
    restart_policy: str | None = None,
) -> Object:
    """A container; with `restart_policy` ``Always`` an init container is a sidecar."""
    resources = parts.present({"requests": dict(requests or {}), "limits": dict(limits or {})})
    ports = [{"containerPort": port, "hostPort": port} for port in host_ports]
    return parts.present(
        {
            "name": name,
            "image": image,
            "resources": resources,
            "ports": ports,
            "restartPolicy": restart_policy,
        }
    )


def owner_reference(owner: Object) -> Object:
    """The reference by which a pod names the object that controls it."""
    metadata = owner["metadata"]
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": metadata["name"],
        "uid": metadata.get("uid", f"uid-of-{metadata['name']}"),
        "controller": True,
    }
