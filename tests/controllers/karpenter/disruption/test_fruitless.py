"""Looks at nodes that are recognised change nothing: without them a run has the same bytes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage import Stage
from kubestage.controllers.karpenter.disruption.fruitless import Look
from kubestage.testing import make_daemon_set, make_deployment, make_pod_disruption_budget

if TYPE_CHECKING:
    from kubestage.store.log import Change

POOL = """
apiVersion: kubestage.dev/v1alpha1
kind: PriceCatalog
metadata: {name: aws}
spec: {builtIn: aws-us-east-1}
---
apiVersion: kubestage.dev/v1alpha1
kind: StageNodeClass
metadata: {name: default}
spec: {catalog: aws, registrationDelay: "normal(40s,8s)"}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: kubestage.dev, kind: StageNodeClass, name: default}
      requirements:
      - {key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m]}
      - {key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["9"]}
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: karpenter.sh/capacity-type, operator: In, values: CAPACITY}
  LIMITS
  disruption: {consolidateAfter: 2m}
"""


def _live(seed: int) -> bytes:
    """A cluster whose workloads are rescaled; every change of it, as text."""
    draw, stage, changes = random.Random(seed), Stage(seed), list[bytes]()

    def _note(change: Change) -> None:
        changes.append(f"{change.revision} {change.type} {change.key}".encode())
        changes.append(msgspec.json.encode(change.new))

    stage.store.subscribe(_note)
    stage.add_scheduler(recording="none")
    stage.add_controllers()
    limits = "limits: {cpu: 60}" if seed % 2 else "weight: 1"
    capacity = "[spot, on-demand]" if seed % 3 == 2 else "[on-demand]"
    stage.apply(POOL.replace("LIMITS", limits).replace("CAPACITY", capacity))
    stage.apply(make_daemon_set("agent", cpu="100m", memory="128Mi"))
    for number, cpu in enumerate(("250m", "500m", "1", "2", "500m", "1")):
        stage.apply(make_deployment(f"web-{number}", replicas=10, cpu=cpu, memory="512Mi"))
        stage.apply(make_pod_disruption_budget(f"web-{number}", max_unavailable=2))
    for _ in range(4):
        stage.run("15m")
        for number in draw.sample(range(6), 3):
            replicas = {"spec": {"replicas": draw.randint(2, 20)}}
            stage.store.patch(("apps/v1", "Deployment"), f"web-{number}", replicas)
    return b"\n".join(changes)


@pytest.mark.parametrize("seed", range(3))
def test_runs_are_the_same_without(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hits, recall = list[str](), Look.recall

    def _recalled(self: Look) -> str:
        found = recall(self)
        if found:
            hits.append(found)
        return found

    monkeypatch.setattr(Look, "recall", _recalled)
    remembering = _live(seed)
    assert hits
    monkeypatch.setattr(Look, "recall", lambda _: "")
    assert remembering == _live(seed)
