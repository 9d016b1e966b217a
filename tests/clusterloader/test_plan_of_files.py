"""The plans of ClusterLoader2's own files are what those files are known to do."""

from __future__ import annotations

import pathlib
import random

import pytest

from kubestage.clusterloader import config_loading
from kubestage.clusterloader.plan import plan
from kubestage.measure.registry import METHODS
from kubestage.runs.load import source_files

FILES = pathlib.Path(__file__).parents[3] / "shared" / "data" / "clusterloader2"

pytestmark = pytest.mark.skipif(
    not FILES.is_dir(),
    reason="ClusterLoader2's files, never committed, are not beside the repository",
)


@pytest.mark.parametrize(
    ("name", "steps", "actions", "pods"),
    [
        ("pod-startup-latency", 8, 60, 30),
        ("node-throughput", 8, 200, 100),
        ("batch", 3, 338, 2640),
        ("scheduler-throughput", 5, 10_000, 5_000),
        ("density", 14, 1_002, 3_500),
        ("load", 29, 2_961, 4_100),
    ],
)
def test_steps_actions_and_pods_of_a_hundred_nodes(
    name: str, steps: int, actions: int, pods: int
) -> None:
    folder, main = source_files.beside(FILES / name / "config.yaml", FILES)
    parameters = config_loading.Parameters(nodes=100)
    loaded = config_loading.load(main, folder, parameters, methods=METHODS, random=random.Random(1))
    made = plan(loaded.config, loaded.templates, loaded.mapping, nodes=100)
    assert made.problems == ()
    assert (len(made.steps), sum(step.actions for step in made.steps)) == (steps, actions)
    assert made.peak_pods == pods
