"""NodeRestriction: kubelets change their own node, and what is on it, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import quote
from kubestage.objects import gvk
from kubestage.objects.validation import status
from kubestage.store.admission import admission_request
from kubestage.store.admission import caller as callers
from kubestage.store.authorization import node_access, pod_objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.core import Core

_LABELS: Final = frozenset(
    {
        "kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
        "beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type",
        "kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
    }
)  # fmt: skip
_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
_RESERVED: Final = ("kubernetes.io", "k8s.io")
_RESTRICTED: Final = "node-restriction.kubernetes.io"
_CLAIM_FREE: Final = ("capacity", "conditions", "allocatedResourceStatuses", "allocatedResources")


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse what a kubelet may not create or change."""
    node = _node_of_caller()
    if node is None:
        return
    check_kind = _CHECKS.get((request.kind.group, request.kind.plural))
    why = "" if check_kind is None else check_kind(core, node, request)
    if why:
        raise admission_request.refuse(request.kind, request.obj, why)


def applies() -> bool:
    """Whether a kubelet writes."""
    return _node_of_caller() is not None


def check_deletion(core: Core, kind: Kind, existing: Json) -> None:
    """Refuse to delete what is not on the kubelet's node."""
    node, name = _node_of_caller(), existing["metadata"]["name"]
    if node is None or check not in core.checks:
        return
    why = ""
    if admission_request.is_pod(kind) and existing["spec"].get("nodeName") != node:
        why = f"{_who(node)} can only delete pods with spec.nodeName set to itself"
    elif (kind.group, kind.plural) == ("", "nodes") and name != node:
        why = f"{_who(node)} is not allowed to modify node {quote.quote(name)}"
    elif kind.plural == "resourceslices" and existing["spec"].get("nodeName") != node:
        why = "can only delete ResourceSlice with the same NodeName as the requesting node"
    if why:
        raise status.forbidden(kind, name, why)


def check_eviction(core: Core, kind: Kind, pod: Json) -> None:
    """Refuse to evict what is not on the kubelet's node."""
    node = _node_of_caller()
    if node is None or check not in core.checks:
        return
    if pod["spec"].get("nodeName") != node:
        why = f"node {node} can only evict pods with spec.nodeName set to itself"
        raise status.forbidden(kind, pod["metadata"]["name"], why)


def check_token(core: Core, kind: Kind, account: str, namespace: str, spec: Json) -> None:
    """Refuse a token for anything but a pod of the kubelet's node."""
    node = _node_of_caller()
    if node is None or check not in core.checks:
        return
    why = _token(core, node, namespace, spec.get("boundObjectRef") or {})
    if why:
        raise status.forbidden(kind, account, why)


def _token(core: Core, node: str, namespace: str, bound: Json) -> str:
    if bound.get("apiVersion") != "v1" or bound.get("kind") != "Pod" or not bound.get("name"):
        return "node requested token not bound to a pod"
    if not bound.get("uid"):
        return "node requested token with a pod binding without a uid"
    pod = core.read(gvk.POD).get(f"{namespace}/{bound['name']}")
    if pod is None or pod["metadata"]["uid"] != bound["uid"]:
        return (
            f"the UID in the bound object reference ({bound['uid']}) does not match the UID in "
            "record. The object might have been deleted and then recreated"
        )
    if pod["spec"].get("nodeName") != node:
        return "node requested token bound to a pod scheduled on a different node"
    return ""


def _node_of_caller() -> str | None:
    caller = callers.current()
    return None if caller is None else node_access.node_of(caller.user)


def _who(node: str) -> str:
    return f'node "{node}"'


def _pod(core: Core, node: str, request: AdmissionRequest) -> str:
    if request.subresource == "status":
        return _pod_status(node, request)
    if request.subresource:
        return (
            f"unexpected pod subresource {quote.quote(request.subresource)}, only 'status' and "
            "'eviction' are allowed"
        )
    if request.old is not None:
        return f'unexpected operation "UPDATE", {_who(node)} can only create and delete mirror pods'
    return _mirror_pod(core, node, request.obj)


def _pod_status(node: str, request: AdmissionRequest) -> str:
    old, new = request.old or {}, request.obj
    if old["spec"].get("nodeName") != node:
        return f"{_who(node)} can only update pod status for pods with spec.nodeName set to itself"
    if (old["metadata"].get("labels") or {}) != (new["metadata"].get("labels") or {}):
        return f"{_who(node)} cannot update labels through pod status"
    for field, name in (
        ("resourceClaimStatuses", "resource claim statues"),
        ("extendedResourceClaimStatus", "extended resource claim status"),
    ):
        before, now = ((each.get("status") or {}).get(field) for each in (old, new))
        if (before or None) != (now or None):
            return f"{_who(node)} cannot update {name}"
    return ""


def _mirror_pod(core: Core, node: str, pod: Json) -> str:
    metadata, spec = pod["metadata"], pod["spec"]
    if pod_objects.MIRROR not in (metadata.get("annotations") or {}):
        return (
            f'pod does not have "{pod_objects.MIRROR}" annotation, {_who(node)} can only create '
            "mirror pods"
        )
    if spec.get("nodeName") != node:
        return f"{_who(node)} can only create pods with spec.nodeName set to itself"
    owners = metadata.get("ownerReferences") or ()
    if len(owners) > 1:
        return f"{_who(node)} can only create pods with a single owner reference set to itself"
    owner = owners[0] if owners else {}
    if (owner.get("apiVersion"), owner.get("kind"), owner.get("name")) != ("v1", "Node", node):
        return f"{_who(node)} can only create pods with an owner reference set to itself"
    if not owner.get("controller"):
        return f"{_who(node)} can only create pods with a controller owner reference set to itself"
    if owner.get("blockOwnerDeletion"):
        return f"{_who(node)} must not set blockOwnerDeletion on an owner reference"
    uid = (core.read(gvk.NODE).get(node) or {"metadata": {"uid": ""}})["metadata"]["uid"]
    if owner.get("uid") != uid:
        return f"node {node} UID mismatch: expected {owner.get('uid')} got {uid}"
    bare = {**pod, "metadata": {**metadata, "annotations": {}}}
    for resource, _name in pod_objects.of_pod(bare):
        return f"{_who(node)} can not create pods that reference {resource}"
    return ""


def _node(_core: Core, node: str, request: AdmissionRequest) -> str:
    new, old = request.obj, request.old
    name = new["metadata"].get("name") or ""
    if name != node:
        return f"{_who(node)} is not allowed to modify node {quote.quote(name)}"
    before = {} if old is None else old["metadata"].get("labels") or {}
    forbidden = _forbidden_labels(new["metadata"].get("labels") or {}, before)
    if old is None:
        if not forbidden:
            return ""
        listed = ", ".join(forbidden)
        return f"{_who(node)} is not allowed to set the following labels: {listed}"
    if (new["spec"].get("taints") or []) != (old["spec"].get("taints") or []):
        return f"{_who(node)} is not allowed to modify taints"
    owners = [each["metadata"].get("ownerReferences") or [] for each in (new, old)]
    if owners[0] != owners[1]:
        return f"{_who(node)} is not allowed to modify ownerReferences"
    return f"is not allowed to modify labels: {', '.join(forbidden)}" if forbidden else ""


def _forbidden_labels(new: Json, old: Json) -> list[str]:
    changed = {key for key in (*new, *old) if new.get(key) != old.get(key)}
    return sorted(each for each in changed if _is_forbidden(each))


def _is_forbidden(label: str) -> bool:
    domain = label.partition("/")[0] if "/" in label else ""
    if _is_below(domain, _RESTRICTED):
        return True
    is_known = label in _LABELS or any(_is_below(domain, each) for each in _DOMAINS)
    return not is_known and any(_is_below(domain, each) for each in _RESERVED)


def _is_below(domain: str, parent: str) -> bool:
    return domain == parent or domain.endswith(f".{parent}")


def _claim(_core: Core, node: str, request: AdmissionRequest) -> str:
    if request.subresource != "status" or request.old is None:
        return "may only update PVC status"
    if _fixed_part(request.old) != _fixed_part(request.obj):
        return (
            f"{_who(node)} is not allowed to update fields other than status.quantity and "
            "status.conditions"
        )
    return ""


def _fixed_part(claim: Json) -> Json:
    metadata = dict(claim["metadata"])
    for key in ("resourceVersion", "managedFields"):
        metadata.pop(key, None)
    state = {
        key: part for key, part in (claim.get("status") or {}).items() if key not in _CLAIM_FREE
    }
    return {**claim, "metadata": metadata, "status": state}


def _lease(_core: Core, node: str, request: AdmissionRequest) -> str:
    metadata = request.obj["metadata"]
    if metadata.get("namespace") != "kube-node-lease":
        return 'can only access leases in the "kube-node-lease" system namespace'
    if metadata.get("name") != node:
        return "can only access node lease with the same name as the requesting node"
    return ""


def _csi_node(_core: Core, node: str, request: AdmissionRequest) -> str:
    if request.obj["metadata"].get("name") != node:
        return "can only access CSINode with the same name as the requesting node"
    return ""


def _slice(_core: Core, node: str, request: AdmissionRequest) -> str:
    if request.old is None and request.obj["spec"].get("nodeName") != node:
        return "can only create ResourceSlice with the same NodeName as the requesting node"
    return ""


_CHECKS: Final[dict[tuple[str, str], Callable[[Core, str, AdmissionRequest], str]]] = {
    ("", "pods"): _pod,
    ("", "nodes"): _node,
    ("", "persistentvolumeclaims"): _claim,
    ("coordination.k8s.io", "leases"): _lease,
    ("storage.k8s.io", "csinodes"): _csi_node,
    ("resource.k8s.io", "resourceslices"): _slice,
}
