"""Worlds left to chance: workloads, requests, autoscalers, and what is done to them meanwhile."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from kubestage import Stage
from kubestage.aliases import Json
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node
from kubestage.traffic.requests import DISCIPLINES, ROUTINGS
from tests.traffic import stages

if TYPE_CHECKING:
    from collections.abc import Iterator

Happening = tuple[int, str, int, Json]
SECOND = 1_000_000_000
NODE = ("v1", "Node")
SERVICE = ("v1", "Service")
AUTOSCALER = ("autoscaling/v2", "HorizontalPodAutoscaler")
PATTERNS: list[Json] = [
    {"constant": {"rps": 7}},
    {"constant": {"rps": 2}},
    {"poisson": {"rps": 5}},
    {"step": {"rps": 6, "after": "5s", "arrivals": "Even"}},
    {"sinusoidal": {"amplitude": 4, "period": "30s"}},
    {"trace": {"csv": "time,rps\n0,3\n10,8\n25,0\n40,5", "repeat": True}},
    {"trace": {"csv": "arrival\n1\n1\n2.5\n7\n20\n33"}},
    {"sum": [{"ramp": {"delta": 1, "max": 6}}, {"constant": {"rps": 1}}]},
]
METRICS: list[Json] = [
    {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    },
    {
        "type": "Pods",
        "pods": {
            "metric": {"name": "requests_per_second"},
            "target": {"type": "AverageValue", "averageValue": "2"},
        },
    },
    {
        "type": "External",
        "external": {
            "metric": {"name": "response_time_p95_seconds"},
            "target": {"type": "Value", "value": "300m"},
        },
    },
]


def workload(uniform_left: random.Random) -> Json:
    """A Deployment whose pods may be slow to come and to go, or crash."""
    notes = {
        "launch_delay": uniform_left.choice(["1s", "4s", "exp(4s)"]),
        "terminate_delay": uniform_left.choice(["0s", "5s", "exp(3s)"]),
    }
    if uniform_left.random() < 0.3:
        notes |= {"run_duration": "30s", "exit_code": "1"}
    made = stages.deployment(uniform_left.randint(1, 4), **notes)
    if uniform_left.random() < 0.3:
        del made["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    return made


def requests(name: str, uniform_left: random.Random) -> Json:
    """A Traffic."""
    made = stages.traffic(
        uniform_left.choice(PATTERNS),
        target=uniform_left.choice(["Deployment", "Service"]),
        request={
            "cpu": uniform_left.choice(["100ms", "exp(100ms)", "0s", "1s"]),
            "io": uniform_left.choice(["0s", "exp(50ms)", "1s"]),
            "timeout": uniform_left.choice(["forever", "1s", "300ms"]),
        },
        routing=uniform_left.choice(ROUTINGS),
        service={
            "discipline": uniform_left.choice(DISCIPLINES),
            "maxRequests": uniform_left.choice([1, 5, 100]),
        },
    )
    made["metadata"] = {**made["metadata"], "name": name}
    return made


def autoscaler(uniform_left: random.Random) -> Json:
    """An autoscaler of the workload."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": target, "maxReplicas": 6, "metrics": [uniform_left.choice(METRICS)]}
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": AUTOSCALER[0], "kind": AUTOSCALER[1], "metadata": metadata, "spec": spec}


def service(chosen: str) -> Json:
    """A Service that selects the workload's pods, or none."""
    spec = {"selector": {"app": chosen}, "ports": [{"port": 80}]}
    metadata = {"name": "web", "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def happenings(uniform_left: random.Random) -> Iterator[Happening]:
    """When something is done, what, and what chance has to say about it."""
    times = sorted(uniform_left.choice([uniform_left.randint(5, 70) * 1000, 1]) for _ in range(6))
    kinds = [
        "scale", "roll", "kill", "evict", "select", "resize", "pattern", "delete", "anew",
        "silence", "silence",
    ]  # fmt: skip
    for at_ms in times:
        yield (
            at_ms,
            uniform_left.choice(kinds),
            uniform_left.randint(0, 4),
            requests("load", uniform_left),
        )


def happen(stage: Stage, what: str, number: int, traffic: Json) -> None:
    """Do something to a stage."""
    store, patch = stage.store, Json()
    pods = sorted(store.read(stages.POD))
    pod = pods[number % len(pods)].partition("/")[2] if pods else None
    if what == "scale":
        stages.scale(stage, number)
    elif what == "roll":
        patch = {"metadata": {"annotations": {"of": stage.now}}}
        store.patch(stages.DEPLOYMENT, "web", {"spec": {"template": patch}}, "default")
    elif what == "select":
        chosen = "web" if number % 2 else "other"
        store.patch(SERVICE, "web", {"spec": {"selector": {"app": chosen}}}, "default")
    elif what == "kill" and pod:
        store.delete(stages.POD, pod, "default", DeleteOptions(grace_period_seconds=number * 2))
    elif what == "evict" and pod:
        patch = {"status": {"phase": "Failed"}}
        store.patch(stages.POD, pod, patch, "default", subresource="status")
    elif what == "resize" and pod:
        limits = {"limits": {"cpu": f"{1000 + 300 * number}m"}}
        container = {"name": "web", "resources": limits}
        patch = {"spec": {"containers": [container]}}
        store.patch(stages.POD, pod, patch, "default", subresource="resize")
    elif what == "silence":
        notes = {"kubestage.dev/heartbeat": "stopped" if number % 4 else None}
        store.patch(NODE, f"node-{1 + number % 2}", {"metadata": {"annotations": notes}})
    elif what in ("pattern", "delete", "anew"):
        _change_traffic(stage, what, traffic)


def _change_traffic(stage: Stage, what: str, traffic: Json) -> None:
    known = stage.store.read(stages.TRAFFIC).get("default/load")
    if known is not None and what == "pattern":
        changed = {**known, "spec": {**known["spec"], "pattern": traffic["spec"]["pattern"]}}
        stage.store.update(changed)
    elif known is not None:
        stage.store.delete(stages.TRAFFIC, "load", "default")
    if what == "anew":
        stage.store.create(traffic)


def live(seed: int, *, traces: bool, cuts: bool) -> Stage:
    """A world 80 seconds after its begin; with `cuts` its time is cut up and it is forked."""
    uniform_left, knife = random.Random(seed), random.Random(seed)
    stage = Stage(seed=seed)
    stage.add_scheduler()
    stage.add_controllers(traces_requests=traces)
    stage.apply(
        [
            make_node("node-1", cpu="16", memory="64Gi"),
            make_node("node-2", cpu="16", memory="64Gi"),
            workload(uniform_left),
            service("web"),
        ]
    )
    stage.apply(
        [requests("load", uniform_left), requests("more", uniform_left), autoscaler(uniform_left)]
    )
    end: Happening = (80_000, "nothing", 0, {})
    for at_ms, what, number, traffic in [*happenings(uniform_left), end]:
        until_ns = at_ms * SECOND // 1000
        while cuts and until_ns - stage.clock.now_ns > 10 * SECOND:
            stage.run(knife.choice([3 * SECOND, knife.randint(1, 5 * SECOND)]))
            stage = stage.fork() if knife.random() < 0.2 else stage
        stage.run(until_ns - stage.clock.now_ns)
        happen(stage, what, number, traffic)
    return stage
