"""Defaults of volumes, of the claims that they stand for and of the volumes behind those."""

from __future__ import annotations

from typing import Final

from kubestage.aliases import Json
from kubestage.objects import schema
from kubestage.objects.defaulting import containers, image, resources

_FILE_MODE: Final = 0o644
_SOURCES: Final = frozenset(schema.struct("core/v1.VolumeSource").by_json)


def volume(obj: Json) -> None:
    """Complete a volume of a pod in place; one without a source is an empty directory."""
    if _SOURCES.isdisjoint(obj):
        obj["emptyDir"] = {}
        return
    for name in ("secret", "configMap", "downwardAPI", "projected"):
        if name in obj:
            obj[name].setdefault("defaultMode", _FILE_MODE)
    if "image" in obj:
        reference = obj["image"].get("reference", "")
        obj["image"].setdefault("pullPolicy", image.pull_policy(reference))
    if "downwardAPI" in obj:
        _downward(obj["downwardAPI"])
    if "projected" in obj:
        for source in obj["projected"]["sources"] or ():
            _projection(source)
    template = obj.get("ephemeral", {}).get("volumeClaimTemplate")
    if template is not None:
        claim_spec(template["spec"])
    _network_source(obj)


def claim(obj: Json) -> None:
    """Complete a claim, on its own or in a StatefulSet's list of claims."""
    status = obj["status"]
    status.setdefault("phase", "Pending")
    claim_spec(obj["spec"])
    resources.round_up(status.get("capacity"))
    resources.round_up(status.get("allocatedResources"))


def claim_spec(spec: Json) -> None:
    """Complete what a claim asks for."""
    spec.setdefault("volumeMode", "Filesystem")
    resources.round_up_requirements(spec["resources"])


def persistent_volume(obj: Json, sent: Json) -> None:
    """Complete a PersistentVolume.

    An empty capacity has another error message than none, so it stays.
    """
    spec = obj["spec"]
    if (sent.get("spec") or {}).get("capacity") == {}:
        spec["capacity"] = {}
    obj["status"].setdefault("phase", "Pending")
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")
    volume_source(spec)


def volume_source(spec: Json) -> None:
    """Complete what any PersistentVolumeSpec holds, also inside a VolumeAttachment."""
    resources.round_up(spec.get("capacity"))
    _network_source(spec)


def _downward(obj: Json) -> None:
    for item in obj.get("items", ()):
        containers.field_reference(item.get("fieldRef"))


def _projection(source: Json) -> None:
    if "downwardAPI" in source:
        _downward(source["downwardAPI"])
    if "serviceAccountToken" in source:
        source["serviceAccountToken"].setdefault("expirationSeconds", 3600)


_SOURCE_DEFAULTS: Final[dict[str, Json]] = {
    "hostPath": {"type": ""},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {
        "cachingMode": "ReadWrite",
        "fsType": "ext4",
        "readOnly": False,
        "kind": "Shared",
    },
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}


def _network_source(obj: Json) -> None:
    """Sources that pods and persistent volumes share."""
    for name, defaults in _SOURCE_DEFAULTS.items():
        source = obj.get(name)
        if source is not None:
            for field, value in defaults.items():
                source.setdefault(field, value)
