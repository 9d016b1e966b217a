"""Defaults of pods and of the pod templates that all workloads share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.defaulting import containers, resources, volumes

if TYPE_CHECKING:
    from kubestage.aliases import Json


def pod_spec(spec: Json) -> None:
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


def template(obj: Json) -> None:
    """Complete the pod template of a workload."""
    pod_spec(obj["spec"])
