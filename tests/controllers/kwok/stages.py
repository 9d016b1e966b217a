"""Life cycles of our own for tests: pods that start, run and end, nodes that beat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.kwok import stage_check
from kubestage.objects.yaml_documents import Reader

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.kwok.stage_types import Stage


_TEXT = """
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-up}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchExpressions:
    - key: '.status.conditions.[] | select(.type == "Ready") | .status'
      operator: NotIn
      values: ["True"]
  next:
    statusTemplate: |
      {{ $now := Now }}
      conditions:
      {{ range NodeConditions }}
      - type: {{ .type }}
        status: {{ .status | Quote }}
        reason: {{ .reason }}
        lastHeartbeatTime: {{ $now | Quote }}
        lastTransitionTime: {{ $now | Quote }}
      {{ end }}
      allocatable: {cpu: {{ or .status.cpu 4 }}, pods: 10}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-beat}
spec:
  resourceRef: {kind: Node}
  selector:
    matchExpressions:
    - jq:
        key: '.status.conditions.[] | select(.type == "Ready") | .status'
        operator: In
        values: ["True"]
  delay: {durationMilliseconds: 10000}
  steps:
  - patch:
      subresource: status
      root: status
      template: |
        conditions:
        - {type: Ready, status: "True", lastHeartbeatTime: {{ Now | Quote }}}
  immediateNextStage: true
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-start}
spec:
  resourceRef: {kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
    - {key: .status.podIP, operator: DoesNotExist}
  delay:
    durationMilliseconds: 2000
    durationFrom: {expressionFrom: '.metadata.annotations["start-after"]'}
  next:
    event: {type: Normal, reason: Started, message: it runs}
    finalizers: {add: [{value: example.com/kept}]}
    statusTemplate: |
      phase: Running
      startTime: {{ Now | Quote }}
      hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
      {{ $host := or .spec.hostNetwork false }}
      {{ with PodIPsWith .spec.nodeName $host .metadata.uid .metadata.name "default" }}
      podIP: {{ index . 0 | Quote }}
      podIPs:
      {{ range . }}
      - ip: {{ . | Quote }}
      {{ end }}
      {{ end }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-end}
spec:
  resourceRef: {kind: Pod}
  selector:
    matchExpressions:
    - {key: .status.phase, operator: In, values: [Running]}
    - {key: '.metadata.ownerReferences.[].kind', operator: In, values: [Job]}
  delay: {durationMilliseconds: 1000, jitterDurationMilliseconds: 9000}
  next:
    statusTemplate: |
      phase: Succeeded
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-gone}
spec:
  resourceRef: {kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: Exists}
  weight: 1
  delay:
    jitterDurationFrom: {jq: {expression: .metadata.deletionTimestamp}}
  next:
    finalizers: {empty: true}
    delete: true
"""


def parsed(text: str) -> list[Json]:
    """All documents of a text."""
    return [value for value, _, _ in Reader(text.encode()).documents()]


def objects() -> list[Json]:
    """All stages, as a person writes them."""
    return parsed(_TEXT)


def all_of(*names: str) -> list[Stage]:
    """The stages of these names, or all."""
    found = [stage_check.load(obj) for obj in objects()]
    return [stage for stage in found if not names or stage.name in names]


def stage(spec: Json, name: str = "s", kind: str = "Pod") -> Stage:
    """A stage with some fields of a spec."""
    return stage_check.load(raw(spec, name, kind))


def raw(spec: Json, name: str = "s", kind: str = "Pod") -> Json:
    """A stage with some fields of a spec, as an object."""
    full = {"resourceRef": {"kind": kind}, "selector": {}, **spec}
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": full,
    }
