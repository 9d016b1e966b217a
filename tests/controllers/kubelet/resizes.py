"""A pod on a node of four cores, and how to resize it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.patches import PatchType
from tests.controllers.kubelet.clusters import POD, Cluster

if TYPE_CHECKING:
    from kubestage.aliases import Json

MI = 1 << 20
IMAGES = [{"names": ["app:1"], "sizeBytes": 1}]


def amounts(cpu: str, memory: str) -> dict[str, str]:
    return {"cpu": cpu, "memory": memory}


def container(name: str = "c", *, restart: str = "", **resources: Any) -> Json:
    given: Json = {"name": name, "image": "app:1", "resources": resources}
    if restart:
        policy = {"resourceName": restart, "restartPolicy": "RestartContainer"}
        given["resizePolicy"] = [policy]
    return given


def running(*containers: Json, notes: dict[str, str] | None = None, **spec: Any) -> Cluster:
    cluster = Cluster(launch_delay="0s", resize_delay="2s")
    capacity = {"cpu": "4", "memory": "4Gi", "pods": "9"}
    cluster.node(status={"images": IMAGES, "capacity": capacity})
    cluster.run("1s")
    cluster.pod(annotations=notes, containers=list(containers), **spec)
    cluster.run("9s")
    return cluster


def resize(cluster: Cluster, pod: str = "web", name: str = "c", **resources: Any) -> None:
    patch = {"spec": {"containers": [{"name": name, "resources": resources}]}}
    cluster.store.patch(POD, pod, patch, patch_type=PatchType.STRATEGIC, subresource="resize")


def beside(cluster: Cluster, cpu: str) -> None:
    cluster.pod("other", containers=[container(requests=amounts(cpu, "1Gi"))])
    cluster.run("1s")


def kinds(cluster: Cluster, pod: str = "web") -> list[str]:
    found = [each["type"] for each in cluster.status(pod)["conditions"]]
    return [each for each in found if each.startswith("PodResize")]


def told(cluster: Cluster, reason: str, pod: str = "web") -> list[str]:
    return [message for each, message in cluster.events(pod) if each == reason]
