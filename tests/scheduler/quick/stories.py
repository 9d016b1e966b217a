"""Random stories of a cluster, told in several ways that must not differ in anything."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any
from unittest import mock

from hypothesis import strategies as st

from kubestage.objects.views.node import ZONE_LABEL
from kubestage.scheduler.pod_counters import PodCounters
from kubestage.scheduler.quick import kernels
from kubestage.scheduler.record import Recording
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod, make_priority_class, make_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.scheduler.scheduler import Scheduler


POD = ("v1", "Pod")
NODE = ("v1", "Node")
HOST = "kubernetes.io/hostname"
NOW = DeleteOptions(grace_period_seconds=0)
PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 3}, {name: memory, weight: 1}]
"""
TWO_PROFILES = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint: {enabled: [{name: NodeAffinity, weight: 5}, {name: PodTopologySpread, weight: 7}]}
- schedulerName: second
  percentageOfNodesToScore: 30
  plugins: {score: {disabled: [{name: ImageLocality}, {name: TaintToleration}]}}
  pluginConfig:
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 40}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - {maxSkew: 2, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}
"""
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def term(app: str, key: str) -> Json:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def spread(app: str, key: str, when: str, skew: int = 1, **more: Any) -> Json:
    selector = {"matchLabels": {"app": app}}
    return {
        "maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": selector,
        **more,
    }  # fmt: skip


def apart(app: str, key: str) -> Json:
    return {"podAntiAffinity": {REQUIRED: [term(app, key)]}}


def together(app: str, key: str) -> Json:
    return {"podAffinity": {REQUIRED: [term(app, key)]}}


def preferring(kind: str, app: str, key: str, weight: int) -> Json:
    return {kind: {PREFERRED: [{"podAffinityTerm": term(app, key), "weight": weight}]}}


PLAIN: list[Json] = [
    {"cpu": "100m", "memory": "128Mi"},
    {"cpu": "1"},
    {"memory": "2Gi", "labels": {"app": "web"}},
    {"cpu": "250m", "node_selector": {"disk": "ssd"}},
    {"cpu": "100m", "tolerations": [{"key": "gpu", "operator": "Exists"}]},
    {"cpu": "500m", "image": "registry.example/large:1"},
    {"cpu": "3", "priority_class_name": "high"},
    {},
    # As others, but for what a template does not tell: labels, a volume, a resource.
    {"cpu": "1", "labels": {"app": "web"}},
    {"cpu": "1", "labels": {"app": "db"}},
    {
        "cpu": "1",
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "missing"}}],
    },
    {"cpu": "1", "volumes": [{"name": "tmp", "emptyDir": {}}]},
    {"limits": {"example.com/gpu": "1"}},
    {"cpu": "50m", "host_ports": [8080]},
]
POD_AWARE: list[Json] = [
    {"cpu": "200m", "labels": {"app": "db"}, "affinity": apart("db", HOST)},
    {"cpu": "100m", "labels": {"app": "db"}, "affinity": apart("web", ZONE_LABEL)},
    {"cpu": "100m", "labels": {"app": "web"}, "affinity": together("web", ZONE_LABEL)},
    {"cpu": "50m", "labels": {"app": "near"}, "affinity": together("db", HOST)},
    {
        "cpu": "100m",
        "labels": {"app": "web"},
        "affinity": preferring("podAffinity", "db", ZONE_LABEL, 10),
    },
    {
        "cpu": "100m",
        "labels": {"app": "web"},
        "affinity": preferring("podAntiAffinity", "web", HOST, 40),
    },
    {
        "cpu": "100m",
        "labels": {"app": "web"},
        "topology_spread_constraints": [
            spread("web", ZONE_LABEL, "DoNotSchedule"),
            spread("web", HOST, "ScheduleAnyway"),
        ],
    },
    {
        "cpu": "100m",
        "labels": {"app": "db"},
        "node_selector": {"disk": "ssd"},
        "topology_spread_constraints": [
            spread("db", ZONE_LABEL, "ScheduleAnyway", 2),
            spread("db", HOST, "DoNotSchedule", 2, minDomains=3),
        ],
    },
    {
        "cpu": "150m",
        "labels": {"app": "web"},
        "topology_spread_constraints": [
            spread("web", ZONE_LABEL, "ScheduleAnyway", nodeTaintsPolicy="Honor")
        ],
    },
    {
        "cpu": "70m",
        "labels": {"app": "shy"},
        "affinity": {
            "podAntiAffinity": {
                REQUIRED: [
                    {**term("web", HOST), "namespaceSelector": {"matchLabels": {"team": "a"}}}
                ]
            }
        },
    },
    {
        "cpu": "80m",
        "labels": {"app": "web"},
        "topology_spread_constraints": [
            spread("web", ZONE_LABEL, "ScheduleAnyway", 3),
            spread("web", HOST, "ScheduleAnyway"),
        ],
    },
    {
        "cpu": "90m",
        "labels": {"app": "few"},
        "topology_spread_constraints": [
            spread("few", ZONE_LABEL, "DoNotSchedule", 3, minDomains=5)
        ],
    },
    {
        "cpu": "150m",
        "labels": {"app": "web"},
        "affinity": {
            "nodeAffinity": {
                PREFERRED: [
                    {
                        "weight": 30,
                        "preference": {
                            "matchExpressions": [
                                {"key": "disk", "operator": "In", "values": ["ssd"]}
                            ]
                        },
                    }
                ]
            }
        },
    },
    {"cpu": "120m", "labels": {"app": "web"}, "owner": True},
    {"cpu": "60m", "labels": {"app": "web"}, "scheduler_name": "second"},
    {
        "cpu": "60m",
        "labels": {"app": "web"},
        "affinity": together("web", ZONE_LABEL),
        "scheduler_name": "second",
    },
]
TEMPLATES = [*PLAIN, *POD_AWARE]


def node(number: int) -> Json:
    """Nodes differ in size, zone, disk, taints and images; some lack a zone."""
    labels = {HOST: f"n{number}"} | ({"disk": "ssd"} if number % 2 else {})
    if number % 7 != 6:
        labels[ZONE_LABEL] = f"z{number % 3}"
    taints = [{"key": "gpu", "effect": "NoSchedule"}] if number % 5 == 4 else []
    if number % 4 == 3:
        taints.append({"key": "old", "effect": "PreferNoSchedule"})
    made = make_node(f"n{number}", cpu=str(2 + number % 3), memory="8Gi", labels=labels)
    if number % 6 == 1:
        for amounts in ("capacity", "allocatable"):
            made["status"][amounts] = {**made["status"][amounts], "example.com/gpu": "2"}
    made["spec"] = {"taints": taints} if taints else {}
    if number % 3 == 0:
        image = {"names": ["registry.example/large:1"], "sizeBytes": 800_000_000}
        made["status"]["images"] = [image]
    return made


def replica_set() -> Json:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "app:1"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
    }


HAPPENINGS = (
    "pods", "pods", "pods", "mix", "mix", "mix", "lone",
    "delete", "node", "gone", "service", "team",
)  # fmt: skip
# What somebody does between attempts, by a number that says with which object.
STEPS = st.lists(
    st.tuples(st.sampled_from(HAPPENINGS), st.integers(0, 400)), min_size=3, max_size=14
)


class World:
    """A cluster to which things happen."""

    def __init__(self, configuration: str | None, nodes: int, **parts: Any) -> None:
        self.stage = Stage(seed=1)
        self.scheduler = self.stage.add_scheduler(
            configuration, recording=Recording.DECISIONS, **parts
        )
        self.stage.load([make_priority_class("high", 1000), *map(node, range(nodes))])
        self.owner = self.stage.store.create(replica_set())
        self.made = 0

    def make(self, template: Json) -> None:
        """Create a pod."""
        self.made += 1
        owner = {"owner": self.owner} if "owner" in template else {}
        self.stage.store.create(make_pod(f"p{self.made}", **{**template, **owner}))

    def do(self, what: str, number: int) -> None:
        """Something happens."""
        store = self.stage.store
        pods, nodes = list(store.read(POD)), list(store.read(NODE))
        if what == "pods":
            for _ in range(1 + number % 7):
                self.make(TEMPLATES[number % len(TEMPLATES)])
        elif what == "mix":
            for at in range(24):
                self.make(TEMPLATES[(number + at % 4 * (1 + number % 3)) % len(TEMPLATES)])
        elif what == "lone":
            for at in range(4):
                labels = {"app": "web", "own": f"{number}-{at}"}
                self.make({"cpu": "100m", "labels": labels})
        elif what == "delete" and pods:
            namespace, name = pods[number % len(pods)].split("/")
            store.delete(POD, name, namespace, NOW)
        elif what == "node" and nodes:
            labels = {"disk": "ssd", "x": str(number)} | ({ZONE_LABEL: "z9"} if number % 2 else {})
            store.patch(NODE, nodes[number % len(nodes)], {"metadata": {"labels": labels}})
        elif what == "gone" and len(nodes) > 1:
            store.delete(NODE, nodes[number % len(nodes)], None, NOW)
        elif what == "team":
            team = {"metadata": {"labels": {"team": "ab"[number % 2]}}}
            store.patch(("v1", "Namespace"), "default", team)
        elif what == "service":
            self.made += 1
            store.create(make_service(f"s{self.made}", selector={"app": "web"}))

    def told(self) -> tuple[Any, ...]:
        """All that can be seen of it."""
        store, scheduler = self.stage.store, self.scheduler
        objects = {
            kind: dict(store.read(("v1", kind))) for kind in ("Pod", "Event", "Node", "Service")
        }
        columns = scheduler.cache.columns
        fresh = PodCounters(columns)
        for question, counter in columns.counters.all.items():
            assert counter.counts.tolist() == fresh.answer(question).counts.tolist()
            assert counter.placed == fresh.answer(question).placed
        return (
            scheduler.record.decisions,
            objects,
            scheduler.metrics.exposition(),
            columns.names,
            columns.resources.requested.tolist(),
            columns.resources.nonzero.tolist(),
            columns.resources.free.tolist(),
            [list(info.pods) for info in columns.infos],
            scheduler._cycle.next_start,
        )


def by_lane(scheduler: Scheduler) -> None:
    scheduler.run_until_idle()


def step_by_step(scheduler: Scheduler) -> None:
    while scheduler.schedule_next():
        pass


def ordinarily(scheduler: Scheduler) -> None:
    while scheduler.schedule_one() is not None:
        pass


@contextlib.contextmanager
def compiled(are_used: bool) -> Iterator[None]:
    """With the compiled kernels from the first pod on, or without them."""
    chosen = kernels.Compiled(1 if are_used else 1 << 62)
    with mock.patch.object(kernels, "COMPILED", chosen):
        yield


def story(steps: list[tuple[str, int]], world: World, run: Any) -> tuple[Any, ...]:
    """What becomes of a world to which things happen."""
    for what, number in steps:
        world.do(what, number)
        run(world.scheduler)
    return world.told()
