"""Extended resources that devices stand behind: a pod requests a number, and gets a claim.

A DeviceClass offers its devices under the name of an extended resource. A pod that requests it is
given one claim for all such resources, made up by the scheduler, on nodes that do not count the
resource themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.objects import quantity, resource_totals
from kubestage.scheduler.devices import pod_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister


CLASS_PREFIX: Final = "deviceclass.resource.kubernetes.io/"
ANNOTATION: Final = "resource.kubernetes.io/extended-resource-claim"
IN_MEMORY_NAME: Final = "<extended-resources>"
"""The name of a claim that is not written yet; no claim in the API can have it."""


class NodeClaim(NamedTuple):
    """The requests of the claim on a node, and which container uses which of them for what."""

    requests: tuple[Json, ...]
    mappings: tuple[Json, ...]


def requested_amounts(pod: PodView, lister: Lister) -> dict[str, int]:
    """The vendors' resources that a pod requests, if a device class stands behind any of them."""
    scalars = pod.fit_request.scalars
    if not scalars:
        return {}
    amounts = {name: amount for name, amount in scalars.items() if amount and _may_be(name)}
    if not amounts:
        return {}
    classes = classes_by_resource(lister)
    return amounts if any(name in classes for name in amounts) else {}


def _may_be(resource: str) -> bool:
    return resource_totals.is_extended(resource) or resource.startswith(CLASS_PREFIX)


def classes_by_resource(lister: Lister) -> dict[str, Json]:
    """Which class stands behind a resource: the newest, and of equals the first by name.

    A class whose name is taken already is left out, as upstream does.
    """
    classes: dict[str, Json] = {}
    for each in lister.list(pod_claims.API_VERSION, pod_claims.CLASS):
        name = each["metadata"]["name"]
        resource = (each.get("spec") or {}).get("extendedResourceName")
        if resource is not None:
            rival = classes.get(resource)
            if rival is not None and not _precedes(each["metadata"], rival["metadata"]):
                continue
            classes[resource] = each
        classes[f"{CLASS_PREFIX}{name}"] = each
    return classes


def _precedes(one: Json, other: Json) -> bool:
    created, rival_created = (
        one.get("creationTimestamp") or "",
        other.get("creationTimestamp") or "",
    )
    return bool(
        created > rival_created or (created == rival_created and one["name"] < other["name"])
    )


def claim_for(pod: PodView, claims: Iterable[Json]) -> Json:
    """The claim that an earlier attempt left behind, or a new one without requests."""
    for claim in claims:
        metadata = claim["metadata"]
        if (metadata.get("annotations") or {}).get(ANNOTATION) == "true" and any(
            owner.get("controller") and owner["name"] == pod.name and owner.get("uid") == pod.uid
            for owner in metadata.get("ownerReferences") or ()
        ):
            return claim
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": pod.name,
        "uid": pod.uid,
        "controller": True,
    }
    return {
        "apiVersion": pod_claims.API_VERSION,
        "kind": pod_claims.CLAIM,
        "metadata": {
            "namespace": pod.namespace,
            "name": IN_MEMORY_NAME,
            "generateName": f"{pod.name}-extended-resources-",
            "uid": f"{pod.uid}/{IN_MEMORY_NAME}",
            "ownerReferences": [owner],
            "annotations": {ANNOTATION: "true"},
        },
        "spec": {},
    }


def is_in_memory(claim: Json) -> bool:
    """Whether a claim is not written yet."""
    return bool(claim["metadata"]["name"] == IN_MEMORY_NAME)


def left_to_devices(
    amounts: Mapping[str, int], classes: Mapping[str, Json], allocatable: Mapping[str, int]
) -> frozenset[str] | None:
    """The resources that a node must provide as devices; None if it provides some in no way."""
    by_devices = set()
    for name in amounts:
        if name in classes and not allocatable.get(name):
            by_devices.add(name)
        elif name not in allocatable:
            return None
    return frozenset(by_devices)


def node_claim(pod: PodView, resources: frozenset[str], classes: Mapping[str, Json]) -> NodeClaim:
    """What the claim requests on a node that must provide these resources as devices."""
    spec = pod.raw["spec"]
    init = spec.get("initContainers") or []
    containers = [*init, *(spec.get("containers") or ())]
    lasting = [
        index
        for index, container in enumerate(containers)
        if index >= len(init) or container.get("restartPolicy") == "Always"
    ]
    passing = [index for index in range(len(init)) if index not in lasting]
    requests: list[Json] = []
    mappings: list[Json] = []
    for resource in sorted(resources):
        found, used = _of_resource(
            containers, lasting, passing, resource, classes[resource]["metadata"]["name"]
        )
        requests += found
        mappings += used
    requests.sort(key=lambda request: request["name"])
    return NodeClaim(tuple(requests), tuple(mappings))


def _of_resource(
    containers: Sequence[Json],
    lasting: Sequence[int],
    passing: Sequence[int],
    resource: str,
    class_name: str,
) -> tuple[list[Json], list[Json]]:
    """Containers that last have devices of their own; init containers use theirs before them."""
    requests: list[Json | None] = [None] * len(containers)
    mappings: list[Json] = []
    for index in lasting:
        requests[index], used = _of_container(containers, index, resource, class_name, ())
        mappings += used
    greatest: Json | None = None
    names = set()
    short_lived: list[Json] = []
    for index in passing:
        request, used = _of_container(containers, index, resource, class_name, requests[index:])
        short_lived += used
        if request is not None:
            names.add(request["name"])
            if greatest is None or greatest["exactly"]["count"] < request["exactly"]["count"]:
                greatest = request
    if greatest is not None:
        # Init containers run one after the other, so one request serves them all.
        short_lived = [
            {**each, "requestName": greatest["name"]} if each["requestName"] in names else each
            for each in short_lived
        ]
    found = [each for each in (greatest, *requests) if each is not None]
    return found, [*mappings, *short_lived]


def _of_container(
    containers: Sequence[Json],
    index: int,
    resource: str,
    class_name: str,
    reusable: Iterable[Json | None],
) -> tuple[Json | None, list[Json]]:
    container = containers[index]
    stated = (container.get("resources") or {}).get("requests") or {}
    count, exact = quantity.of(stated.get(resource)).as_int64()
    if not exact or count == 0:
        return None, []
    mapping = {"containerName": container["name"], "resourceName": resource}
    mappings = []
    for request in reusable:
        if request is not None:
            mappings.append({**mapping, "requestName": request["name"]})
            count -= request["exactly"]["count"]
            if count <= 0:
                return None, mappings
    name = f"container-{index}-request-{sorted(stated).index(resource)}"
    exactly = {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": count}
    return {"name": name, "exactly": exactly}, [*mappings, {**mapping, "requestName": name}]
