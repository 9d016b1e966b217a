"""The real kubectl on a fork and on the past, by their addresses."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.kubectl.conftest import Kubectl

NAME = "by-kubectl"
MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {containers: [{name: c, image: nginx}]}
"""
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.forks.example.com}
spec:
  group: forks.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, description: How large.}}}
"""


def ask(kubectl: Kubectl, method: str, path: str, body: Any = None) -> Any:
    address = f"{kubectl.served.address}/{path}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@pytest.fixture
def fork(kubectl: Kubectl) -> Iterator[str]:
    """The flag that leads to a fork in which a pod of this test runs."""
    kubectl("run", "web", "--image=nginx")
    kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=15m")
    ask(kubectl, "POST", "kubestage/v1/clusters", {"name": NAME})
    yield f"--server={kubectl.served.address}/clusters/{NAME}"
    ask(kubectl, "DELETE", f"kubestage/v1/clusters/{NAME}")


def test_a_fork_is_used_as_any_cluster(kubectl: Kubectl, fork: str) -> None:
    assert kubectl("get", "pods", "-o", "name", fork) == "pod/web\n"
    assert "deployments" in kubectl("api-resources", fork)
    kubectl("apply", "-f", "-", fork, given=MANIFEST)
    ask(kubectl, "POST", f"clusters/{NAME}/kubestage/v1/clock/advance", {"duration": "1m"})
    kubectl("rollout", "status", "deployment/api", fork)
    kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", fork, given=MANIFEST)
    (first, _) = kubectl("get", "pods", "-l", "app=api", "-o", "name", fork).split()
    assert "Started: Container started" in kubectl("logs", first, fork)
    assert kubectl("exec", first, fork, "--", "hostname") == f"{first.partition('/')[2]}\n"
    assert "Events:" in kubectl("describe", first, fork)
    assert "FIELDS:" in kubectl("explain", "deployment.spec", fork)
    watched = kubectl.run("get", "pods", "-w", "--request-timeout=1s", fork).stdout
    assert first.partition("/")[2] in watched
    # The original has none of it.
    assert kubectl("get", "pods", "-o", "name") == "pod/web\n"


def test_kinds_that_only_a_fork_has(kubectl: Kubectl, fork: str) -> None:
    kubectl("apply", "-f", "-", fork, given=DEFINITION)
    ask(kubectl, "POST", f"clusters/{NAME}/kubestage/v1/clock/advance", {"duration": "10s"})
    assert "How large." in kubectl("explain", "widgets.spec", fork)
    widget = "apiVersion: forks.example.com/v1\nkind: Widget\nmetadata: {name: w}\n"
    kubectl("create", "-f", "-", fork, given=widget)
    assert kubectl("get", "widgets", "-o", "name", fork) == "widget.forks.example.com/w\n"
    assert "the server doesn't have a resource type" in kubectl.refused("get", "widgets")


def test_the_past_is_read_and_not_changed(kubectl: Kubectl, fork: str) -> None:
    advance = f"clusters/{NAME}/kubestage/v1/clock/advance"
    history = ask(kubectl, "GET", f"clusters/{NAME}/kubestage/v1/history")
    past = f"{fork}/at/{history['end']}"
    ask(kubectl, "POST", advance, {"duration": "1m"})
    kubectl("delete", "pod", "web", "--now", "--wait=false", fork)
    ask(kubectl, "POST", advance, {"duration": "1m"})
    assert kubectl("get", "pods", "-o", "name", fork) == ""
    (row,) = kubectl.table("get", "pods", past)
    assert (row["NAME"], row["STATUS"]) == ("web", "Running")
    assert "Started" in kubectl("events", past)
    complaint = kubectl.refused("delete", "pod", "web", past)
    assert "this is the past: fork it to change it" in complaint
