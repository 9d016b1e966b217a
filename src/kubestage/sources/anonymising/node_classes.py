"""EC2NodeClasses without what belongs to an account: what changes nodes stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json

KIND: Final = ("karpenter.k8s.aws", "EC2NodeClass")
_KEPT: Final = ("amiFamily", "instanceStorePolicy", "metadataOptions")
_KUBELET: Final = ("maxPods", "podsPerCore", "kubeReserved", "systemReserved", "evictionHard")
_VOLUME: Final = ("volumeSize", "volumeType")
_SELECTED: Final = {"tags": {"anonymised": "true"}}
_ROLE: Final = "anonymised"


def anonymised(obj: Json, metadata: Callable[[Json], Json]) -> Json:
    """A class, or a patch of one; its metadata are replaced as those of every object."""
    result: Json = {key: obj[key] for key in ("apiVersion", "kind") if key in obj}
    if "metadata" in obj:
        result["metadata"] = metadata(obj["metadata"])
    if "spec" in obj:
        result["spec"] = without_account(obj["spec"] or {})
    return result


def without_account(spec: Json) -> Json:
    """A spec whose selectors and identity say nothing."""
    images = [
        {"alias": each["alias"]}
        for each in spec.get("amiSelectorTerms") or ()
        if isinstance(each, dict) and "alias" in each
    ]
    found: Json = {name: spec[name] for name in _KEPT if name in spec}
    found |= {
        "role": _ROLE,
        "amiSelectorTerms": images or [_SELECTED],
        "subnetSelectorTerms": [_SELECTED],
        "securityGroupSelectorTerms": [_SELECTED],
    }
    if not images:
        found.setdefault("amiFamily", "Custom")
    kubelet = {name: each for name, each in (spec.get("kubelet") or {}).items() if name in _KUBELET}
    if kubelet:
        found["kubelet"] = kubelet
    volumes = [_volume(each) for each in spec.get("blockDeviceMappings") or ()]
    if any(volumes):
        found["blockDeviceMappings"] = [each for each in volumes if each]
    return found


def _volume(mapping: Json) -> Json | None:
    stated = mapping.get("ebs") or {}
    if "volumeSize" not in stated:
        return None
    kept: Json = {name: mapping[name] for name in ("deviceName", "rootVolume") if name in mapping}
    return {**kept, "ebs": {name: stated[name] for name in _VOLUME if name in stated}}
