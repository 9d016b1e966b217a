"""Defaults of pods and of the pod templates that all workloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.defaulting import containers, resources, volumes

if TYPE_CHECKING:
    from collections.abc import Iterable


def pod(obj: dict[str, Any]) -> None:
    """Complete a Pod; what a template leaves open is settled only here."""
    spec = obj["spec"]
    resources.requests_from_limits(spec["containers"] or ())
    resources.requests_from_limits(spec.get("initContainers", ()))
    resources.pod_level(spec)
    spec.setdefault("enableServiceLinks", True)
    if "hostNetwork" in spec:
        for name in ("containers", "initContainers"):
            _host_ports(spec.get(name) or ())
    pod_spec(spec)
    _status(obj["status"])


def pod_spec(spec: dict[str, Any]) -> None:
    """Complete the part that pods and templates have alike."""
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("restartPolicy", "Always")
    if "securityContext" not in spec:
        spec["securityContext"] = {}
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    for volume in spec.get("volumes", ()):
        volumes.volume(volume)
    for name in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(name) or ():
            containers.container(container)
    resources.round_up(spec.get("overhead"))
    resources.round_up_requirements(spec.get("resources"))


def template(obj: dict[str, Any]) -> None:
    """Complete the pod template of a workload."""
    pod_spec(obj["spec"])


def pod_template(obj: dict[str, Any]) -> None:
    """Complete a PodTemplate."""
    template(obj["template"])


def _host_ports(every: Iterable[dict[str, Any]]) -> None:
    for container in every:
        for port in container.get("ports", ()):
            if port["containerPort"]:
                port.setdefault("hostPort", port["containerPort"])


def _status(status: dict[str, Any]) -> None:
    if not status:
        return
    for name in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for each in status.get(name, ()):
            resources.round_up(each.get("allocatedResources"))
            resources.round_up_requirements(each.get("resources"))
    resources.round_up(status.get("allocatedResources"))
    resources.round_up_requirements(status.get("resources"))
