"""The mode Node: what a kubelet may do, by the pods that are on its node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.store.authorization import pod_objects, rules
from kubestage.store.authorization.access import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.store.authorization.access import Access
    from kubestage.store.store import Store

USER: Final = "system:node:"
"""What the name of a kubelet's user begins with."""
GROUP: Final = "system:nodes"
"""The group that makes such a user a kubelet."""
_ROLE: Final = ("rbac.authorization.k8s.io/v1", "ClusterRole")
_VOLUME: Final = ("v1", "PersistentVolume")
_ATTACHMENT: Final = ("storage.k8s.io/v1", "VolumeAttachment")
_SLICE: Final = ("resource.k8s.io/v1", "ResourceSlice")
_READ: Final = ("get", "list", "watch")
_OWN_VERBS: Final = ("get", "create", "update", "patch", "delete")
_YES: Final = Decision(True)
_NO: Final = Decision(False)
_ONE_ONLY: Final = "can only get individual resources of this type"


def node_of(user: Json) -> str | None:
    """The node that a user is the kubelet of; None for other users."""
    name: str = user["username"]
    if not name.startswith(USER) or GROUP not in user.get("groups", ()):
        return None
    return name.removeprefix(USER)


class NodeAccess:
    """Decides for kubelets."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_resource = {
            "secrets": self._read_named,
            "configmaps": self._read_named,
            "persistentvolumeclaims": self._claim,
            "persistentvolumes": self._get,
            "resourceclaims.resource.k8s.io": self._get,
            "volumeattachments.storage.k8s.io": self._get,
            "serviceaccounts": self._account,
            "leases.coordination.k8s.io": self._lease,
            "csinodes.storage.k8s.io": self._csi_node,
            "resourceslices.resource.k8s.io": self._slice,
            "nodes": self._node,
            "pods": self._pod,
        }

    def node_of(self, user: Json) -> str | None:
        """The node of a user; None if it is no kubelet."""
        return node_of(user)

    def decide(self, user: Json, access: Access) -> Decision:
        """Whether a kubelet may do something."""
        node = node_of(user)
        if node is None:
            return _NO
        if not node:
            return Decision(False, f'unknown node for user "{user["username"]}"')
        if access.is_resource:
            key = f"{access.resource}.{access.group}" if access.group else access.resource
            decide = self._by_resource.get(key)
            if decide is not None:
                return decide(node, access)
        role = self._store.read(_ROLE).get("system:node") or {}
        return Decision(any(rules.allows(each, access) for each in role.get("rules") or ()))

    def _claim(self, node: str, access: Access) -> Decision:
        if access.subresource != "status":
            return self._get(node, access)
        if access.verb not in ("update", "patch"):
            return Decision(False, "can only get/update/patch this type")
        return self._related(node, access)

    def _get(self, node: str, access: Access) -> Decision:
        if access.verb != "get":
            return Decision(False, _ONE_ONLY)
        if access.subresource:
            return Decision(False, "cannot get subresource")
        return self._related(node, access)

    def _read_named(self, node: str, access: Access) -> Decision:
        if access.verb not in _READ:
            return Decision(False, "can only read resources of this type")
        if access.subresource:
            return Decision(False, "cannot read subresource")
        if not access.namespace:
            return Decision(False, "can only read namespaced object of this type")
        return self._related(node, access)

    def _account(self, node: str, access: Access) -> Decision:
        if access.verb == "get" and not access.subresource:
            return self._read_named(node, access)
        if access.verb != "create" or not access.name:
            return Decision(False, "can only create tokens for individual service accounts")
        if access.subresource != "token":
            return Decision(False, "can only create token subresource of serviceaccount")
        return self._related(node, access)

    def _lease(self, node: str, access: Access) -> Decision:
        if access.verb not in _OWN_VERBS:
            why = "can only get, create, update, patch, or delete a node lease"
            return Decision(False, why)
        if access.namespace != "kube-node-lease":
            why = 'can only access leases in the "kube-node-lease" system namespace'
            return Decision(False, why)
        if access.verb != "create" and access.name != node:
            why = "can only access node lease with the same name as the requesting node"
            return Decision(False, why)
        return _YES

    def _csi_node(self, node: str, access: Access) -> Decision:
        if access.verb not in _OWN_VERBS:
            return Decision(False, "can only get, create, update, patch, or delete a CSINode")
        if access.subresource:
            return Decision(False, "cannot authorize CSINode subresources")
        if access.verb != "create" and access.name != node:
            why = "can only access CSINode with the same name as the requesting node"
            return Decision(False, why)
        return _YES

    def _slice(self, node: str, access: Access) -> Decision:
        if access.subresource:
            return Decision(False, "cannot authorize ResourceSlice subresources")
        if access.verb == "create":
            return _YES
        if access.verb in ("watch", "list", "deletecollection"):
            if access.selects("spec.nodeName", node):
                return _YES
            why = "can only list/watch/deletecollection resourceslices with nodeName field selector"
            return Decision(False, why)
        return self._related(node, access)

    def _node(self, node: str, access: Access) -> Decision:
        if access.subresource == "status":
            return Decision(access.verb in ("update", "patch"))
        if access.subresource:
            return _NO
        if access.verb in ("create", "update", "patch"):
            return _YES
        if access.verb not in _READ:
            return _NO
        if access.name == node:
            return _YES
        other = f"'{access.name}'" if access.name else "all nodes"
        return Decision(False, f"node '{node}' cannot read {other}, only its own Node object")

    def _pod(self, node: str, access: Access) -> Decision:
        if access.subresource == "status":
            return Decision(access.verb in ("update", "patch"))
        if access.subresource:
            return Decision(access.subresource == "eviction" and access.verb == "create")
        if access.verb in ("create", "delete"):
            return _YES
        if access.verb not in _READ:
            return _NO
        if access.verb != "get" and access.selects("spec.nodeName", node):
            return _YES
        if access.verb == "get" or access.name:
            return self._related(node, access)
        return Decision(False, "can only list/watch pods with spec.nodeName field selector")

    def _related(self, node: str, access: Access) -> Decision:
        """Allowed if the object belongs to a pod of the node, or to the node itself."""
        if not access.name:
            return Decision(False, "No Object name found")
        if self._is_related(node, access):
            return _YES
        return Decision(False, f"no relationship found between node '{node}' and this object")

    def _is_related(self, node: str, access: Access) -> bool:
        if access.resource == "pods":
            key = f"{access.namespace}/{access.name}"
            pod = self._store.read(gvk.POD).get(key)
            return pod is not None and pod["spec"].get("nodeName") == node
        if access.resource in ("volumeattachments", "resourceslices"):
            kind = _ATTACHMENT if access.resource == "volumeattachments" else _SLICE
            found = self._store.read(kind).get(access.name)
            return found is not None and found["spec"].get("nodeName") == node
        if access.resource == "persistentvolumes":
            found = self._store.read(_VOLUME).get(access.name)
            return found is not None and self._is_mounted(node, found)
        target = access.resource, access.name
        if any(target in pod_objects.of_pod(pod) for pod in self._pods(node, access.namespace)):
            return True
        return access.resource == "secrets" and any(
            (access.namespace, access.name) in pod_objects.secrets_of_volume(volume)
            and self._is_mounted(node, volume)
            for volume in self._store.read(_VOLUME).values()
        )

    def _is_mounted(self, node: str, volume: Json) -> bool:
        """Whether a pod of the node has the claim of a volume."""
        claim = volume["spec"].get("claimRef")
        if not claim:
            return False
        target = "persistentvolumeclaims", claim.get("name") or ""
        pods = self._pods(node, claim.get("namespace") or "")
        return any(target in pod_objects.of_pod(pod) for pod in pods)

    def _pods(self, node: str, namespace: str) -> Iterator[Json]:
        selector = f"spec.nodeName={node}"
        yield from self._store.list(gvk.POD, namespace, field_selector=selector).items
