"""Karpenter's labels, annotations and taints, and which labels pods may require."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.taints import NO_EXECUTE, NO_SCHEDULE, Taint

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json

GROUP: Final = "karpenter.sh"

NODE_POOL: Final = f"{GROUP}/nodepool"
NODE_INITIALIZED: Final = f"{GROUP}/initialized"
NODE_REGISTERED: Final = f"{GROUP}/registered"
NODE_DO_NOT_SYNC_TAINTS: Final = f"{GROUP}/do-not-sync-taints"
CAPACITY_TYPE: Final = f"{GROUP}/capacity-type"

HOSTNAME: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
REGION: Final = "topology.kubernetes.io/region"
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
ARCH: Final = "kubernetes.io/arch"
OS: Final = "kubernetes.io/os"
WINDOWS_BUILD: Final = "node.kubernetes.io/windows-build"

DO_NOT_DISRUPT: Final = f"{GROUP}/do-not-disrupt"
NODE_POOL_HASH: Final = f"{GROUP}/nodepool-hash"
NODE_POOL_HASH_VERSION: Final = f"{GROUP}/nodepool-hash-version"
TERMINATION_TIMESTAMP: Final = f"{GROUP}/nodeclaim-termination-timestamp"
MIN_VALUES_RELAXED: Final = f"{GROUP}/nodeclaim-min-values-relaxed"
PRICE_OVERLAY_APPLIED: Final = f"{GROUP}/price-overlay-applied"
CAPACITY_OVERLAY_APPLIED: Final = f"{GROUP}/capacity-overlay-applied"
TERMINATION_FINALIZER: Final = f"{GROUP}/termination"

SPOT: Final = "spot"
ON_DEMAND: Final = "on-demand"
RESERVED: Final = "reserved"

DISRUPTED_TAINT: Final = Taint(f"{GROUP}/disrupted", "", NO_SCHEDULE)
UNREGISTERED_TAINT: Final = Taint(f"{GROUP}/unregistered", "", NO_EXECUTE)

WELL_KNOWN: Final = frozenset(
    {NODE_POOL, ZONE, REGION, INSTANCE_TYPE, ARCH, OS, CAPACITY_TYPE, WINDOWS_BUILD}
)
"""Labels that pods may require without a NodePool that defines them; a provider adds its own."""

RESTRICTED: Final = frozenset({HOSTNAME})
"""Labels that would interfere with provisioning."""

RESTRICTED_DOMAINS: Final = frozenset({GROUP})

SIMULATED: Final = frozenset({NODE_REGISTERED, NODE_INITIALIZED})
"""Labels that a future node is taken to have, so that DaemonSets which want them count."""

NORMALIZED: Final = {
    "failure-domain.beta.kubernetes.io/zone": ZONE,
    "failure-domain.beta.kubernetes.io/region": REGION,
    "beta.kubernetes.io/arch": ARCH,
    "beta.kubernetes.io/os": OS,
    "beta.kubernetes.io/instance-type": INSTANCE_TYPE,
}
"""Labels of old, and those that stand for them now."""

KNOWN_CAPACITY_TYPES: Final = frozenset({ON_DEMAND, SPOT, RESERVED})

_EPHEMERAL: Final = frozenset(
    {
        ("node.kubernetes.io/not-ready", NO_SCHEDULE),
        ("node.kubernetes.io/not-ready", NO_EXECUTE),
        ("node.kubernetes.io/unreachable", NO_SCHEDULE),
        ("node.cloudprovider.kubernetes.io/uninitialized", NO_SCHEDULE),
        (UNREGISTERED_TAINT.key, NO_EXECUTE),
    }
)
_EPHEMERAL_PREFIX: Final = "readiness.k8s.io/"


def is_ephemeral(taint: Taint) -> bool:
    """Whether a taint goes away while its node initializes; its value does not matter."""
    return (taint.key, taint.effect) in _EPHEMERAL or taint.key.startswith(_EPHEMERAL_PREFIX)


def node_class_label(node_pool: Json) -> tuple[str, str]:
    """The label that names the NodeClass of a NodePool's nodes, and its value."""
    reference = node_pool["spec"]["template"]["spec"]["nodeClassRef"]
    return f"{reference['group']}/{reference['kind'].lower()}", reference["name"]


def restriction(key: str, well_known: Collection[str]) -> str:
    """Why a label must not be required; empty if it may be."""
    if key in well_known:
        return ""
    domain = key.partition("/")[0] if "/" in key else ""
    restricted = any(domain == name or domain.endswith(f".{name}") for name in RESTRICTED_DOMAINS)
    if not restricted and key not in RESTRICTED:
        return ""
    return (
        f"using label {key} is not allowed as it might interfere with the internal provisioning "
        f"logic; specify a well known label: [{' '.join(sorted(well_known))}], or a custom label "
        f"that does not use a restricted domain: [{' '.join(sorted(RESTRICTED_DOMAINS))}]"
    )
