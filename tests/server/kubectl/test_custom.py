from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.server.kubectl.conftest import Kubectl

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


def definition(group: str) -> str:
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "size": {"type": "integer", "minimum": 1, "default": 3},
                    "replicas": {"type": "integer"},
                },
            },
            "status": {
                "type": "object",
                "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}},
            },
        },
    }
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}, "scale": scale},
        "additionalPrinterColumns": [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
        ],
    }
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wi"]}
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    return json.dumps(body)


def widget(group: str, **spec: int) -> str:
    body = {
        "apiVersion": f"{group}/v1",
        "kind": "Widget",
        "metadata": {"name": "w"},
        "spec": spec,
    }
    return json.dumps(body)


def test_a_kind_of_ones_own(kubectl: Kubectl) -> None:
    group = f"{kubectl.namespace}.example.com"
    resource = f"widgets.{group}"
    kubectl("apply", "-f", "-", given=definition(group))
    kubectl("wait", f"crd/{resource}", "--for=condition=Established", "--timeout=15m")
    kubectl("apply", "-f", "-", given=widget(group))
    (row,) = kubectl.table("get", resource)
    assert (row["NAME"], row["SIZE"]) == ("w", "3")
    complaint = kubectl.refused("apply", "-f", "-", given=widget(group, size=0))
    assert "should be greater than or equal to 1" in complaint
    complaint = kubectl.refused("apply", "-f", "-", given=widget(group, seize=2))
    assert 'unknown field "spec.seize"' in complaint
    status = '{"status":{"phase":"Fine"}}'
    kubectl("patch", resource, "w", "--subresource=status", "--type=merge", "-p", status)
    kubectl("scale", f"{resource}/w", "--replicas=7")
    found = kubectl.json("get", resource, "w")
    assert found["status"] == {"phase": "Fine"}
    assert found["spec"] == {"size": 3, "replicas": 7}
    assert "size" in kubectl("explain", "widget.spec", "--api-version", f"{group}/v1")
    kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", given=widget(group, size=5))
    assert kubectl.json("get", resource, "w")["spec"]["size"] == 5
    kubectl("delete", "crd", resource)
    assert "the server doesn't have a resource type" in kubectl.refused("get", resource)
