"""A sweep with effects, an interaction and two runs that fail, to be reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.sweep.rows import MeasureInfo, Scalar
from tests.sweep import tables

if TYPE_CHECKING:
    from kubestage.sweep.rows import Table

MEASURES = [
    MeasureInfo("cost", "less", "USD"),
    MeasureInfo("wait", "less", "s"),
    MeasureInfo("allocation.cpu", "more", "share"),
    MeasureInfo("nodesUsed"),
    MeasureInfo("pending", "less"),
]
TARGET = "hpa/web:spec.target"


def run(parameters: dict[str, Scalar], seed: int) -> tables.Measures | str:
    nodes, target = parameters["nodes"], parameters[TARGET]
    assert isinstance(nodes, int)
    assert isinstance(target, int)
    if nodes == 50 and target == 80 and seed == 3:
        return "the run failed: <b>no space</b>"
    shared = float(np.random.default_rng(seed).normal(0, 4))
    own = np.random.default_rng((seed, nodes, target)).normal(0, 1, 3)
    cost = 0.9 * nodes + 0.25 * (80 - target) + 0.3 * shared + 0.6 * own[0]
    wait = 60 - 0.8 * nodes + 0.4 * (target - 40) * (2 if nodes == 10 else 1) + shared + own[1]
    cost += 3 if parameters["config"] == "b.yaml" else 0
    allocated = 8 / nodes + 0.01 * own[2]
    return {
        "cost": float(cost),
        "wait": float(wait),
        "allocation.cpu": float(allocated),
        "nodesUsed": nodes,
        "pending": 0,
    }


def sweep(seeds: int = 8) -> Table:
    axes: dict[str, list[Scalar]] = {
        "nodes": [10, 20, 50], TARGET: [40, 60, 80], "config": ["a.yaml", "b.yaml"],
    }  # fmt: skip
    return tables.table(axes, range(seeds), run, MEASURES)
