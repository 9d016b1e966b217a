"""Labels, taints and what selects by them: which keys and values stay, and which are replaced."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.sources.anonymising.replaced_names import ReplacedNames

# Prefixes of keys that are the same everywhere.
_PUBLIC_DOMAINS: Final = frozenset({
    "kubernetes.io", "k8s.io", "karpenter.sh", "karpenter.k8s.aws", "kubestage.dev",
    "eks.amazonaws.com", "cloud.google.com", "kubernetes.azure.com", "nvidia.com", "amd.com",
    "csi.aws.com", "gke.io", "openshift.io",
})  # fmt: skip
_PUBLIC_KEYS: Final = frozenset({
    "pod-template-hash", "controller-revision-hash", "pod-template-generation", "job-name",
    "controller-uid", "metadata.name",
})  # fmt: skip
# Keys whose values are facts about products, not about an organisation.
_PUBLIC_VALUES: Final = re.compile(
    r"(beta\.)?kubernetes\.io/(os|arch)|(beta|node)\.kubernetes\.io/instance-type"
    r"|karpenter\.sh/capacity-type|karpenter\.k8s\.aws/instance-.*|eks\.amazonaws\.com/capacityType"
    r"|cloud\.google\.com/gke-(spot|preemptible|provisioning|accelerator)"
    r"|nvidia\.com/.*|pod-security\.kubernetes\.io/.*|node-role\.kubernetes\.io/.*"
)
_NAMES: Final = {
    "kubernetes.io/hostname": "node",
    "metadata.name": "node",
    "kubernetes.io/metadata.name": "namespace",
    "statefulset.kubernetes.io/pod-name": "pod",
    "batch.kubernetes.io/job-name": "job",
    "job-name": "job",
    "controller-revision-hash": "controllerrevision",
    "karpenter.sh/nodepool": "nodepool",
}
_UIDS: Final = frozenset({"controller-uid", "batch.kubernetes.io/controller-uid"})
_PLAIN: Final = re.compile(r"-?[0-9]{1,18}|true|false|")
_ZONE: Final = re.compile(r"(zone|region)(-id)?$")


def key(text: str, names: ReplacedNames) -> str:
    """A label key, or the key of a taint; one with a public prefix stays."""
    domain, slash, _ = text.rpartition("/")
    if is_public_domain(domain) if slash else text in _PUBLIC_KEYS:
        return text
    return names.name("key", text)


def is_public_domain(domain: str) -> bool:
    """Whether a prefix is one that says nothing about who uses it."""
    parts = domain.split(".")
    return any(".".join(parts[at:]) in _PUBLIC_DOMAINS for at in range(len(parts)))


def value(label: str, text: Any, names: ReplacedNames) -> Any:
    """The value of a label; numbers stay, so that Gt and Lt mean the same."""
    if not isinstance(text, str) or _PLAIN.fullmatch(text) or _PUBLIC_VALUES.fullmatch(label):
        return text
    category = _NAMES.get(label)
    if label in _UIDS:
        return names.uid(text)
    if category is not None and names.is_known(category, text):
        return names.name(category, text)
    return names.name("zone" if _ZONE.search(label) else "value", text)


def mapping(found: Any, names: ReplacedNames) -> Any:
    """A map of labels, as in metadata, nodeSelector and matchLabels."""
    if not isinstance(found, dict):
        return found
    return {key(str(each), names): value(str(each), text, names) for each, text in found.items()}


def requirement(found: dict[str, Any], names: ReplacedNames) -> dict[str, Any]:
    """Something with a key and values: an expression, a taint, a toleration."""
    label = str(found.get("key") or "")
    result = {**found, "key": key(label, names)} if label else dict(found)
    if isinstance(found.get("values"), list):
        result["values"] = [value(label, each, names) for each in found["values"]]
    if "value" in found:
        result["value"] = value(label, found["value"], names)
    return result
