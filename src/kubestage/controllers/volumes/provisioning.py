"""How a claim that no volume fits gets one made: by the controller itself, or by others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.volumes import plugins
from kubestage.controllers.volumes.operations import Operations
from kubestage.controllers.volumes.storage_names import (
    BOUND_BY_CONTROLLER,
    IN_TREE_FINALIZER,
    PROVISIONED_BY,
    SELECTED_NODE,
)
from kubestage.controllers.volumes.writer import reference_to, with_metadata
from kubestage.objects import gvk, names
from kubestage.objects.views import storage
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.volumes.binder import PersistentVolumeController
    from kubestage.controllers.volumes.writer import VolumeWriter


class Provisioning:
    """The part of the binder that has volumes made."""

    def __init__(self, binder: PersistentVolumeController, writer: VolumeWriter) -> None:
        self._binder = binder
        self._writer = writer
        self._operations = Operations()

    def assign_default_class(self, claim: Json) -> bool:
        """Give a claim without a class the default one, if there is one by now."""
        annotations = claim["metadata"].get("annotations") or {}
        if (
            storage.STORAGE_CLASS_ANNOTATION in annotations
            or claim["spec"].get("storageClassName") is not None
        ):
            return False
        classes = [storage.class_of(each) for each in self._binder.lister.all(gvk.STORAGE_CLASS)]
        defaults = [each for each in classes if each.is_default]
        if not defaults:
            return False
        newest = max(each.raw["metadata"]["creationTimestamp"] for each in defaults)
        name = min(
            each.name for each in defaults if each.raw["metadata"]["creationTimestamp"] == newest
        )
        spec = {**claim["spec"], "storageClassName": name}
        self._binder.store.update({**claim, "spec": spec})
        return True

    def provision(self, key: str, claim: Json) -> None:
        """Start to provision a volume for a claim that has a class."""
        class_name = storage.claim_of(claim).class_name
        found = self._binder.lister.get(gvk.STORAGE_CLASS, class_name)
        if found is None:
            text = f'storageclass.storage.k8s.io "{class_name}" not found'
            self._fail(claim, text)
            return
        provisioner = found["provisioner"]
        try:
            is_in_tree = plugins.provisions(provisioner)
        except plugins.PluginError as error:
            self._fail(claim, str(error))
            return
        now_ns = self._binder.clock.now_ns
        if not self._operations.may_begin(key, now_ns):
            return
        if not is_in_tree:
            self._ask_others(claim, plugins.csi_driver(provisioner) or provisioner)
        elif self._make(self._writer.name_provisioner(claim, provisioner), found):
            self._operations.succeeded(key)
        else:
            self._operations.failed(key, now_ns)

    def _ask_others(self, claim: Json, provisioner: str) -> None:
        claim = self._writer.name_provisioner(claim, provisioner)
        text = (
            f"Waiting for a volume to be created either by the external provisioner "
            f"'{provisioner}' or manually by the system administrator. If volume creation is "
            "delayed, please verify that the provisioner is running and correctly registered."
        )
        self._binder.events.event(claim, NORMAL, "ExternalProvisioning", text)

    def _make(self, claim: Json, storage_class: Json) -> bool:
        """Make a directory on a node for a claim, as the one provisioner does that is left."""
        binder, class_name = self._binder, storage_class["metadata"]["name"]
        name = f"pvc-{claim['metadata']['uid']}"
        if name in binder.store.read(gvk.PERSISTENT_VOLUME):
            return True
        problem = self._problem(claim, storage_class)
        if problem is not None:
            self._fail(claim, problem)
            return False
        if claim["spec"].get("volumeMode") == "Block":
            self._forget_node(claim)
            text = f"{plugins.HOST_PATH} does not support block volume provisioning"
            self._fail(
                claim, f'Failed to provision volume with StorageClass "{class_name}": {text}'
            )
            return False
        binder.store.create(self._volume(name, claim, storage_class))
        text = f"Successfully provisioned volume {name} using {plugins.HOST_PATH}"
        binder.events.event(claim, NORMAL, "ProvisioningSucceeded", text)
        return True

    def _problem(self, claim: Json, storage_class: Json) -> str | None:
        if claim["spec"].get("dataSource") is not None:
            return (
                f'plugin "{plugins.HOST_PATH}" is not a CSI plugin. Only CSI plugin can provision '
                "a claim with a datasource"
            )
        options = storage_class.get("mountOptions")
        if options:
            class_name = storage_class["metadata"]["name"]
            return (
                "Mount options are not supported by the provisioner but StorageClass "
                f'"{class_name}" has mount options [{" ".join(options)}]'
            )
        if plugins.HOST_PATH not in self._binder.settings.in_tree_provisioners:
            text = f'provisioning in volume plugin "{plugins.HOST_PATH}" is disabled'
            return f"Failed to create provisioner: {text}"
        node = (claim["metadata"].get("annotations") or {}).get(SELECTED_NODE)
        if node is not None and self._binder.lister.get(gvk.NODE, node) is None:
            return f'Failed to get target node: node "{node}" not found'
        return None

    def _volume(self, name: str, claim: Json, storage_class: Json) -> Json:
        policy = storage_class.get("reclaimPolicy") or "Delete"
        directory = names.uid(self._binder.store.uid_stream)
        metadata: Json = {
            "name": name,
            "annotations": {
                "kubernetes.io/createdby": "hostpath-dynamic-provisioner",
                BOUND_BY_CONTROLLER: "yes",
                PROVISIONED_BY: plugins.HOST_PATH,
            },
        }
        if policy == "Delete":
            metadata["finalizers"] = [IN_TREE_FINALIZER]
        return {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": metadata,
            "spec": {
                "persistentVolumeReclaimPolicy": policy,
                "accessModes": claim["spec"].get("accessModes") or ["ReadWriteOnce"],
                "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
                "hostPath": {"path": f"/tmp/hostpath_pv/{directory}"},
                "claimRef": reference_to(claim),
                "storageClassName": storage_class["metadata"]["name"],
            },
        }

    def _forget_node(self, claim: Json) -> None:
        """Let the scheduler choose again."""
        annotations = dict(claim["metadata"].get("annotations") or {})
        if annotations.pop(SELECTED_NODE, None) is not None:
            self._binder.store.update(with_metadata(claim, annotations=annotations))

    def _fail(self, claim: Json, text: str) -> None:
        self._binder.events.event(claim, WARNING, "ProvisioningFailed", text)
