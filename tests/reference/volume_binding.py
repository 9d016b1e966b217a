"""VolumeBinding, one node at a time."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.objects import label_requirement, labels, node_selector, quantity
from kubestage.scheduler.status import SKIP, SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

STORAGE = "storage.k8s.io/v1"
SELECTED = "volume.kubernetes.io/selected-node"
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
NOT_FOUND = "node(s) didn't find available persistent volumes to bind"
NO_ROOM = "node(s) did not have enough free storage"
GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


@dataclasses.dataclass
class Plan:
    """What happens on one node: the verdict, claims with their volumes, claims to provision."""

    status: Status
    bindings: list[tuple[str, str]]
    provisions: list[str]


def pre_filter(lister: Lister, pod: PodView) -> Status:
    volumes = pod.raw["spec"].get("volumes", [])
    stated = [each for each in volumes if "persistentVolumeClaim" in each or "ephemeral" in each]
    if not stated:
        return SKIP
    for volume in stated:
        name = _name(pod, volume)
        claim = lister.get("v1", "PersistentVolumeClaim", name, pod.namespace)
        called = f'persistentvolumeclaim "{name}"'
        if claim is None and "ephemeral" in volume:
            return unresolvable(f"waiting for ephemeral volume controller to create the {called}")
        if claim is None:
            return unresolvable(f"{called} not found")
        if claim["status"]["phase"] == "Lost":
            gone = claim["spec"].get("volumeName", "")
            return unresolvable(f'{called} bound to non-existent persistentvolume "{gone}"')
        if "deletionTimestamp" in claim["metadata"]:
            return unresolvable(f"{called} is being deleted")
        owners = [each["uid"] for each in claim["metadata"].get("ownerReferences", [])]
        if "ephemeral" in volume and owners != [pod.uid]:
            return unresolvable(
                f"PVC {pod.namespace}/{name} was not created for pod {pod.key} (pod is not owner)"
            )
    for claim in _claims(lister, pod):
        if not _is_bound(claim) and not _waits(lister, claim):
            return unresolvable("pod has unbound immediate PersistentVolumeClaims")
    return SUCCESS


def filter_node(lister: Lister, pod: PodView, node: NodeView) -> Plan:
    claims = _claims(lister, pod)
    reasons = _check_bound(lister, [each for each in claims if _is_bound(each)], node)
    waiting = [each for each in claims if not _is_bound(each)]
    selected = [each for each in waiting if SELECTED in _annotations(each)]
    if any(_annotations(each)[SELECTED] != node.name for each in selected):
        return Plan(_verdict([*reasons, NOT_FOUND]), [], [])
    bindings: list[tuple[str, str]] = []
    to_make = list(selected)
    for claim in sorted((each for each in waiting if each not in selected), key=_size):
        volume = _best(lister, claim, node, [name for _, name in bindings])
        if volume is None:
            to_make.append(claim)
        else:
            bindings.append((claim["metadata"]["name"], volume))
    for claim in to_make:
        problem = _problem_of_making(lister, claim, node)
        if problem:
            reasons.append(problem)
            break
    return Plan(_verdict(reasons), bindings, [each["metadata"]["name"] for each in to_make])


def _verdict(reasons: list[str]) -> Status:
    in_order = [each for each in (OUT_OF_REACH, NOT_FOUND, NO_ROOM, GONE) if each in reasons]
    return unresolvable(*in_order) if in_order else SUCCESS


def _check_bound(lister: Lister, claims: list[Json], node: NodeView) -> list[str]:
    for claim in claims:
        volume = lister.get("v1", "PersistentVolume", claim["spec"]["volumeName"])
        if volume is None:
            return [GONE]
        if not _reaches(volume, node):
            return [OUT_OF_REACH]
    return []


def _reaches(volume: Json, node: NodeView) -> bool:
    if "nodeAffinity" not in volume["spec"]:
        return True
    selector = node_selector.lazy(volume["spec"]["nodeAffinity"]["required"])
    try:
        return selector.matches("", node.labels)
    except label_requirement.SelectorError:
        return False


def _best(lister: Lister, claim: Json, node: NodeView, taken: list[str]) -> str | None:
    best: Json | None = None
    for volume in sorted(lister.list("v1", "PersistentVolume"), key=_name_of):
        reference = volume["spec"].get("claimRef")
        is_mine = reference is not None and (
            reference["name"] == claim["metadata"]["name"]
            and reference["namespace"] == claim["metadata"]["namespace"]
            and reference.get("uid", claim["metadata"]["uid"]) == claim["metadata"]["uid"]
        )
        if (
            (reference is not None and not is_mine)
            or volume["spec"].get("storageClassName") != claim["spec"].get("storageClassName")
            or _name_of(volume) in taken
            or _capacity(volume) < _size(claim)
            or volume["spec"]["volumeMode"] != claim["spec"]["volumeMode"]
            or _attributes(volume) != _attributes(claim)
            or "deletionTimestamp" in volume["metadata"]
        ):
            continue
        if is_mine:
            return _name_of(volume) if _reaches(volume, node) else None
        if (
            volume["status"]["phase"] == "Available"
            and _selector(claim).matches(volume["metadata"].get("labels", {}))
            and _reaches(volume, node)
            and all(mode in volume["spec"]["accessModes"] for mode in claim["spec"]["accessModes"])
            and (best is None or _capacity(volume) < _capacity(best))
        ):
            best = volume
    return None if best is None else _name_of(best)


def _problem_of_making(lister: Lister, claim: Json, node: NodeView) -> str:
    found = lister.get(STORAGE, "StorageClass", claim["spec"]["storageClassName"])
    assert found is not None
    if found["provisioner"] == "kubernetes.io/no-provisioner":
        return NOT_FOUND
    allowed = found.get("allowedTopologies", [])
    if allowed and not any(
        term.get("matchLabelExpressions")
        and all(node.labels.get(each["key"]) in each["values"] for each in _expressions(term))
        for term in allowed
    ):
        return NOT_FOUND
    driver = lister.get(STORAGE, "CSIDriver", found["provisioner"])
    if driver is None or not driver["spec"].get("storageCapacity"):
        return ""
    for pool in lister.list(STORAGE, "CSIStorageCapacity"):
        limit = pool.get("maximumVolumeSize", pool.get("capacity"))
        if (
            pool["storageClassName"] == found["metadata"]["name"]
            and limit is not None
            and quantity.value_of(limit) >= _size(claim)
            and labels.from_label_selector(pool.get("nodeTopology")).matches(node.labels)
        ):
            return ""
    return NO_ROOM


def _expressions(term: Json) -> list[Json]:
    found: list[Json] = term["matchLabelExpressions"]
    return found


def _name(pod: PodView, volume: Json) -> str:
    if "persistentVolumeClaim" in volume:
        return str(volume["persistentVolumeClaim"]["claimName"])
    return f"{pod.name}-{volume['name']}"


def _claims(lister: Lister, pod: PodView) -> list[Json]:
    found = []
    for volume in pod.raw["spec"].get("volumes", []):
        if "persistentVolumeClaim" in volume or "ephemeral" in volume:
            name = _name(pod, volume)
            claim = lister.get("v1", "PersistentVolumeClaim", name, pod.namespace)
            assert claim is not None
            found.append(claim)
    return found


def _is_bound(claim: Json) -> bool:
    return "volumeName" in claim["spec"] and "pv.kubernetes.io/bind-completed" in _annotations(
        claim
    )


def _waits(lister: Lister, claim: Json) -> bool:
    found = lister.get(STORAGE, "StorageClass", claim["spec"].get("storageClassName", ""))
    if found is None or "volumeName" in claim["spec"]:
        return False
    return bool(found["volumeBindingMode"] == "WaitForFirstConsumer")


def _annotations(claim: Json) -> dict[str, str]:
    return claim["metadata"].get("annotations") or {}


def _size(claim: Json) -> int:
    return quantity.value_of(claim["spec"]["resources"]["requests"]["storage"])


def _capacity(volume: Json) -> int:
    return quantity.value_of(volume["spec"]["capacity"]["storage"])


def _attributes(obj: Json) -> str:
    return obj["spec"].get("volumeAttributesClassName") or ""


def _name_of(obj: Json) -> str:
    return str(obj["metadata"]["name"])


def _selector(claim: Json) -> labels.Selector:
    stated = claim["spec"].get("selector")
    return labels.EVERYTHING if stated is None else labels.from_label_selector(stated)
