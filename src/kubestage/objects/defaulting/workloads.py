"""Defaults of the controllers that keep pods running: replicas, update strategies, history."""

from __future__ import annotations

from typing import Any

from kubestage.objects.defaulting import pod, volumes


def deployment(obj: dict[str, Any]) -> None:
    """Complete a Deployment."""
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    strategy = spec["strategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    pod.template(spec["template"])


def replica_set(obj: dict[str, Any]) -> None:
    """Complete a ReplicaSet."""
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    pod.template(spec["template"])


def replication_controller(obj: dict[str, Any]) -> None:
    """Complete a ReplicationController; labels of its template stand in for missing ones."""
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    template = spec.get("template")
    if template is None:
        return
    labels = template["metadata"].get("labels")
    if labels:
        spec.setdefault("selector", dict(labels))
        obj["metadata"].setdefault("labels", dict(labels))
    pod.template(template)


def daemon_set(obj: dict[str, Any]) -> None:
    """Complete a DaemonSet."""
    spec = obj["spec"]
    strategy = spec["updateStrategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", 10)
    pod.template(spec["template"])


def stateful_set(obj: dict[str, Any]) -> None:
    """Complete a StatefulSet; a strategy that is named but not detailed stays as it is."""
    spec = obj["spec"]
    spec.setdefault("podManagementPolicy", "OrderedReady")
    strategy = spec["updateStrategy"]
    if "type" not in strategy:
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
        strategy["rollingUpdate"].setdefault("partition", 0)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    retention.setdefault("whenDeleted", "Retain")
    retention.setdefault("whenScaled", "Retain")
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    pod.template(spec["template"])
    for claim in spec.get("volumeClaimTemplates", ()):
        volumes.claim(claim)
