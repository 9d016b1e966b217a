"""A small cluster with nothing but a kubelet, which tests play the scheduler of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.kubelet.loop import KubeletController
from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.controllers.runner import Runner
from kubestage.controllers.settings import Settings
from kubestage.sim.recorder import MemoryRecorder
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change


POD = ("v1", "Pod")
NODE = ("v1", "Node")
LEASE = ("coordination.k8s.io/v1", "Lease")


class Cluster:
    """Nodes and pods on a stage; times in tests count from the stage's beginning."""

    def __init__(self, *, seed: int = 0, **settings: Any) -> None:
        self.stage = Stage(seed)
        self.stage.environment.recorder = MemoryRecorder()
        self.store = self.stage.store
        kubelet = KubeletSettings(**settings)
        self.runner = Runner(
            self.store,
            self.stage.environment,
            self.stage.streams,
            [KubeletController],
            Settings(kubelet=kubelet),
        )
        self.writes: dict[str, int] = {}
        self.store.subscribe(self._count)
        self.runner.start()

    @property
    def kubelet(self) -> KubeletController:
        found = self.runner.controllers[0]
        assert isinstance(found, KubeletController)
        return found

    def _count(self, change: Change) -> None:
        old = change.old
        if change.kind.kind == "Pod" and old and old.get("status") is not change.new.get("status"):
            self.writes[change.key] = self.writes.get(change.key, 0) + 1

    def node(self, name: str = "n1", **parts: Any) -> Json:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        for part in ("annotations", "labels"):
            if part in parts:
                node["metadata"][part] = parts.pop(part)  # type: ignore[index] # a dict by now
        return self.store.load({**node, **parts})

    def pod(
        self,
        name: str = "web",
        *,
        on: str = "n1",
        annotations: dict[str, str] | None = None,
        containers: list[Json] | None = None,
        **spec: Any,
    ) -> Json:
        metadata: Json = {"name": name, "namespace": "default"}
        if annotations:
            metadata["annotations"] = {f"kubestage.dev/{k}": v for k, v in annotations.items()}
        given = containers or [{"name": "c", "image": "app:1"}]
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {"containers": given, **spec},
        }
        created = self.store.create(pod)
        if on:
            self.store.bind(name, "default", on)
        return created

    def run(self, duration: str) -> None:
        self.stage.run(duration)

    def delete(self, name: str = "web", grace: int | None = None) -> None:
        options = DeleteOptions(grace_period_seconds=grace)
        self.store.delete(POD, name, "default", options)

    def get(self, name: str = "web") -> Json | None:
        return self.store.read(POD).get(f"default/{name}")

    def status(self, name: str = "web") -> Json:
        status: Json = self.store.get(POD, name)["status"]
        return status

    def container(self, pod: str = "web", name: str = "c") -> Json:
        status = self.status(pod)
        every = [*status["containerStatuses"], *status.get("initContainerStatuses", ())]
        return next(each for each in every if each["name"] == name)

    def condition(self, kind: str, pod: str = "web") -> Json:
        return next(each for each in self.status(pod)["conditions"] if each["type"] == kind)

    def node_status(self, name: str = "n1") -> Json:
        status: Json = self.store.get(NODE, name)["status"]
        return status

    def lease(self, name: str = "n1") -> Json:
        return self.store.get(LEASE, name, "kube-node-lease")

    def events(self, about: str = "web") -> list[tuple[str, str]]:
        """Reason and message of the Events about an object, in order."""
        found = [
            event
            for event in self.store.read(("v1", "Event")).values()
            if event["involvedObject"]["name"] == about
        ]
        found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [(event["reason"], event["message"]) for event in found]

    def reasons(self, about: str = "web") -> list[str]:
        return [reason for reason, _ in self.events(about)]

    def movements(self, kind: str = "Pod") -> list[tuple[int, str, str]]:
        """Time in milliseconds, kind and target of each movement."""
        return [
            (done.occurs_at // 1_000_000, done.movement.kind, done.movement.to_stock.name)
            for done in self.stage.environment.completed_movements
            if done.entity.kind == kind
        ]


def at(seconds: int) -> str:
    """A time of the stage's first hour, as objects write it."""
    return f"2026-01-01T00:{seconds // 60:02d}:{seconds % 60:02d}Z"
