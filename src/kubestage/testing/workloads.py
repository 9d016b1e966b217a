"""Objects that make pods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.testing import parts, pods

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.testing.parts import Object


def make_deployment(
    name: str = "web",
    *,
    namespace: str = "default",
    replicas: int = 1,
    labels: Mapping[str, str] | None = None,
    pod: Object | None = None,
    cpu: str | None = None,
    memory: str | None = None,
    strategy: Object | None = None,
) -> Object:
    """A Deployment; its pods are like `pod` (see `make_pod`) and carry `labels` (app=NAME)."""
    spec = _workload_spec(name, labels, pod, cpu, memory)
    spec |= parts.present({"replicas": replicas, "strategy": strategy})
    return parts.namespaced("apps/v1", "Deployment", name, namespace, labels, spec)


def make_replica_set(
    name: str = "web",
    *,
    namespace: str = "default",
    replicas: int = 1,
    labels: Mapping[str, str] | None = None,
    pod: Object | None = None,
    cpu: str | None = None,
    memory: str | None = None,
) -> Object:
    """A ReplicaSet; its pods are like `pod` and carry `labels` (app=NAME)."""
    spec = _workload_spec(name, labels, pod, cpu, memory) | {"replicas": replicas}
    return parts.namespaced("apps/v1", "ReplicaSet", name, namespace, labels, spec)


def make_stateful_set(
    name: str = "db",
    *,
    namespace: str = "default",
    replicas: int = 1,
    labels: Mapping[str, str] | None = None,
    pod: Object | None = None,
    cpu: str | None = None,
    memory: str | None = None,
    service_name: str | None = None,
) -> Object:
    """A StatefulSet behind the headless service of its own name, or `service_name`."""
    spec = _workload_spec(name, labels, pod, cpu, memory)
    spec |= {"replicas": replicas, "serviceName": service_name or name}
    return parts.namespaced("apps/v1", "StatefulSet", name, namespace, labels, spec)


def make_daemon_set(
    name: str = "agent",
    *,
    namespace: str = "default",
    labels: Mapping[str, str] | None = None,
    pod: Object | None = None,
    cpu: str | None = None,
    memory: str | None = None,
) -> Object:
    """A DaemonSet; its pods are like `pod` and carry `labels` (app=NAME)."""
    spec = _workload_spec(name, labels, pod, cpu, memory)
    return parts.namespaced("apps/v1", "DaemonSet", name, namespace, labels, spec)


def make_job(
    name: str = "job",
    *,
    namespace: str = "default",
    completions: int | None = None,
    parallelism: int | None = None,
    labels: Mapping[str, str] | None = None,
    pod: Object | None = None,
    cpu: str | None = None,
    memory: str | None = None,
) -> Object:
    """A Job whose pods never restart in place; the API makes its selector."""
    spec = _workload_spec(name, labels, pod, cpu, memory)
    del spec["selector"]
    spec["template"]["spec"].setdefault("restartPolicy", "Never")
    spec |= parts.present({"completions": completions, "parallelism": parallelism})
    return parts.namespaced("batch/v1", "Job", name, namespace, labels, spec)


def _workload_spec(
    name: str,
    labels: Mapping[str, str] | None,
    pod: Object | None,
    cpu: str | None,
    memory: str | None,
) -> Object:
    model = pod or pods.make_pod(name, cpu=cpu, memory=memory)
    own = {**model["metadata"].get("labels", {}), **(labels or {"app": name})}
    metadata = parts.present({"labels": own, "annotations": model["metadata"].get("annotations")})
    return {
        "selector": {"matchLabels": dict(labels or {"app": name})},
        "template": {"metadata": metadata, "spec": dict(model["spec"])},
    }
