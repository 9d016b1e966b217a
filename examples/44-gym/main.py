"""Train a scheduling policy with NumPy alone, and compare it with kube-scheduler's profiles.

Pods need much CPU or much memory, and now and then half a node: a policy has to keep room for
those. It sees what a pod would leave free on each node and prefers the node with the least
weighted sum; the cross-entropy method searches for the three weights.
"""

from __future__ import annotations

import csv
import json
import pathlib
import statistics
import tempfile
from typing import Any

import numpy as np

import kubestage
from kubestage.gym import SchedulingEnv
from kubestage.runs import ManifestsResult, RunOptions
from kubestage.testing import make_node

NODES, PODS = 12, 60
SHAPES = [(2, 2), (1, 8), (6, 4), (3, 12), (8, 16), (1, 2)]
TRAINING, TESTING = range(100, 104), range(42, 52)
PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]
"""


def draw(folder: pathlib.Path) -> None:
    """Write nodes that are all alike, a trace of pods by CPU and by memory, and a profile."""
    nodes = [make_node(f"node-{at:02}", cpu="16", memory="32Gi") for at in range(NODES)]
    listed = {"apiVersion": "v1", "kind": "List", "items": nodes}
    (folder / "nodes.json").write_text(json.dumps(listed))
    (folder / "packing.yaml").write_text(PACKING)
    chosen = np.random.default_rng(7)
    with (folder / "trace.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "cores", "gib"])
        for at, shape in enumerate(chosen.integers(len(SHAPES), size=PODS)):
            writer.writerow([f"pod-{at:02}", *SHAPES[shape]])


def options(folder: pathlib.Path, **more: Any) -> RunOptions:
    """Pods of the trace in a random order, until they request 130 % of what nodes have."""
    return RunOptions(
        arrivals=(str(folder / "trace.csv"),),
        trace_map="name=name,cpu=cores,memory=gib*1073741824",
        arrivals_load="130%",
        arrivals_shuffle=True,
        **more,
    )


def features(seen: dict[str, Any], columns: tuple[str, ...]) -> Any:
    """What a pod would leave on each node: CPU, memory, and the difference of both."""
    cpu = seen["nodes"][:, columns.index("cpu_free")] - seen["pod"][0]
    memory = seen["nodes"][:, columns.index("memory_free")] - seen["pod"][1]
    return np.stack([cpu, memory, np.abs(cpu - memory)], axis=1)


def played(env: SchedulingEnv, weights: Any, seed: int) -> float:
    """The share of CPU and memory that pods have at the end of an episode, in percent."""
    seen, _ = env.reset(options={"episode": seed})
    total, is_over = 0.0, False
    while not is_over:
        cost = features(seen, env.node_columns) @ weights
        action = int(np.where(seen["action_mask"] == 1, cost, np.inf).argmin())
        seen, reward, is_over, _, _ = env.step(action)
        total += reward
    return 100 * total


def trained(env: SchedulingEnv, generations: int = 4, size: int = 12, best: int = 3) -> Any:
    """Weights by the cross-entropy method: draw some, keep the best, draw around them."""
    chosen = np.random.default_rng(1)
    mean, spread = np.zeros(3), np.ones(3)
    for _ in range(generations):
        drawn = mean + spread * chosen.standard_normal((size, 3))
        found = [statistics.mean(played(env, each, seed) for seed in TRAINING) for each in drawn]
        kept = drawn[np.argsort(found)[-best:]]
        mean, spread = kept.mean(axis=0), kept.std(axis=0) + 0.05
    return mean


def scheduled(folder: pathlib.Path, seed: int, config: str | None) -> float:
    """The same with a profile of kube-scheduler."""
    chosen = options(folder, seed=seed, config=config, unschedulable="leave", controllers=False)
    result = kubestage.run(str(folder / "nodes.json"), chosen)
    assert isinstance(result, ManifestsResult)
    return (result.summary.allocated["cpu"] + result.summary.allocated["memory"]) / 2


def main() -> None:
    """Train on four seeds, and print what policies allocate on ten others."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        draw(folder)
        env = SchedulingEnv(str(folder / "nodes.json"), options(folder), reward="allocation")
        weights = trained(env)
        packing = str(folder / "packing.yaml")
        found = {
            "default profile": [scheduled(folder, seed, None) for seed in TESTING],
            "MostAllocated": [scheduled(folder, seed, packing) for seed in TESTING],
            "trained policy": [played(env, weights, seed) for seed in TESTING],
        }
    print(f"{'POLICY':<17}{'ALLOCATED':>9}")
    for name, values in found.items():
        print(f"{name:<17}{statistics.mean(values):8.1f}%")
    gained = statistics.mean(found["trained policy"]) - statistics.mean(found["default profile"])
    print(f"The trained policy allocates {gained:.1f} points more than the default profile.")


if __name__ == "__main__":
    main()
