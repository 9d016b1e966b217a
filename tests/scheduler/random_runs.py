"""Random lives of a small cluster, and what must be true at every moment of them."""

from __future__ import annotations

import collections
import random
from typing import TYPE_CHECKING

from kubestage.objects import quantity
from kubestage.testing import make_pod, make_priority_class
from tests.scheduler.rehearsals import NODE, POD, Rehearsal

if TYPE_CHECKING:
    from kubestage.aliases import Json

NODES = {"n0": 2, "n1": 4, "n2": 4, "n3": 8}
CLASSES = ("low", "high")
ENDED = ("Succeeded", "Failed")


class RandomRun:
    """A cluster to which things happen by chance."""

    def __init__(self, seed: int, *, by_itself: bool = True) -> None:
        self.chance = random.Random(seed)
        self.run = Rehearsal(by_itself=by_itself, seed=seed)
        self.made = 0
        self.seconds = 0.0
        for value, name in enumerate(CLASSES):
            self.run.store.create(make_priority_class(name, value=value * 100))
        self.add_node()

    def step(self) -> None:
        """One thing happens, then some time passes."""
        happening = self.chance.choice(
            (self.add_pod, self.add_pod, self.add_pod, self.add_node, self.remove_node,
             self.delete_pod, self.end_pod, self.grow_old, self.open_gate)
        )  # fmt: skip
        happening()
        self.pass_time(self.chance.choice((0.0, 0.3, 1.0, 7.5)))

    def pass_time(self, seconds: float) -> None:
        self.seconds += seconds
        self.run.run(max(self.seconds, 1e-9))

    def add_pod(self) -> None:
        self.made += 1
        app = self.chance.choice("ab")
        pod = make_pod(
            f"p{self.made}",
            cpu=self.chance.choice(("500m", "1", "2", "5")),
            labels={"app": app},
            priority_class_name=self.chance.choice((None, *CLASSES)),
        )
        kind = self.chance.randrange(5)
        if kind == 0:
            pod["spec"]["schedulingGates"] = [{"name": "example.com/gate"}]
        elif kind == 1:
            pod["spec"]["affinity"] = _apart_from(app)
        if self.chance.random() < 0.5:
            pod["spec"]["terminationGracePeriodSeconds"] = 0
        self.run.store.create(pod)

    def add_node(self) -> None:
        missing = [name for name in NODES if name not in self.run.store.read(NODE)]
        if missing:
            name = self.chance.choice(missing)
            labels = {"kubernetes.io/hostname": name}
            self.run.add_node(name, cpu=str(NODES[name]), labels=labels)

    def remove_node(self) -> None:
        names = list(self.run.store.read(NODE))
        if names and self.chance.random() < 0.3:
            self.run.store.delete(NODE, self.chance.choice(names))

    def delete_pod(self) -> None:
        pods = list(self.run.store.read(POD).values())
        if pods:
            self.run.delete_pod(self.chance.choice(pods)["metadata"]["name"])

    def end_pod(self) -> None:
        for pod in list(self.run.store.read(POD).values()):
            running = pod["spec"].get("nodeName") and pod["status"].get("phase") not in ENDED
            if running and self.chance.random() < 0.5:
                status = {"status": {"phase": self.chance.choice(ENDED)}}
                name = pod["metadata"]["name"]
                self.run.store.patch(POD, name, status, "default", subresource="status")
                return

    def grow_old(self) -> None:
        self.pass_time(400)

    def open_gate(self) -> None:
        for pod in list(self.run.store.read(POD).values()):
            if pod["spec"].get("schedulingGates"):
                patch: Json = {"spec": {"schedulingGates": []}}
                self.run.store.patch(POD, pod["metadata"]["name"], patch, "default")
                return

    def check(self) -> None:
        """Nothing is over-committed, and every pod is in exactly one place."""
        taken: collections.Counter[str] = collections.Counter()
        places = collections.Counter(
            each.key for pods in self.run.scheduler.queue.pods().values() for each in pods
        )
        cache = self.run.scheduler.cache
        for key, pod in self.run.store.read(POD).items():
            node_name = pod["spec"].get("nodeName")
            if pod["status"].get("phase") in ENDED:
                assert places[key] == 0
                assert cache.node_of(pod["metadata"]["uid"]) is None
            elif node_name:
                assert places[key] == 0
                assert cache.node_of(pod["metadata"]["uid"]) == node_name
                requests = pod["spec"]["containers"][0]["resources"]["requests"]
                taken[node_name] += quantity.milli_value_of(requests["cpu"])
            else:
                assert cache.node_of(pod["metadata"]["uid"]) is None
                deleting = "deletionTimestamp" in pod["metadata"]
                assert places[key] == (0 if deleting else 1)
        assert set(places) <= set(self.run.store.read(POD))
        for name, amount in taken.items():
            assert amount <= NODES[name] * 1000
        columns = cache.columns
        used = dict(zip(columns.names, columns.requested_of("cpu").tolist(), strict=True))
        assert used == {name: taken[name] for name in columns.names}


def transcript(seed: int, steps: int = 60) -> bytes:
    """All that a run decided, wrote and counted."""
    life = RandomRun(seed)
    for _ in range(steps):
        life.step()
    events = [
        f"{key} {event['reason']} {event['message']}"
        for key, event in life.run.store.read(("v1", "Event")).items()
    ]
    scheduler = life.run.scheduler
    told = [scheduler.record.lines().decode(), *events, scheduler.metrics.exposition()]
    return "\n".join(told).encode()


def _apart_from(app: str) -> Json:
    term = {
        "labelSelector": {"matchLabels": {"app": app}},
        "topologyKey": "kubernetes.io/hostname",
    }
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
