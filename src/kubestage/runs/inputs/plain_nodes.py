"""Nodes for those who bring none: so many, all alike, in three zones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import locator, manifest
from kubestage.runs.inputs import manifests, node_shape, stage_inputs
from kubestage.scenario import resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.node_shape import NodeShape


NO_NODES: Final = (
    "there are no nodes, so no pod can be scheduled; add --nodes 5, or a file with nodes: "
    "`kubestage examples` has some"
)
_OPTION: Final = "--nodes"
_ZONES: Final = ("zone-a", "zone-b", "zone-c")
# The sandbox image of nodes of several ages; some loads never pull it.
_PAUSES: Final = ("3.1", "3.9", "3.10", "3.10.1")
_PAUSE_BYTES: Final = 320_000
_REGISTRY: Final = "registry.k8s.io"
# What is a node, or makes nodes.
_PROVIDERS: Final = ("Node", "NodeGroup", "NodePool")


def node(index: int, shape: NodeShape, registry: str = _REGISTRY) -> Json:
    """The node of a number, ready to take pods."""
    name = f"node-{index}"
    has = {
        "cpu": shape.cpu,
        "memory": shape.memory,
        "pods": shape.pods,
        "ephemeral-storage": shape.ephemeral_storage,
    }
    labels = {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": f"standard-{shape.cpu}",
        "topology.kubernetes.io/region": "region",
        "topology.kubernetes.io/zone": _ZONES[index % len(_ZONES)],
    }
    images = [
        {"names": [f"{registry}/pause:{each}"], "sizeBytes": _PAUSE_BYTES} for each in _PAUSES
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {
            "capacity": has,
            "allocatable": has,
            "conditions": [{"type": "Ready", "status": "True"}],
            "images": images,
        },
    }


def add(loaded: LoadedManifests, number: int | None, shape: str = node_shape.DEFAULT) -> None:
    """Add nodes to what was read, as if a file had them; refused where a file has them, too.

    Their kubelets have yet to report: they add addresses, versions and conditions.
    """
    if number is None:
        if shape != node_shape.DEFAULT:
            fix = "add --nodes 5, or leave it out"
            raise InputError("has no effect without --nodes", path="--node", fix=fix)
        return
    taken = {manifests.named(obj)[1] for obj in _objects(loaded) if obj.get("kind") == "Node"}
    nodes = [node(index, node_shape.parse(shape)) for index in range(number)]
    for each in nodes:
        del each["status"]["conditions"]
    for each in nodes:
        name = each["metadata"]["name"]
        if name in taken:
            fix = "leave --nodes out, or rename the one in the file"
            raise InputError(f'the files have a node "{name}" already', path=_OPTION, fix=fix)
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": nodes}).decode()
    loaded.documents += manifest.load_text(text, _OPTION)
    loaded.locators[_OPTION] = locator.Locator(text)


def are_missing(loaded: Iterable[LoadedManifests]) -> bool:
    """Whether there are pods, and nothing that is a node or creates one."""
    wants_pods = False
    for each in loaded:
        for obj in _objects(each):
            if obj.get("kind") in _PROVIDERS:
                return False
            wants_pods = wants_pods or obj.get("kind") == "Pod" or stage_inputs.is_workload(obj)
    return wants_pods


def _objects(loaded: LoadedManifests) -> Iterator[Json]:
    """All objects of files, and those that Scenarios create."""
    imported = (each.scenario for each in loaded.imported)
    for obj in (*(document.object for document in loaded.documents), *imported):
        if resource.is_scenario(obj):
            yield from _created(resource.normalized(obj))
        else:
            yield obj


def _created(scenario: Json) -> Iterator[Json]:
    """What the events of a Scenario create, as far as they are sound: others check them."""
    spec = scenario.get("spec")
    for event in (spec.get("events") if isinstance(spec, dict) else None) or ():
        body = event.get("createOperation") if isinstance(event, dict) else None
        obj = body.get("object") if isinstance(body, dict) else None
        if isinstance(obj, dict):
            yield obj
