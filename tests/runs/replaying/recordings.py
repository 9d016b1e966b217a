"""A cluster that was recorded for ten minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.sources import folder
from kubestage.sources.imported import Imported, Origin
from kubestage.stage import Stage
from kubestage.units import SECOND_NS
from tests.sources.intent.recorded import Recorder

if TYPE_CHECKING:
    import pathlib

NODE = ("v1", "Node")
DEPLOYMENT = ("apps/v1", "Deployment")


def _node(name: str, cpu: str = "4") -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "status": {"allocatable": {"cpu": cpu, "memory": "16Gi", "pods": "110"}},
    }  # fmt: skip


def _spec(image: str = "i:1") -> dict[str, Any]:
    resources = {"requests": {"cpu": "500m", "memory": "1Gi"}}
    return {"containers": [{"name": "c", "image": image, "resources": resources}]}


def _deployment(name: str, replicas: int) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": _spec()}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec,
    }  # fmt: skip


def _job(name: str) -> dict[str, Any]:
    spec = {**_spec(), "restartPolicy": "Never"}
    template = {"metadata": {"annotations": {"kubestage.dev/run-duration": "45s"}}, "spec": spec}
    return {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"template": template},
    }  # fmt: skip


PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {score: {disabled: [{name: PodTopologySpread}]}}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 100}]}}
"""


def make(place: pathlib.Path, configuration: str | None = None, tie_break: str = "heap") -> str:
    """Half an hour in which a person scales, deploys, drains nothing and loses a node."""
    stage = Stage(3, start="2026-03-01T08:00:00Z")
    stage.add_scheduler(configuration, tie_break=tie_break)
    stage.add_controllers()
    stage.apply([_node(f"n{number}") for number in range(6)])
    stage.apply([_deployment("web", 3)])
    stage.run(120 * SECOND_NS)
    recorder = Recorder(stage)
    stage.apply([_deployment("api", 4), _job("report")])
    stage.run(300 * SECOND_NS)
    stage.store.patch(DEPLOYMENT, "web", {"spec": {"replicas": 8}}, "default")
    stage.run(300 * SECOND_NS)
    stage.store.patch(NODE, "n1", {"spec": {"unschedulable": True}})
    stage.store.patch(DEPLOYMENT, "api", {"spec": {"template": {"spec": _spec("i:2")}}}, "default")
    stage.run(600 * SECOND_NS)
    imported = Imported(recorder.objects, recorder.changes)
    imported.origins.append(Origin(source="stage", format="test"))
    folder.write(imported, str(place))
    return str(place)
