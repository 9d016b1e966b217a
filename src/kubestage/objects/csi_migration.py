"""Volumes of the drivers that Kubernetes once had built in, translated to CSI drivers.

The built-in drivers are gone; what still names them is served, counted and placed by the CSI
driver that took each one over.
"""

from __future__ import annotations

import re
import urllib.parse
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import MalformedValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


MIGRATED_PLUGINS_ANNOTATION: Final = "storage.alpha.kubernetes.io/migrated-plugins"

_ZONES_END: Final = "__"
_ZONE: Final = "topology.kubernetes.io/zone"
_REGION: Final = "topology.kubernetes.io/region"
_OLD_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
_OLD_REGION: Final = "failure-domain.beta.kubernetes.io/region"
_EBS_SCHEME: Final = "aws://"
_EBS_VOLUME: Final = re.compile(r"vol-[^/]*")
_UNSPECIFIED: Final = "UNSPECIFIED"


class TranslationError(MalformedValue):
    """A volume that its CSI driver cannot take over."""


class InTreePlugin(msgspec.Struct, frozen=True):
    """A driver of old: the field that names its volumes, and what took it over.

    `handle` reads a volume's identity from its source and its labels. The volumes of a plugin that
    is not `migrated` are known to have a successor, but are neither counted nor placed as its.
    """

    name: str
    source: str
    driver: str
    topology_key: str
    handle: Callable[[Json, Mapping[str, str]], str]
    migrated: bool = True


def _ebs_handle(source: Json, labels: Mapping[str, str]) -> str:
    del labels
    stated: str = source.get("volumeID") or ""
    if not stated.startswith(_EBS_SCHEME):
        return stated
    address = re.split(r"[?#]", stated.removeprefix(_EBS_SCHEME), maxsplit=1)[0]
    volume = urllib.parse.unquote(address.partition("/")[2]).strip("/")
    if not _EBS_VOLUME.fullmatch(volume):
        raise TranslationError(
            "failed to translate Kubernetes ID to EBS Volume ID "
            f"Invalid format for AWS volume ({stated})"
        )
    return volume


def _gce_handle(source: Json, labels: Mapping[str, str]) -> str:
    stated = labels.get(_OLD_ZONE) or labels.get(_ZONE) or ""
    zones = stated.split(_ZONES_END)
    place = f"zones/{stated or _UNSPECIFIED}" if len(zones) == 1 else f"regions/{_region(zones)}"
    return f"projects/{_UNSPECIFIED}/{place}/disks/{source.get('pdName') or ''}"


def _region(zones: list[str]) -> str:
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            raise TranslationError(
                "failed to get region from zones: zone in unexpected format, "
                f"expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            )
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        shown = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise TranslationError(
            "failed to get region from zones: "
            f"multiple or no regions gotten from zones, got: map[{shown}]"
        )
    return regions.pop()


def _azure_disk_handle(source: Json, labels: Mapping[str, str]) -> str:
    del labels
    kind = source.get("kind")
    if kind is not None and kind.lower() != "managed":
        raise TranslationError(f"kind({kind}) is not supported in csi migration")
    return source.get("diskURI") or ""


def _volume_id(source: Json, labels: Mapping[str, str]) -> str:
    del labels
    return source.get("volumeID") or ""


def _uncounted(source: Json, labels: Mapping[str, str]) -> str:
    del source, labels
    return ""


PLUGINS: Final = (
    InTreePlugin(
        "kubernetes.io/aws-ebs", "awsElasticBlockStore", "ebs.csi.aws.com",
        "topology.ebs.csi.aws.com/zone", _ebs_handle,
    ),
    InTreePlugin(
        "kubernetes.io/gce-pd", "gcePersistentDisk", "pd.csi.storage.gke.io",
        "topology.gke.io/zone", _gce_handle,
    ),
    InTreePlugin(
        "kubernetes.io/azure-disk", "azureDisk", "disk.csi.azure.com", "", _azure_disk_handle
    ),
    InTreePlugin(
        "kubernetes.io/cinder", "cinder", "cinder.csi.openstack.org",
        "topology.cinder.csi.openstack.org/zone", _volume_id,
    ),
    InTreePlugin(
        "kubernetes.io/portworx-volume", "portworxVolume", "pxd.portworx.com", "", _volume_id
    ),
    InTreePlugin(
        "kubernetes.io/azure-file", "azureFile", "file.csi.azure.com", "", _uncounted, False
    ),
    InTreePlugin(
        "kubernetes.io/vsphere-volume", "vsphereVolume", "csi.vsphere.vmware.com", "", _uncounted,
        False,
    ),
)  # fmt: skip
_BY_NAME: Final = {plugin.name: plugin for plugin in PLUGINS}


def plugin_of(volume: Mapping[str, Any]) -> InTreePlugin | None:
    """The driver of old that a pod's volume or a PersistentVolume's spec names, if any."""
    for plugin in PLUGINS:
        if volume.get(plugin.source) is not None:
            return plugin
    return None


def plugin_named(name: str) -> InTreePlugin | None:
    """The driver of old that a provisioner's name stands for, if any."""
    return _BY_NAME.get(name)


def volume_handle(plugin: InTreePlugin, volume: Json) -> str:
    """The CSI identity of a PersistentVolume; ``TranslationError`` if it has none."""
    labels = volume["metadata"].get("labels") or {}
    return plugin.handle(volume["spec"][plugin.source], labels)


def inline_handle(plugin: InTreePlugin, volume: Json) -> str:
    """The CSI identity of a volume that a pod states itself."""
    return plugin.handle(volume[plugin.source], {})


def node_affinity(plugin: InTreePlugin, volume: Json) -> Json | None:
    """The node selector of a PersistentVolume in the words of the CSI driver.

    The driver labels nodes with a topology key of its own; a volume placed by its own labels
    only is placed by that key too.
    """
    volume_handle(plugin, volume)
    required: Json | None = (volume["spec"].get("nodeAffinity") or {}).get("required")
    if not plugin.topology_key:
        return required
    terms: list[Json] = list((required or {}).get("nodeSelectorTerms") or ())
    labels = volume["metadata"].get("labels") or {}
    zone, region = _topology_labels(terms, labels)
    if _has_values(terms, zone):
        terms = _renamed(terms, zone, plugin.topology_key)
    elif zone in labels:
        zones = sorted({part.strip() for part in labels[zone].split(_ZONES_END)} - {""})
        if zones:
            placed = {"key": plugin.topology_key, "operator": "In", "values": zones}
            terms = [
                {**term, "matchExpressions": [*(term.get("matchExpressions") or ()), placed]}
                for term in terms or [{}]
            ]
            required = required or {}
    if region == _OLD_REGION and _has_values(terms, region):
        terms = _renamed(terms, region, _REGION)
    return None if required is None else {**required, "nodeSelectorTerms": terms}


def _topology_labels(terms: list[Json], labels: Mapping[str, str]) -> tuple[str, str]:
    keys = {each.get("key") for term in terms for each in term.get("matchExpressions") or ()}
    for known in (keys, labels):
        if _ZONE in known:
            return _ZONE, _REGION
        if _OLD_ZONE in known:
            return _OLD_ZONE, _OLD_REGION
    return _ZONE, _REGION


def _has_values(terms: list[Json], key: str) -> bool:
    return any(
        each.get("key") == key and each.get("values")
        for term in terms
        for each in term.get("matchExpressions") or ()
    )


def _renamed(terms: list[Json], old: str, new: str) -> list[Json]:
    return [
        {
            **term,
            "matchExpressions": [
                {**each, "key": new} if each.get("key") == old else each
                for each in term.get("matchExpressions") or ()
            ],
        }
        for term in terms
    ]
