"""Small loads for tests of the command line."""

from __future__ import annotations

import pathlib

POD = """
apiVersion: v1
kind: Pod
metadata:
  labels:
    group: load
spec:
  containers:
  - name: main
    image: registry.k8s.io/pause:3.10
    resources:
      requests:
        cpu: {{DefaultParam .Cpu "10m"}}
"""
CONFIG = """
name: small
namespace: {number: 1}
tuningSets:
- name: Uniform
  qpsLoad: {qps: {{DefaultParam .CL2_QPS 10}}}
steps:
- name: Start
  measurements:
  - method: PodStartupLatency
    identifier: startup
    params: {action: start, labelSelector: group = load, threshold: {{DefaultParam .Goal "5s"}}}
- name: Create
  phases:
  - namespaceRange: {min: 1, max: 1}
    replicasPerNamespace: {{DefaultParam .CL2_PODS 4}}
    tuningSet: Uniform
    objectBundle:
    - basename: pod
      objectTemplatePath: pod.yaml
- name: Wait
  measurements:
  - method: WaitForRunningPods
    identifier: running
    params:
      desiredPodCount: {{DefaultParam .CL2_PODS 4}}
      labelSelector: group = load
      timeout: 1m
      refreshInterval: 1s
- name: Gather
  measurements:
  - method: PodStartupLatency
    identifier: startup
    params: {action: gather}
"""


def write(config: str = CONFIG, name: str = "load.yaml", **others: str) -> str:
    """A configuration and its templates in the working folder; the name of the configuration."""
    pathlib.Path(name).write_text(config)
    for other, text in {"pod": POD, **others}.items():
        pathlib.Path(f"{other}.yaml").write_text(text)
    return name
