"""A deployment tool on the official client: change an image, wait for the pods, or go back."""

from __future__ import annotations

import time
from typing import Any

from kubernetes.client import ApiClient, ApiException, AppsV1Api
from kubernetes.watch import Watch

RETRIES = 5


class RolloutFailed(Exception):
    """The new pods did not become ready; the image is the old one again."""


def release(client: ApiClient, name: str, image: str, timeout_s: int = 30) -> None:
    """Give a Deployment another image, and wait until all its pods have it."""
    apps = AppsV1Api(client)
    before = apps.read_namespaced_deployment(name, "default").spec.template.spec.containers[0]
    set_image(apps, name, before.name, image)
    if not is_rolled_out(apps, name, timeout_s):
        set_image(apps, name, before.name, before.image)
        raise RolloutFailed(f"{name}: {image} did not become ready")


def set_image(apps: AppsV1Api, name: str, container: str, image: str) -> None:
    template = {"spec": {"containers": [{"name": container, "image": image}]}}
    for attempt in range(RETRIES):
        try:
            apps.patch_namespaced_deployment(name, "default", {"spec": {"template": template}})
        except ApiException as error:
            if error.status not in (409, 429, 500) or attempt == RETRIES - 1:
                raise
            time.sleep(0.01)
        else:
            return


def is_rolled_out(apps: AppsV1Api, name: str, timeout_s: int) -> bool:
    watching = Watch().stream(
        apps.list_namespaced_deployment,
        "default",
        field_selector=f"metadata.name={name}",
        timeout_seconds=timeout_s,
    )
    return any(is_done(event["object"]) for event in watching)


def is_done(deployment: Any) -> bool:
    status, desired = deployment.status, deployment.spec.replicas
    is_seen = status.observed_generation == deployment.metadata.generation
    counts = (status.updated_replicas, status.ready_replicas, status.replicas)
    return is_seen and counts == (desired, desired, desired)
