"""Inputs of searches, and the engine that tests use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import yaml_text
from kubestage.runs.observer import SILENT
from kubestage.sweep.worst import bounds, limits, start
from kubestage.sweep.worst.options import WorstOptions
from kubestage.testing import make_deployment, make_node, make_pod, make_priority_class

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.sweep.worst.limits import Limits
    from kubestage.sweep.worst.start import Start


def create(obj: Json, step: int = 0) -> Json:
    return {"step": step, "operation": "Create", "createOperation": {"object": obj}}


def scenario(*events: Json) -> Json:
    return {
        "apiVersion": "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "start"},
        "spec": {"events": [*events]},
    }


def reference(kind: str, name: str, namespace: str | None = None) -> Json:
    version = {"Node": "v1", "Deployment": "apps/v1"}[kind]
    metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    return {"typeMeta": {"apiVersion": version, "kind": kind}, "objectMeta": metadata}


def job(name: str) -> Json:
    pod = make_pod("task", cpu="250m")
    spec = {**pod["spec"], "restartPolicy": "Never"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"parallelism": 2, "completions": 2, "template": {"spec": spec}},
    }


def traffic(pattern: Json) -> Json:
    """Requests to the Deployment web."""
    target = {"kind": "Deployment", "name": "web"}
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "Traffic",
        "metadata": {"name": "waves"},
        "spec": {"target": target, "pattern": pattern, "request": {"cpu": "200ms", "io": "50ms"}},
    }


def rich() -> Json:
    """A Scenario with much that mutations must not break."""
    web = make_deployment("web", replicas=3, cpu="500m", memory="256Mi")
    web["metadata"]["namespace"] = "shop"
    scale = {**reference("Deployment", "web", "shop"), "patch": '{"spec": {"replicas": 1}}'}
    gpu = make_pod(
        "gpu", requests={"cpu": "1", "nvidia.com/gpu": "1"}, limits={"nvidia.com/gpu": "1"}
    )
    nodes = [
        make_node(f"node-{at}", memory="8Gi", resources={"nvidia.com/gpu": "2"})
        for at in range(1, 4)
    ]
    return scenario(
        *(create(node) for node in nodes),
        create(make_priority_class("high", 1000)),
        create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}, 1),
        create(make_pod("plain", cpu="1", memory="1Gi"), 1),
        create(make_pod("exact", requests={"cpu": "1"}, limits={"cpu": "1"}), 1),
        create(make_pod("bound", cpu="500m", limits={"cpu": "600m", "memory": "1Gi"}), 1),
        create(gpu, 1),
        create(web, 2),
        create(job("batch"), 2),
        create(make_priority_class("low", -10), 2),
        create(make_pod("late", cpu="2", priority_class_name="low"), 3),
        {"step": 3, "operation": "Delete", "deleteOperation": reference("Node", "node-3")},
        {"step": 4, "operation": "Patch", "patchOperation": scale},
    )


def packing(pods: int = 6) -> list[Json]:
    """Nodes and pods of equal size."""
    nodes = [make_node(f"node-{at}", cpu="4", memory="16Gi") for at in range(1, 4)]
    return [*nodes, *(make_pod(f"pod-{at}", cpu="1") for at in range(1, pods + 1))]


def write(folder: pathlib.Path, *objects: Json, name: str = "start.yaml") -> str:
    file = folder / name
    file.write_text("---\n".join(map(yaml_text.dump, objects)))
    return str(file)


def configuration(folder: pathlib.Path, strategy: str) -> str:
    """A configuration that scores nodes by this strategy."""
    arguments = {"scoringStrategy": {"type": strategy, "resources": [{"name": "cpu", "weight": 1}]}}
    profile = {"pluginConfig": [{"name": "NodeResourcesFit", "args": arguments}]}
    return write(
        folder,
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [profile],
        },
        name=f"{strategy}.yaml",
    )


def begin(
    folder: pathlib.Path, *objects: Json, settings: tuple[str, ...] = (), run_for: str | None = None
) -> tuple[Start, Limits]:
    """The start of a search, and its limits."""
    options = WorstOptions(maximise="pending", run_for=run_for)
    found = start.read([write(folder, *objects)], options, SILENT)
    return found, limits.resolve(bounds.read(None, settings), found.case, found.living_ns)
