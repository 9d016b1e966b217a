"""Handles a released volume: retained, recycled, or deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import pods
from kubestage.controllers.volumes import plugins
from kubestage.controllers.volumes.operations import Operations
from kubestage.controllers.volumes.storage_names import CLAIM, IN_TREE_FINALIZER, MIGRATED_TO
from kubestage.controllers.volumes.writer import annotations_of, with_metadata
from kubestage.objects import gvk
from kubestage.store.event_recorder import NORMAL

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.volumes.binder import PersistentVolumeController
    from kubestage.controllers.volumes.pods_by_claim import PodsByClaim
    from kubestage.controllers.volumes.writer import VolumeWriter


class Reclaiming:
    """The part of the binder that carries out reclaim policies."""

    def __init__(
        self, binder: PersistentVolumeController, writer: VolumeWriter, users: PodsByClaim
    ) -> None:
        self._binder = binder
        self._writer = writer
        self._users = users
        self._operations = Operations()

    def reclaim(self, key: str, volume: Json) -> None:
        """Apply a released volume's policy; failures are tried again."""
        if annotations_of(volume).get(MIGRATED_TO):
            return
        policy = volume["spec"].get("persistentVolumeReclaimPolicy")
        if policy == "Recycle":
            self._recycle(key, volume)
        elif policy == "Delete":
            self._delete(key, volume)
        elif policy != "Retain":
            text = "Volume has unrecognized PersistentVolumeReclaimPolicy"
            self._writer.fail_volume(volume, "VolumeUnknownReclaimPolicy", text)

    def _delete(self, key: str, volume: Json) -> None:
        now_ns = self._binder.clock.now_ns
        if not self._operations.may_begin(key, now_ns):
            self._binder.requeue_after(key)
            return
        try:
            if not plugins.deletes(volume):
                return
        except plugins.PluginError as error:
            self._writer.fail_volume(volume, "VolumeFailedDelete", str(error))
            return
        try:
            plugins.check_deletable(volume)
        except plugins.PluginError as error:
            self._operations.failed(key, now_ns)
            self._writer.fail_volume(volume, "VolumeFailedDelete", str(error))
            return
        self._operations.succeeded(key)
        held = volume["metadata"].get("finalizers") or []
        store = self._binder.store
        if IN_TREE_FINALIZER in held:
            left = [each for each in held if each != IN_TREE_FINALIZER]
            store.update(with_metadata(volume, finalizers=left))
        if key in store.read(gvk.PERSISTENT_VOLUME):
            store.delete(gvk.PERSISTENT_VOLUME, key)

    def _recycle(self, key: str, volume: Json) -> None:
        reference = volume["spec"]["claimRef"]
        claim_key = f"{reference['namespace']}/{reference['name']}"
        lister, events = self._binder.lister, self._binder.events
        named = (lister.get(pods.POD, pod) for pod in self._users.get(claim_key))
        users = [pod for pod in named if pod is not None and not pods.is_terminal(pod)]
        if users and lister.get(CLAIM, claim_key) is None:
            names = sorted(f"{p['metadata']['namespace']}/{p['metadata']['name']}" for p in users)
            text = f"Volume is used by pods: {','.join(names)}"
            events.event(volume, NORMAL, "VolumeFailedRecycle", text)
            self._binder.requeue_after(key)
        elif not plugins.is_recyclable(volume):
            text = "No recycler plugin found for the volume!"
            self._writer.fail_volume(volume, "VolumeFailedRecycle", text)
        else:
            events.event(volume, NORMAL, "VolumeRecycled", "Volume recycled")
            self._writer.unbind(volume)
