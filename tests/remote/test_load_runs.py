"""Whole loads in real time against a served stage: created, limited, interrupted, cleaned up."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

from kubestage.cluster.clients import Clients
from kubestage.clusterloader import config
from kubestage.clusterloader.config import Mention, Step
from kubestage.clusterloader.run import LoadRun, Work
from kubestage.measure.facilities import Facilities
from kubestage.measure.measurements import Measurements
from kubestage.measure.registry import Registry
from kubestage.sim.streams import Streams
from kubestage.units import SECOND_NS
from tests.clusterloader import loads
from tests.remote.asking import CONFIG_MAP, NAMESPACE, Watching, ask, done

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.cluster.access import Cluster
    from kubestage.remote.cluster import RemoteCluster

QPS = 100


def deployment(filled: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A Deployment of three small pods."""
    labels = {"app": str(filled["Name"]), "group": "small"}
    container = {"name": "main", "image": "pause", "resources": {"requests": {"cpu": "1m"}}}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "x", "labels": labels},
            "spec": {
                "replicas": 3,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
    ]


def begun(
    cluster: Cluster,
    prefix: str,
    *steps: Step,
    number: int = 1,
    qps: float = QPS,
    keep: bool = False,
) -> LoadRun:
    """A load that has begun; looking until its namespaces are gone takes five seconds."""
    loaded = config.Config(
        steps=steps,
        name="real",
        tuning_sets=(config.TuningSet("fast", config.QpsLoad(qps)),),
        namespaces=config.Namespaces(number, prefix, delete_automanaged=not keep),
    )
    streams = Streams(1)
    templates = loads.Templates(config_map=loads.config_map, deployment=deployment)
    measurements = Measurements(Registry(), cluster, streams, Facilities(nodes=2))
    run = LoadRun(Work(loaded, templates, {}), cluster, measurements, streams)
    run.start()
    return run


def finish(cluster: RemoteCluster, run: LoadRun) -> LoadRun:
    """Let a load go on to its end."""
    cluster.run(lambda: run.is_over)
    return run


def phase(replicas: int, path: str = "config_map", last: int = 1) -> config.Phase:
    """A phase over the first namespaces."""
    where = config.NamespaceRange(1, last)
    return config.Phase((loads.spec(path),), replicas, "fast", namespace_range=where)


def test_everything_is_created_as_fast_as_asked_and_nothing_is_left_behind(
    cluster: RemoteCluster,
) -> None:
    watching = Watching(cluster, CONFIG_MAP).synced()
    run = finish(cluster, begun(cluster, "whole", Step(phases=(phase(30, last=2),)), number=2))

    made = [
        (seen.object["metadata"]["namespace"], seen.object["metadata"]["name"])
        for seen in watching.told
        if seen.type == "ADDED" and seen.object["metadata"]["namespace"].startswith("whole-")
    ]
    assert run.result.passed, run.result.errors
    assert sorted(each for each in made if each[1].startswith("config-map-")) == sorted(
        (f"whole-{where}", f"config-map-{number}") for where in (1, 2) for number in range(30)
    )
    assert _left(cluster, "whole") == []
    # Never faster than asked: each begins no sooner than its place in the line says.
    sent_ns = sorted(_sent(run, "ConfigMap"))
    assert len(sent_ns) == 60
    assert all(
        at_ns - sent_ns[0] >= number * SECOND_NS // QPS - SECOND_NS // QPS
        for number, at_ns in enumerate(sent_ns)
    )


def test_clients_hold_back_what_is_above_their_limit(cluster: RemoteCluster) -> None:
    clients = Clients(cluster, 1, qps=50, burst=1)
    run = finish(cluster, begun(clients, "held", Step(phases=(phase(40),)), qps=1000, keep=True))
    assert run.result.passed, run.result.errors
    sent_ns = sorted(run.result.calls.sent_ns)
    assert sent_ns[-1] - sent_ns[0] >= (len(sent_ns) - 2) * SECOND_NS // 50


def test_pods_of_real_controllers_are_waited_for_and_measured(cluster: RemoteCluster) -> None:
    watched = {"apiVersion": "apps/v1", "kind": "Deployment", "labelSelector": "group = small"}
    start = (
        Mention("WaitForControlledPodsRunning", "pods", {"action": "start", **watched}),
        Mention("PodStartupLatency", "latency", {"action": "start", "threshold": "60s"}),
    )
    gather = Mention("WaitForControlledPodsRunning", "pods", {"action": "gather", **watched})
    latency = Mention("PodStartupLatency", "latency", {"action": "gather", "threshold": "60s"})
    run = finish(
        cluster,
        begun(
            cluster,
            "pods",
            Step(measurements=start),
            Step(phases=(phase(2, "deployment"),)),
            Step(measurements=(gather,)),
            Step(measurements=(latency,)),
            keep=True,
        ),
    )
    assert run.result.passed, run.result.errors
    verdict = next(found for _, found in run.result.verdicts() if "p99" in found.name.lower())
    assert verdict.samples == 6


def test_an_interrupted_load_begins_nothing_more_and_takes_away_what_it_made(
    cluster: RemoteCluster,
) -> None:
    run = begun(cluster, "broken", Step(phases=(phase(10_000),)))

    def interrupt(*_: object) -> None:
        cluster.interrupt(run.interrupt)

    def press() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        cluster.moments.at(cluster.moments.now_ns + SECOND_NS // 2, press)
        finish(cluster, run)
    finally:
        signal.signal(signal.SIGINT, before)

    assert run.result.is_interrupted
    assert 0 < len(_sent(run, "ConfigMap")) < 10_000
    assert _left(cluster, "broken") == []


def _left(cluster: RemoteCluster, prefix: str) -> list[str]:
    """What is left of the namespaces of a load, and in them."""
    found = done(ask(cluster, "list", NAMESPACE))["items"]
    found += done(ask(cluster, "list", CONFIG_MAP))["items"]
    names = [f"{_meta(each).get('namespace', '')}/{_meta(each)['name']}" for each in found]
    return [name for name in names if name.lstrip("/").startswith(f"{prefix}-")]


def _meta(obj: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = obj["metadata"]
    return found


def _sent(run: LoadRun, kind: str) -> list[int]:
    log = run.result.calls
    rows = zip(log.sent_ns, log.verbs, log.kinds, strict=True)
    return [at_ns for at_ns, verb, found in rows if (verb, found) == ("create", kind)]
