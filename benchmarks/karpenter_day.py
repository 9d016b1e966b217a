"""A day of a cluster with Karpenter: some 200 nodes, a third of the workloads rescaled each hour.

Run it with ``python benchmarks/karpenter_day.py``; the day must take less than a minute of CPU. The
time until the first nodes are bought, all at once, counts as well.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage import Stage
from kubestage.stage.collections import RARELY, few_collections
from kubestage.testing import make_daemon_set, make_deployment, make_pod_disruption_budget

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT_SECONDS: Final = 60.0
WORKLOADS: Final = 60
REPLICAS: Final = 25
SIZES: Final = (("250m", "512Mi"), ("500m", "1Gi"), ("1", "2Gi"), ("2", "4Gi"))
DEPLOYMENT: Final = ("apps/v1", "Deployment")
POOLS: Final = """
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
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}
      - {key: karpenter.k8s.aws/instance-cpu, operator: Lt, values: ["9"]}
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
  disruption: {consolidateAfter: 5m}
"""


def workloads() -> list[dict[str, Any]]:
    """Deployments of four sizes with budgets, and a DaemonSet."""
    objects: list[dict[str, Any]] = [make_daemon_set("agent", cpu="100m", memory="128Mi")]
    for number in range(WORKLOADS):
        name, (cpu, memory) = f"web-{number:02}", SIZES[number % len(SIZES)]
        objects.append(make_deployment(name, replicas=REPLICAS, cpu=cpu, memory=memory))
        objects.append(make_pod_disruption_budget(name, max_unavailable="20%"))
    return objects


def live(stage: Stage, hours: int, seed: int) -> list[int]:
    """Rescale a third of the workloads each hour; how many nodes there were at its end."""
    rng, sizes = random.Random(seed), []
    names = [f"web-{number:02}" for number in range(WORKLOADS)]
    for _ in range(hours):
        for name in rng.sample(names, WORKLOADS // 3):
            replicas = rng.randint(REPLICAS // 2, REPLICAS * 3 // 2)
            stage.store.patch(DEPLOYMENT, name, {"spec": {"replicas": replicas}})
        stage.run("1h")
        sizes.append(len(stage.store.list(("v1", "Node")).items))
    return sizes


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=24, help="how long the cluster lives")
    parser.add_argument("--seed", type=int, default=0, help="of the stage and of the rescales")
    options = parser.parse_args(arguments)
    first = time.process_time()
    stage = Stage(options.seed)
    # As `kubestage run` does it, so that Python searches for cycles at the end, not at each hour's.
    with few_collections(RARELY):
        stage.add_scheduler(recording="none")
        stage.add_controllers()
        stage.apply(POOLS)
        stage.apply(workloads())
        stage.run("20m")
        start = time.process_time()
        sizes = live(stage, options.hours, options.seed)
    end = time.process_time()
    claims = {
        each["metadata"]["name"]
        for each in stage.store.list(("karpenter.sh/v1", "NodeClaim")).items
    }
    print(f"{options.hours} h, {min(sizes)} to {max(sizes)} nodes, {len(claims)} at the end")
    print(
        f"{start - first:.1f} s of CPU until the first nodes were there, {end - start:.1f} s after"
    )
    print(f"{end - first:.1f} s of CPU in total (limit {LIMIT_SECONDS:.0f} s for 24 h)")


if __name__ == "__main__":
    main()
