"""Sampling, rotation and ties at scale: pod by pod what the real scheduler did."""

from __future__ import annotations

import random

import pytest

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import config, profiles
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cycle import Cycle
from kubestage.scheduler.handle import Handle
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.replay.cluster import ReplayCluster
from tests.golden import cases

BENCH = cases.HERE / "bench"
WORK = sorted(path.name.removesuffix(".placements.json.gz") for path in BENCH.glob("*.placements*"))


@pytest.mark.parametrize("name", WORK)
def test_placements_and_the_number_of_nodes_looked_at_are_the_real_ones(name: str) -> None:
    work = cases.read(BENCH / f"{name}.json.gz")
    recorded = cases.read(BENCH / f"{name}.placements.json.gz")
    cache, nominator, stream = Cache(), Nominator(), random.Random(0)
    cluster = ReplayCluster(work["objects"], cache)
    handle = Handle(cluster, cluster, nominator, stream, cache)
    profile = profiles.build(config.default(), handle)["default-scheduler"]
    for node in cluster.list("v1", "Node"):
        cache.add_node(node_views.of(node))
    cycle = Cycle(nominator, stream)
    placements = []
    for raw in cluster.list("v1", "Pod"):
        pod = pod_views.of(raw)
        attempt = cycle.schedule(profile, pod, cache.columns)
        placements.append([attempt.node_name, attempt.evaluated_count])
        if attempt.node_name is not None:
            cluster.bind(pod, attempt.node_name)
    assert placements == recorded


def test_there_is_work_of_every_shape() -> None:
    assert {name.split("-")[0] for name in WORK} == {"affinity", "basic", "mixed", "spread"}
