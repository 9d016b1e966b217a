"""The volume plugins that are still part of kube-controller-manager: hostPath and NFS."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.controllers.volumes.storage_names import IN_TREE, MIGRATED_TO, PROVISIONED_BY
from kubestage.errors import KubestageError
from kubestage.objects import csi_migration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json


HOST_PATH: Final = "kubernetes.io/host-path"
_RECYCLABLE: Final = ("hostPath", "nfs")
_deletable_path: Final = re.compile("/tmp/.+").search


class PluginError(KubestageError):
    """What a plugin cannot do, with its message."""


def csi_driver(provisioner: str) -> str | None:
    """The CSI driver that has taken over an in-tree provisioner, if any has."""
    plugin = csi_migration.plugin_named(provisioner)
    return None if plugin is None else plugin.driver


def provisions(provisioner: str) -> bool:
    """Whether the controller provisions; False if another program does, PluginError if none can."""
    if csi_driver(provisioner) is not None:
        return False
    if provisioner == HOST_PATH:
        return True
    if provisioner.startswith(IN_TREE):
        raise PluginError(f"no volume plugin matched name: {provisioner}")
    return False


def deletes(volume: Json) -> bool:
    """Whether the controller itself deletes a volume; False if others do."""
    annotations: Mapping[str, str] = volume["metadata"].get("annotations") or {}
    provisioner = annotations.get(PROVISIONED_BY)
    if provisioner:
        if provisioner == HOST_PATH:
            return True
        if provisioner.startswith(IN_TREE):
            raise PluginError(f"no volume plugin matched name: {provisioner}")
        return False
    if MIGRATED_TO in annotations or volume["spec"].get("csi") is not None:
        return False
    if volume["spec"].get("hostPath") is not None:
        return True
    name = volume["metadata"]["name"]
    text = "no deletable volume plugin matched"
    raise PluginError(f'error getting deleter volume plugin for volume "{name}": {text}')


def check_deletable(volume: Json) -> None:
    """Refuse to delete what is not a directory for tests."""
    path = (volume["spec"].get("hostPath") or {}).get("path", "")
    if not _deletable_path(path):
        raise PluginError(f"host_path deleter only supports /tmp/.+ but received provided {path}")


def is_recyclable(volume: Json) -> bool:
    """Whether a volume can be scrubbed and offered again."""
    return any(volume["spec"].get(source) is not None for source in _RECYCLABLE)
