"""Which volumes CSI drivers attach to a node for a pod, and which are attached already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import csi_migration
from kubestage.scheduler.plugins import storage_objects
from kubestage.scheduler.status import Code, Status, error, unresolvable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.objects.views.storage import ClaimView
    from kubestage.scheduler.plugins.storage_objects import StorageObjects

Volumes = dict[tuple[str, ...], str]
"""Driver by volume. A volume is its driver and handle; one still to be made is its claim."""

Attachment = tuple[str, str]
"""A driver and the volume that it has attached, by its name."""


class AttachableVolumes:
    """Finds the volumes behind claims, classes and attachments."""

    def __init__(self, objects: StorageObjects) -> None:
        self.objects = objects

    def volumes_of(self, pod: PodView, *, on_csi_node: bool, is_new: bool) -> Volumes | Status:
        """The volumes of a pod, or why they are not known.

        Drivers of old count only `on_csi_node`, where their successors are known. A pod that runs
        already may have lost a claim; one that `is_new` must wait for it.
        """
        found: Volumes = {}
        for volume in storage_objects.volumes_of(pod):
            source = volume.get("persistentVolumeClaim")
            if source is not None:
                problem = self._add_claim(found, pod, source.get("claimName") or "", on_csi_node)
            elif volume.get("ephemeral") is not None:
                name = f"{pod.name}-{volume.get('name')}"
                problem = self._add_claim(found, pod, name, on_csi_node, ephemeral=True)
            else:
                problem = _add_inline(found, volume) if on_csi_node else None
            if problem is not None and (is_new or problem.code is Code.ERROR):
                return problem
        return found

    def attachments(self) -> Mapping[str, Sequence[Attachment]]:
        """What is reported as attached, by the name of the node; the same while nothing changes."""
        return self.objects.following("VolumeAttachment", _by_node)

    def attached(self, attachments: Iterable[Attachment]) -> Volumes:
        """The volumes that exist of those reported as attached."""
        found: Volumes = {}
        for attacher, name in attachments:
            volume = self.objects.volume(name)
            if volume is not None and volume.raw["spec"].get("csi") is not None:
                found[attacher, volume.handle] = attacher
        return found

    def _add_claim(
        self, found: Volumes, pod: PodView, name: str, on_csi_node: bool, *, ephemeral: bool = False
    ) -> Status | None:
        if not name:
            return error(storage_objects.NO_CLAIM_NAME)
        claim = self.objects.claim(pod.namespace, name)
        if claim is None:
            missing = storage_objects.claim_not_found(name)
            return unresolvable(f"looking up PVC {pod.namespace}/{name}: {missing}")
        if ephemeral:
            problem = storage_objects.foreign_claim(pod, claim)
            if problem is not None:
                return error(problem)
        volume = self._volume_behind(claim, on_csi_node)
        if volume is not None:
            found[volume] = volume[0]
        return None

    def _volume_behind(self, claim: ClaimView, on_csi_node: bool) -> tuple[str, ...] | None:
        bound = self.objects.volume(claim.volume_name) if claim.volume_name else None
        if bound is None:
            return self._volume_to_be(claim, on_csi_node)
        driver, handle = bound.driver, bound.handle
        if bound.raw["spec"].get("csi") is None:
            plugin = csi_migration.plugin_of(bound.raw["spec"])
            if plugin is None or not plugin.migrated or not on_csi_node:
                return None
            try:
                driver, handle = plugin.driver, csi_migration.volume_handle(plugin, bound.raw)
            except csi_migration.TranslationError:
                return None
        return (driver, handle) if driver and handle else None

    def _volume_to_be(self, claim: ClaimView, on_csi_node: bool) -> tuple[str, ...] | None:
        """The volume that the claim's class will provision; without a class there is none."""
        found = self.objects.storage_class(claim.class_name) if claim.class_name else None
        if found is None:
            return None
        driver = found.provisioner
        plugin = csi_migration.plugin_named(driver)
        if plugin is not None:
            if not plugin.migrated or not on_csi_node:
                return None
            driver = plugin.driver
        return (driver, claim.namespace, claim.name) if driver else None


def _by_node(listed: Iterable[Json]) -> dict[str, list[Attachment]]:
    by_node: dict[str, list[Attachment]] = {}
    for attachment in listed:
        spec = attachment["spec"]
        name, attacher = (
            (spec.get("source") or {}).get("persistentVolumeName"),
            spec.get("attacher"),
        )
        if attacher and name is not None:
            by_node.setdefault(spec.get("nodeName") or "", []).append((attacher, name))
    return by_node


def _add_inline(found: Volumes, volume: Json) -> Status | None:
    plugin = csi_migration.plugin_of(volume)
    if plugin is None or not plugin.migrated:
        return None
    try:
        handle = csi_migration.inline_handle(plugin, volume)
    except csi_migration.TranslationError as problem:
        return error(f"converting volume({volume.get('name')}) from inline to csi: {problem}")
    found[plugin.driver, handle] = plugin.driver
    return None
