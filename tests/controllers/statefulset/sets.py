"""StatefulSets on small stages, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import testing
from kubestage.controllers.statefulset.loop import StatefulSetController
from tests.controllers import pod_hands
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


SET = ("apps/v1", "StatefulSet")
REVISION = ("apps/v1", "ControllerRevision")
CLAIM = ("v1", "PersistentVolumeClaim")


def make_set(replicas: int = 3, **spec: Any) -> Json:
    """A set named db."""
    made: Json = testing.make_stateful_set("db", replicas=replicas)
    made["spec"] |= spec
    return made


def claim_template(name: str = "data") -> Json:
    """A claim of one gibibyte."""
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": name}, "spec": spec}


def staged(*objects: Json) -> Stage:
    """A stage where only the loop of StatefulSets is at work."""
    stage = stage_with(StatefulSetController, objects=objects)
    stage.run(pod_hands.MOMENT_NS)
    return stage


def running(replicas: int = 3, **spec: Any) -> Stage:
    """A stage with a set whose pods are all ready."""
    stage = staged(make_set(replicas, **spec))
    pod_hands.work_until_quiet(stage)
    return stage


def patch(stage: Stage, **spec: Any) -> None:
    """Change a set's spec."""
    stage.store.patch(SET, "db", {"spec": spec})
    stage.run(pod_hands.MOMENT_NS)


def set_image(stage: Stage, image: str) -> None:
    """Give a set's pods another image."""
    template = stage.store.get(SET, "db")["spec"]["template"]
    containers = [{**template["spec"]["containers"][0], "image": image}]
    patch(stage, template={"spec": {"containers": containers}})


def status(stage: Stage) -> Json:
    """A set's status."""
    found: Json = stage.store.get(SET, "db")["status"]
    return found


def images(stage: Stage) -> dict[str, str]:
    """The pods by name, with their images."""
    return {
        name: pod["spec"]["containers"][0]["image"] for name, pod in pod_hands.pods(stage).items()
    }


def revisions(stage: Stage) -> dict[str, int]:
    """The revisions by name, with their numbers."""
    found = stage.store.list(REVISION).items
    return {each["metadata"]["name"]: each["revision"] for each in found}
