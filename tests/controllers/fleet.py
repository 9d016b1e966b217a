"""A stage whose pods live and die as a test says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers import ownership, pods
from kubestage.controllers.deployment.loop import DeploymentController
from kubestage.controllers.replicaset.loop import ReplicaSetController
from kubestage.controllers.replication import ReplicationController
from kubestage.store.deletion import DeleteOptions
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change


POD: Final = ("v1", "Pod")
REPLICA_SET: Final = ("apps/v1", "ReplicaSet")
DEPLOYMENT: Final = ("apps/v1", "Deployment")

_NOW: Final = DeleteOptions(grace_period_seconds=0)
_LOOPS: Final = (ReplicaSetController, ReplicationController, DeploymentController)


class Fleet:
    """Objects, the loops at work on them, and a hand on every pod."""

    def __init__(self, *objects: Json) -> None:
        self.stage = stage_with(*_LOOPS)
        self.store = self.stage.store
        assert self.stage.controllers is not None
        self.runner = self.stage.controllers
        for obj in objects:
            self.create(obj)

    def create(self, obj: Json) -> Json:
        """Create an object and let the loops react."""
        created = self.store.create(obj)
        self.react()
        return created

    def react(self) -> None:
        """Let the loops do what they do at once."""
        self.stage.run(2)

    def patch(self, kind: tuple[str, str], name: str, patch: Any, **options: Any) -> None:
        """Change an object and let the loops react."""
        self.store.patch(kind, name, patch, **options)
        self.react()

    def get(self, kind: tuple[str, str], name: str) -> Json:
        """An object as it is now."""
        return self.store.get(kind, name)

    def replica_sets(self) -> list[Json]:
        """All ReplicaSets, by revision, then name."""
        return sorted(self.store.list(REPLICA_SET).items, key=_revision)

    def sizes(self) -> list[int]:
        """How large the ReplicaSets are to be, by revision."""
        return [each["spec"]["replicas"] for each in self.replica_sets()]

    def pods(self, owner: Json | None = None) -> list[Json]:
        """Active pods, the oldest first; of one owner, or all."""
        found = [pod for pod in self.store.list(POD).items if pods.is_active(pod)]
        found.sort(key=lambda pod: int(pod["metadata"]["resourceVersion"]))
        return [pod for pod in found if owner is None or ownership.is_controlled_by(pod, owner)]

    def bind(self, pod: Json, node: str = "n1") -> None:
        """Assign a pod to a node."""
        self.store.bind(pod["metadata"]["name"], pod["metadata"]["namespace"], node)
        self.react()

    def start(self, pod: Json, *, ready: bool = True) -> None:
        """Have a pod run, on a node, ready or not."""
        metadata = pod["metadata"]
        key = f"{metadata['namespace']}/{metadata['name']}"
        if not self.store.read(POD)[key]["spec"].get("nodeName"):
            self.store.bind(metadata["name"], metadata["namespace"], "n1")
        known = dict(self.store.read(POD)[key].get("status") or {})
        condition = {
            "type": "Ready",
            "status": "True" if ready else "False",
            "lastTransitionTime": self.stage.now,
        }
        known |= {"phase": "Running", "conditions": [condition]}
        self.store.record_status(POD, key, known)
        self.react()

    def start_all(self) -> None:
        """Have all pods run and be ready, one after another, new ones too, until none is left."""
        while waiting := [pod for pod in self.pods() if not pods.is_ready(pod)]:
            self.start(waiting[0])
            self.end_terminating()

    def end(self, pod: Json, phase: str = "Failed") -> None:
        """Have a pod run to its end."""
        key = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        known = self.store.read(POD)[key].get("status") or {}
        self.store.record_status(POD, key, {**known, "phase": phase, "conditions": []})
        self.react()

    def end_terminating(self) -> None:
        """Have all pods go that are about to."""
        for pod in self.store.list(POD).items:
            if pods.is_terminating(pod):
                metadata = pod["metadata"]
                self.store.delete(POD, metadata["name"], metadata["namespace"], _NOW)
                self.react()

    def poke(self) -> None:
        """Have the loops look at everything again."""
        for controller in self.runner.controllers:
            for kind in (REPLICA_SET, DEPLOYMENT, ("v1", "ReplicationController")):
                if _handles(controller, kind):
                    for key in self.store.read(kind):
                        controller.queue.add(key)
        self.react()


class Changes:
    """Remembers changes of a kind."""

    def __init__(self, fleet: Fleet, kind: str) -> None:
        self.seen: list[Change] = []
        self._kind = kind
        fleet.store.subscribe(self._note)

    def _note(self, change: Change) -> None:
        if change.kind.kind == self._kind:
            self.seen.append(change)


def _handles(controller: object, kind: tuple[str, str]) -> bool:
    if isinstance(controller, DeploymentController):
        return kind == DEPLOYMENT
    assert isinstance(controller, ReplicaSetController)
    return kind == controller.kind


def _revision(replica_set: Json) -> tuple[int, str]:
    metadata = replica_set["metadata"]
    text = (metadata.get("annotations") or {}).get("deployment.kubernetes.io/revision", "0")
    return int(text), metadata["name"]
