"""A cluster whose containers run modelled programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import Stage
from kubestage.controllers.kubelet.loop import KubeletController
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = ("v1", "Pod")


def pod(name: str, *words: str, policy: str = "Never", image: str = "busybox", **more: Any) -> Json:
    made = make_pod(name)
    container = made["spec"]["containers"][0]
    container |= {"name": "main", "image": image, **more}
    if words:
        container["command"] = list(words)
    made["spec"]["restartPolicy"] = policy
    return made


class Cluster:
    """A node, and the pods on it."""

    def __init__(self, *objects: Json) -> None:
        self.stage = Stage()
        self.stage.add_scheduler()
        self.stage.add_controllers()
        self.stage.apply([make_node("n1", cpu="64"), *objects])

    @property
    def kubelet(self) -> KubeletController:
        runner = self.stage.controllers
        assert runner is not None
        found = next(each for each in runner.controllers if each.name == "kubelet")
        assert isinstance(found, KubeletController)
        return found

    def run(self, time: str) -> Cluster:
        self.stage.run(time)
        return self

    def status(self, name: str) -> Json:
        found: Json = self.stage.store.get(POD, name)["status"]
        return found

    def container(self, name: str) -> Json:
        found: Json = self.status(name)["containerStatuses"][0]
        return found

    def log(self, name: str, container: str = "main", *, is_previous: bool = False) -> str:
        process = self.kubelet.inside.process(self.uid(name), container, is_previous)
        assert process is not None
        return b"".join(each.data for each in process.log).decode()

    def execute(self, name: str, *words: str) -> tuple[str, int]:
        found = self.kubelet.inside.execute(self.uid(name), "main", list(words))
        assert found is not None
        return (found[0] + found[1]).decode(), found[2]

    def uid(self, name: str) -> str:
        return str(self.stage.store.get(POD, name)["metadata"]["uid"])

    def reasons(self) -> list[str]:
        return [each["reason"] for each in self.stage.store.list(("v1", "Event")).items]
