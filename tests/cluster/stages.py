"""Small stages as clusters, and those who listen to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.cluster import staging
from kubestage.cluster.access import Answer, Call, Page, Resource, WatchEvent
from kubestage.cluster.profile import INSTANT, Profile
from kubestage.cluster.staged import StagedCluster
from kubestage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

POD = Resource("v1", "Pod")
DEPLOYMENT = Resource("apps/v1", "Deployment")
MS = 1_000_000


class Heard:
    """What came back, in order."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.seen: list[WatchEvent] = []
        self.pages: list[Page] = []

    def answer(self, answer: Answer) -> None:
        self.answers.append(answer)

    def see(self, seen: WatchEvent) -> None:
        self.seen.append(seen)

    def page(self, page: Page) -> None:
        self.pages.append(page)

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(each.type, each.object["metadata"]["name"]) for each in self.seen]


class Every:
    """Does something again and again."""

    def __init__(
        self, cluster: StagedCluster, every_ns: int, times: int, act: Callable[[int], None]
    ) -> None:
        self._cluster, self._every_ns, self._times, self._act = cluster, every_ns, times, act
        self._done = 0
        cluster.moments.at(cluster.moments.now_ns, self._go)

    def _go(self) -> None:
        self._act(self._done)
        self._done += 1
        if self._done < self._times:
            self._cluster.moments.at(self._cluster.moments.now_ns + self._every_ns, self._go)


def empty(profile: Profile = INSTANT, seed: int = 1) -> tuple[Stage, StagedCluster]:
    """A stage on which nobody does anything."""
    stage = Stage(seed=seed)
    return stage, StagedCluster(stage.store, stage.environment, stage.streams, profile)


def alive(profile: Profile = INSTANT, nodes: int = 3, seed: int = 1) -> tuple[Stage, StagedCluster]:
    """A stage with nodes, a scheduler and controllers."""
    stage = Stage(seed=seed)
    settings, options = staging.stage_settings(profile)
    scheduler = stage.add_scheduler(**options)
    controllers = stage.add_controllers(settings)
    stage.load([node(f"node-{index}") for index in range(nodes)])
    cluster = StagedCluster(
        stage.store,
        stage.environment,
        stage.streams,
        profile,
        scheduler=scheduler,
        controllers=controllers,
        metrics=stage.metrics,
    )
    stage.run("1s")
    return stage, cluster


def node(name: str) -> dict[str, Any]:
    amounts = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def pod(name: str, **labels: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "pause"}]},
    }


def create(body: dict[str, Any], namespace: str = "default") -> Call:
    return Call(verb="create", resource=Resource.of(body), namespace=namespace, body=body)


def deployment(name: str, replicas: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": name}}, "spec": pod("")["spec"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": template,
        },
    }
