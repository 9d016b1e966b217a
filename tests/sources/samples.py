"""Small samples, as other programs write them."""

from __future__ import annotations

import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

from kubestage.objects import yaml_text

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]
TEMPLATE: Json = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {
        "containers": [
            {"name": "web", "image": "nginx:1.27", "resources": {"requests": {"cpu": "100m"}}}
        ]
    },
}


def node(name: str = "node-a", **labels: str) -> Json:
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": f"uid-{name}",
            "creationTimestamp": "2026-03-01T08:00:00Z",
            "labels": {"kubernetes.io/hostname": name, **labels},
        },
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str = "web-1", on: str = "node-a", namespace: str = "shop") -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{name}",
            "labels": {"app": "web"},
            "creationTimestamp": "2026-03-01T09:00:00Z",
        },
        "spec": {**TEMPLATE["spec"], **({"nodeName": on} if on else {})},
        "status": {"phase": "Running" if on else "Pending"},
    }


def deployment(name: str = "web", replicas: int = 2, namespace: str = "shop") -> Json:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": TEMPLATE,
        },
    }


def listed(*objects: Json) -> Json:
    """A typed list as client-go prints it: its items have no type."""
    first = objects[0]
    items = [
        {key: value for key, value in each.items() if key not in ("apiVersion", "kind")}
        for each in objects
    ]
    return {"kind": f"{first['kind']}List", "apiVersion": first["apiVersion"], "items": items}


def text(value: Any) -> bytes:
    return json.dumps(value, indent=4).encode()


def tar(files: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def support_bundle() -> dict[str, bytes]:
    root = "support-bundle-2026-03-01T10_00_00/"
    return {
        f"{root}version.yaml": b"apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n",
        f"{root}cluster-info/cluster_version.json": text({"info": {"gitVersion": "v1.31.2"}}),
        f"{root}cluster-resources/nodes.json": text(listed(node())),
        f"{root}cluster-resources/namespaces.json": text(
            [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}]
        ),
        f"{root}cluster-resources/pods/shop.json": text(listed(pod())),
        f"{root}cluster-resources/pods/logs/shop/web-1/web.log": b"not json\n",
        f"{root}cluster-resources/deployments/shop.json": text(
            {"metadata": {}, "items": [{k: v for k, v in deployment().items() if k != "kind"}]}
        ),
        f"{root}cluster-resources/pvs.json": text(
            {"kind": "PersistentVolumeList", "apiVersion": "v1", "items": None}
        ),
        f"{root}cluster-resources/statefulsets-errors.json": text({"shop": "forbidden"}),
        f"{root}cluster-resources/jobs-errors.json": b"null",
        f"{root}cluster-resources/auth-cani-list/shop.json": text({"resourceRules": []}),
        f"{root}cluster-resources/custom-resources/things.example.com/shop.json": text(
            [{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}]
        ),
    }


def must_gather() -> dict[str, bytes]:
    root = "must-gather.local.1/quay-io-openshift-sha256-1/"
    scoped = f"{root}cluster-scoped-resources/"
    spaces = f"{root}namespaces/"
    info = {"kubeletVersion": "v1.29.5"}
    gathered = {**node(), "status": {**node()["status"], "nodeInfo": info}}
    return {
        f"{root}timestamp": b"2026-03-01 10:00:00.5 +0000 UTC m=+1.2\n"
        b"2026-03-01 12:05:00.25 +0200 CEST m=+300.1\n",
        f"{scoped}core/nodes/node-a.yaml": yaml_text.dump(gathered).encode(),
        f"{scoped}config.openshift.io/clusterversions/version.yaml": text(
            {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion",
             "metadata": {"name": "version"}}
        ),
        f"{spaces}shop/shop.yaml": text(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
        ),
        f"{spaces}shop/core/pods.yaml": text(listed(pod())),
        f"{spaces}shop/core/secrets.yaml": text(
            listed({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key",
                    "namespace": "shop"}, "data": {"k": "MTIgYnl0ZXM="}})
        ),
        f"{spaces}shop/apps/deployments.yaml": text(listed(deployment())),
        f"{spaces}shop/pods/web-1/web-1.yaml": text(pod()),
        f"{spaces}shop/pods/web-1/web/web/logs/current.log": b"log line\n",
        f"{root}audit_logs/kube-apiserver/m-0-audit.log.gz": b"never opened",
    }  # fmt: skip


def cluster_info() -> dict[str, bytes]:
    return {
        "nodes.json": text(listed(node())),
        "shop/events.json": text({"kind": "EventList", "apiVersion": "v1", "items": []}),
        "shop/pods.json": text(listed(pod())),
        "shop/deployments.json": text(listed(deployment())),
        "shop/replicasets.json": text(
            {"kind": "ReplicaSetList", "apiVersion": "apps/v1", "items": []}
        ),
        "shop/web-1/logs.txt": b"==== START logs for container web of pod shop/web-1 ====\n{x\n",
    }


def cluster_info_stream() -> bytes:
    parts = [text(listed(node())), text(listed(pod())), text(listed(deployment()))]
    logs = (
        b"==== START logs for container web of pod shop/web-1 ====\n"
        b'{"level": "info"}\n}\nkind: nonsense\n'
        b"==== END logs for container web of pod shop/web-1 ====\n"
    )
    return b"\n".join(parts) + b"\n" + logs


def audit(
    verb: str,
    resource: str,
    name: str,
    second: int,
    *,
    request: Any = None,
    response: Any = None,
    group: str = "",
    namespace: str = "shop",
    sub: str = "",
    code: int = 200,
    level: str = "RequestResponse",
    stage: str = "ResponseComplete",
    uri: str = "/x",
) -> Json:
    ref = {"resource": resource, "namespace": namespace, "name": name, "apiVersion": "v1"}
    ref |= {"apiGroup": group} if group else {}
    ref |= {"subresource": sub} if sub else {}
    event = {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": level,
        "auditID": f"id-{second}",
        "stage": stage,
        "requestURI": uri,
        "verb": verb,
        "user": {"username": "anna", "groups": ["system:authenticated"]},
        "userAgent": "kubectl/v1.31.0 (linux/amd64)",
        "objectRef": ref,
        "responseStatus": {"metadata": {}, "code": code},
        "requestReceivedTimestamp": f"2026-03-01T10:00:{second:02}.000001Z",
        "stageTimestamp": f"2026-03-01T10:00:{second:02}.500000Z",
    }
    event |= {} if request is None else {"requestObject": request}
    return event | ({} if response is None else {"responseObject": response})


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in values)
