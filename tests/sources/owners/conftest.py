"""A cluster with a workload of every kind, and what a source may have of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

Placed = dict[str, tuple[Any, ...]]

_SET = """
apiVersion: apps/v1
kind: {kind}
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  {more}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      priorityClassName: high
      containers: [{{name: c, image: "{name}:1", resources: {{requests: {{cpu: 100m}}}}}}]
---
"""
_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}}}
spec:
  parallelism: 2
  completions: {completions}
  completionMode: {mode}
  template:
    spec: {{restartPolicy: Never, containers: [{{name: c, image: "job:1"}}]}}
---
"""
_REST = """
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: c, image: "tick:1"}]}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: c, image: "old:1"}]}
"""
MANIFESTS = "".join(
    [
        _SET.format(kind="Deployment", name="web", namespace="default", more="replicas: 4"),
        _SET.format(kind="Deployment", name="api", namespace="team", more="replicas: 3"),
        _SET.format(kind="StatefulSet", name="db", namespace="team", more="serviceName: db"),
        _SET.format(kind="DaemonSet", name="agent", namespace="default", more="minReadySeconds: 0"),
        _JOB.format(name="long", completions=4, mode="NonIndexed"),
        _JOB.format(name="indexed", completions=3, mode="Indexed"),
        _REST,
    ]
)
UPDATE = MANIFESTS.partition("---")[0].replace("web:1", "web:2")


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """All objects of the cluster after eleven minutes; a CronJob has run twice."""
    return lived(tmp_path_factory.mktemp("cluster"), "11m")


def lived(folder: pathlib.Path, run_for: str, at: str | None = None) -> list[Json]:
    """All objects of the cluster after some time; `at` is when a Deployment gets a new image."""
    (folder / "cluster.yaml").write_text(MANIFESTS)
    (folder / "update.yaml").write_text(UPDATE)
    later = () if at is None else (f"{at}={folder / 'update.yaml'}",)
    options = RunOptions(run_for=run_for, nodes=3, run_duration="4m", at=later, launch_delay="20s")
    store = run(folder / "cluster.yaml", options).stage.store
    every = (obj for row in store.kinds for obj in store.read(row).values())
    return [obj for obj in every if obj["kind"] != "Event"]


def placed(objects: list[Json]) -> Placed:
    """Where each pod is, and which pod it is."""
    pods = [each for each in objects if each["kind"] == "Pod"]
    return {
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}": (
            pod["metadata"]["uid"], pod["spec"].get("nodeName")
        )
        for pod in pods
    }  # fmt: skip


class Rerun:
    """Objects that were dumped, run once more."""

    def __init__(self, folder: pathlib.Path, objects: list[Json], run_for: str = "30s") -> None:
        dump = folder / "dump.json"
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        result = run(dump, RunOptions(run_for=run_for, run_duration="4m", launch_delay="20s"))
        store = result.stage.store
        self.notes = result.notes
        self.objects = [obj for row in store.kinds for obj in store.read(row).values()]
        self.placed = placed(self.objects)

    def find(self, kind: str, name: str) -> Json:
        """The object of this kind and name."""
        (found,) = (
            each
            for each in self.objects
            if (each["kind"], each["metadata"]["name"]) == (kind, name)
        )
        return found
