"""Devices, the slices that offer them, and the claims that want them, in a few words each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from kubestage.aliases import Json

API = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
ONLY_DRIVER = f'device.driver == "{DRIVER}"'


def device(name: str, attributes: Json | None = None, **parts: Any) -> Json:
    """A device; an attribute is a string, number or truth value, or said in full."""
    found: Json = {"name": name, **parts}
    if attributes:
        found["attributes"] = {key: _attribute(value) for key, value in attributes.items()}
    if "capacity" in parts:
        found["capacity"] = {
            key: value if isinstance(value, dict) else {"value": value}
            for key, value in parts["capacity"].items()
        }
    return found


def _attribute(value: Any) -> Json:
    if isinstance(value, dict):
        return value
    kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "string"
    return {kind: value}


def devices(count: int, **parts: Any) -> list[Json]:
    """Devices that look alike: gpu-0, gpu-1, and so on."""
    return [device(f"gpu-{number}", **parts) for number in range(count)]


def resource_slice(name: str, offered: list[Json], **spec: Any) -> Json:
    """A slice; `node` is short for the name of its node, which is also its pool's by default."""
    node = spec.pop("node", None)
    if node is not None:
        spec["nodeName"] = node
    pool = {
        "name": spec.pop("pool", node or name),
        "generation": spec.pop("generation", 1),
        "resourceSliceCount": spec.pop("count", 1),
    }
    spec.setdefault("driver", DRIVER)
    if offered:
        spec["devices"] = offered
    return {
        "apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name},
        "spec": {**spec, "pool": pool},
    }  # fmt: skip


def counters(name: str, **amounts: str) -> Json:
    """A set of counters."""
    return {"name": name, "counters": {key: {"value": value} for key, value in amounts.items()}}


def consumes(name: str, **amounts: str) -> list[Json]:
    """What a device uses up of a set of counters."""
    return [{"counterSet": name, "counters": counters(name, **amounts)["counters"]}]


def device_class(name: str = "gpu", *expressions: str, **spec: Any) -> Json:
    """A class; without expressions it takes all devices of the usual driver."""
    selectors = [{"cel": {"expression": each}} for each in expressions or (ONLY_DRIVER,)]
    return {
        "apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name},
        "spec": {"selectors": selectors, **spec},
    }  # fmt: skip


def wish(count: int | None = 1, class_name: str = "gpu", *expressions: str, **parts: Any) -> Json:
    """What a request says, or one of its alternatives; a count of None means all devices."""
    found: Json = {"deviceClassName": class_name, "allocationMode": "All", **parts}
    if count is not None:
        found |= {"allocationMode": "ExactCount", "count": count}
    if expressions:
        found["selectors"] = [{"cel": {"expression": each}} for each in expressions]
    return found


def request(name: str = "r0", *arguments: Any, **parts: Any) -> Json:
    """A request for exactly something."""
    return {"name": name, "exactly": wish(*arguments, **parts)}


def first_of(name: str, **alternatives: Json) -> Json:
    """A request that lists alternatives."""
    listed = [{"name": each, **what} for each, what in alternatives.items()]
    return {"name": name, "firstAvailable": listed}


def claim(name: str = "claim", *requests: Json, **parts: Any) -> Json:
    """A claim; `metadata` and `status` go where they belong, the rest to what it says."""
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    metadata |= parts.pop("metadata", {})
    found: Json = {"apiVersion": API, "kind": "ResourceClaim", "metadata": metadata}
    if "status" in parts:
        found["status"] = parts.pop("status")
    found["spec"] = {"devices": {"requests": list(requests or (request(),)), **parts}}
    return found


def result(name: str, pool: str = "n0", **parts: Any) -> Json:
    """A device that a claim has been given."""
    return {"request": "r0", "driver": DRIVER, "pool": pool, "device": name, **parts}


def allocation(*results: Json, node: str | None = None, **parts: Any) -> Json:
    """What a claim has been given, perhaps only for use on one node."""
    found: Json = {"devices": {"results": list(results)}, **parts}
    if node is not None:
        only = {"key": "metadata.name", "operator": "In", "values": [node]}
        found["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [only]}]}
    return found


def nodes(count: int) -> list[Json]:
    """Nodes n0, n1, and so on; the first half is in zone a, the rest in zone b."""
    return [
        clusters.node(f"n{number}", labels={"zone": "a" if 2 * number < count else "b"})
        for number in range(count)
    ]
