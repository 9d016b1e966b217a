"""Small scenarios for the tests of how scenarios are played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.replay.cluster import LabCluster
from kubestage.replay.operations import Operator
from kubestage.replay.scenario import KubeletMode, RecordedScenario, RecordedStep

if TYPE_CHECKING:
    from kubestage.aliases import Json


def make(
    *steps: RecordedStep,
    kubelet: KubeletMode = "serial",
    quiet: float = 0.35,
    topic: str = "replicaset",
    nodes: tuple[str, ...] = ("n1", "n2"),
) -> RecordedScenario:
    """A scenario of these steps."""
    return RecordedScenario(
        name="small",
        topic=topic,
        kubelet=kubelet,
        kubelet_quiet_seconds=quiet,
        nodes=list(nodes),
        steps=list(steps),
    )


def step(*operations: Json, **recorded: Any) -> RecordedStep:
    """A step of which nothing is recorded but what is given."""
    told = {"state": {}, "events": [], "trace": {}, **recorded}
    return RecordedStep(operation=list(operations), **told)


def create(manifest: Json) -> Json:
    """The operation that creates an object."""
    return {"op": "create", "manifest": manifest}


def pod(name: str, *, annotations: dict[str, str] | None = None, **spec: Any) -> Json:
    """A pod with one container."""
    metadata: Json = {"name": name, "labels": {"app": "web"}}
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [{"name": "c", "image": "app:v1"}], **spec},
    }


class Lab:
    """A cluster on which operations are done one by one."""

    def __init__(self, scenario: RecordedScenario | None = None) -> None:
        self.cluster = LabCluster(scenario or make())
        self.cluster.record.begin()
        self.operator = Operator(self.cluster)

    def do(self, **operation: Any) -> Json | None:
        """Do one operation; underscores in names stand for dashes in ``op`` only."""
        return self.operator.do(operation)

    def create(self, *manifests: Json) -> None:
        """Create objects that nobody refuses."""
        for manifest in manifests:
            assert self.operator.do(create(manifest)) is None

    def run(self, seconds: float) -> None:
        """Let time pass."""
        until_ns = self.cluster.clock.now_ns + round(seconds * 1_000_000_000)
        self.cluster.run_until(until_ns)

    def pod(self, name: str) -> Json:
        """A pod as it is now."""
        return self.cluster.store.get(("v1", "Pod"), name, self.cluster.namespace)

    def phases(self) -> dict[str, str]:
        """In which phase each pod is."""
        pods = self.cluster.store.list(("v1", "Pod"), self.cluster.namespace).items
        return {each["metadata"]["name"]: each["status"]["phase"] for each in pods}
