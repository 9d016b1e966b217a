"""Kinds, annotations and finalizers of storage."""

from __future__ import annotations

from typing import Final

CLAIM: Final = ("v1", "PersistentVolumeClaim")
ATTRIBUTES_CLASS: Final = ("storage.k8s.io/v1", "VolumeAttributesClass")

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
MIGRATED_TO: Final = "pv.kubernetes.io/migrated-to"
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
OLD_PROVISIONER: Final = "volume.beta.kubernetes.io/storage-provisioner"

IN_TREE_FINALIZER: Final = "kubernetes.io/pv-controller"
EXTERNAL_FINALIZER: Final = "external-provisioner.volume.kubernetes.io/finalizer"
CLAIM_PROTECTION: Final = "kubernetes.io/pvc-protection"
VOLUME_PROTECTION: Final = "kubernetes.io/pv-protection"
CLASS_PROTECTION: Final = "kubernetes.io/vac-protection"

IN_TREE: Final = "kubernetes.io/"
"""What the names of all provisioners begin with that are, or were, part of Kubernetes."""
