"""Small inputs of sweeps, written into a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib

NODES = """
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: 9}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: 9}}}
"""  # noqa: E501
PODS = """
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  containers:
  - name: main
    image: web:1
    env: [{name: LEVEL, value: "3"}]
    resources: {requests: {cpu: "1", memory: 1Gi}}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: shop}
spec:
  containers:
  - {name: main, image: db:1, resources: {requests: {cpu: "3", memory: 1Gi}}}
"""
SCENARIO = """
apiVersion: simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1
kind: Scenario
metadata: {name: steps}
spec:
  events:
  - id: "1"
    step: 0
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Node
        metadata: {name: n1}
        status: {allocatable: {cpu: "4", memory: 8Gi, pods: 9}}
  - id: "2"
    step: 1
    operation: Create
    createOperation:
      object:
        apiVersion: v1
        kind: Pod
        metadata: {name: a}
        spec:
          containers:
          - {name: main, image: a:1, resources: {requests: {cpu: "1"}}}
  - {id: "3", step: 2, operation: Done, doneOperation: {done: true}}
"""
CPU = "pod/web:spec.containers[0].resources.requests.cpu"


def cluster(folder: pathlib.Path) -> str:
    """Two nodes and two pods."""
    place = folder / "cluster"
    place.mkdir()
    (place / "nodes.yaml").write_text(NODES)
    (place / "pods.yaml").write_text(PODS)
    return str(place)
