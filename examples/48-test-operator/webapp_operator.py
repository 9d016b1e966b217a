"""An operator: a WebApp is a Deployment, and its status says how many pods are ready."""

from __future__ import annotations

import os
from typing import Any

import kopf
import kubernetes
from kubernetes.client import ApiException, AppsV1Api, CustomObjectsApi

GROUP, VERSION, PLURAL = "example.com", "v1", "webapps"


@kopf.on.login()
def login(**arguments: Any) -> kopf.ConnectionInfo | None:
    return kopf.login_with_kubeconfig(**arguments)


@kopf.on.startup()
def connect(settings: kopf.OperatorSettings, **_: Any) -> None:
    kubernetes.config.load_kube_config(os.environ.get("KUBECONFIG"))
    settings.posting.enabled = False
    # A lost watch is opened again at once.
    settings.watching.reconnect_backoff = 0.01


@kopf.on.create(GROUP, VERSION, PLURAL)
@kopf.on.update(GROUP, VERSION, PLURAL, field="spec")
def deploy(spec: kopf.Spec, name: str, namespace: str, **_: Any) -> None:
    apps, body = AppsV1Api(), deployment(name, spec)
    kopf.adopt(body)
    try:
        apps.create_namespaced_deployment(namespace, body)
    except ApiException as error:
        if error.status == 409:
            apps.patch_namespaced_deployment(name, namespace, body)
        elif error.status == 429 or error.status >= 500:
            raise kopf.TemporaryError(f"the API answers {error.status}", delay=0.05) from error
        else:
            raise


@kopf.on.event("apps", "v1", "deployments", labels={"webapp": kopf.PRESENT})
def report(body: kopf.Body, name: str, namespace: str, **_: Any) -> None:
    ready = body.get("status", {}).get("readyReplicas", 0)
    status = {"status": {"ready": ready}}
    try:
        CustomObjectsApi().patch_namespaced_custom_object_status(
            GROUP, VERSION, namespace, PLURAL, name, status
        )
    except ApiException as error:
        # The WebApp is gone, and its Deployment follows.
        if error.status != 404:
            raise


def deployment(name: str, spec: kopf.Spec) -> dict[str, Any]:
    labels = {"webapp": name}
    requests = {"cpu": spec["cpu"]}
    container = {"name": "web", "image": spec["image"], "resources": {"requests": requests}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": spec["replicas"],
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }
