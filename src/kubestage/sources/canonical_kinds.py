"""The kinds that an import has: all that matter to scheduling, controllers and autoscalers.

The list is what `kubestage import --print-kinds` prints, what a live import lists, and what is kept
of a dump. All else is counted with the reason why it is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from kubestage.objects import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

Need = Literal["", "secrets", "config"]


class CanonicalKind(NamedTuple):
    """One kind, and what it is for."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool
    purpose: str
    need: Need = ""
    """Of a live cluster it is listed only if its content is to be imported as well."""

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]


_PURPOSES: Final = {
    "the cluster": (
        "v1 Namespace", "v1 Node", "v1 ServiceAccount", "v1 LimitRange", "v1 ResourceQuota",
        "scheduling.k8s.io/v1 PriorityClass", "node.k8s.io/v1 RuntimeClass",
        "apiextensions.k8s.io/v1 CustomResourceDefinition",
    ),
    "workloads": (
        "v1 Pod", "v1 ReplicationController", "v1 PodTemplate", "v1 Service",
        "apps/v1 Deployment", "apps/v1 ReplicaSet", "apps/v1 StatefulSet", "apps/v1 DaemonSet",
        "apps/v1 ControllerRevision", "batch/v1 Job", "batch/v1 CronJob",
        "policy/v1 PodDisruptionBudget",
    ),
    "autoscaling": (
        "autoscaling/v2 HorizontalPodAutoscaler", "autoscaling.k8s.io/v1 VerticalPodAutoscaler",
        "autoscaling.k8s.io/v1 VerticalPodAutoscalerCheckpoint",
    ),
    "storage": (
        "v1 PersistentVolume", "v1 PersistentVolumeClaim", "storage.k8s.io/v1 StorageClass",
        "storage.k8s.io/v1 CSINode", "storage.k8s.io/v1 CSIDriver",
        "storage.k8s.io/v1 CSIStorageCapacity", "storage.k8s.io/v1 VolumeAttachment",
        "storage.k8s.io/v1 VolumeAttributesClass",
    ),
    "devices": (
        "resource.k8s.io/v1 DeviceClass", "resource.k8s.io/v1 ResourceClaim",
        "resource.k8s.io/v1 ResourceClaimTemplate", "resource.k8s.io/v1 ResourceSlice",
    ),
    "simulation": (
        "kwok.x-k8s.io/v1alpha1 Stage", "kubestage.dev/v1alpha1 Traffic",
        "kubestage.dev/v1alpha1 NodeGroup", "kubestage.dev/v1alpha1 PriceCatalog",
        "kubestage.dev/v1alpha1 StageNodeClass",
    ),
    "node autoscaling": (
        "karpenter.sh/v1 NodePool", "karpenter.sh/v1 NodeClaim",
        "karpenter.sh/v1alpha1 NodeOverlay", "karpenter.k8s.aws/v1 EC2NodeClass",
    ),
}  # fmt: skip
# Many clusters do not have them, which is no loss.
_OPTIONAL_GROUPS: Final = frozenset({
    "karpenter.sh", "karpenter.k8s.aws", "autoscaling.k8s.io", "kwok.x-k8s.io", "kubestage.dev",
    "resource.k8s.io",
})  # fmt: skip
_CONTENT: Final = (("v1 ConfigMap", "config"), ("v1 Secret", "secrets"))
_MADE_AGAIN: Final = {"Event", "Lease", "Endpoints", "EndpointSlice", "IPAddress", "NodeMetrics",
                      "PodMetrics"}  # fmt: skip
MADE_AGAIN: Final = "the run makes them again"
NO_EFFECT: Final = "no effect on scheduling or controllers"
NOT_SIMULATED: Final = "custom resource that is not simulated"
BUILT_IN: Final = "built in"
UNKNOWN_VERSION: Final = "version that is not known"
# Versions that are no longer served, of the same shape as the one that is.
_SAME_SHAPE: Final = {
    "policy/v1beta1": "policy/v1",
    "batch/v1beta1": "batch/v1",
    "autoscaling/v2beta2": "autoscaling/v2",
    "scheduling.k8s.io/v1beta1": "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1": "storage.k8s.io/v1",
    "node.k8s.io/v1beta1": "node.k8s.io/v1",
    "apps/v1beta2": "apps/v1",
}


def _rows() -> Iterator[CanonicalKind]:
    for purpose, names in _PURPOSES.items():
        yield from (_row(name, purpose) for name in names)
    for name, need in _CONTENT:
        yield _row(name, "configuration of pods")._replace(need=need)  # type: ignore[arg-type]


def _row(name: str, purpose: str) -> CanonicalKind:
    api_version, kind = name.split()
    row = kinds.built_in(api_version, kind)
    assert row is not None
    return CanonicalKind(api_version, kind, row.plural, row.namespaced, purpose)


KINDS: Final = tuple(_rows())
_BY_NAME: Final = {(each.group, each.kind): each for each in KINDS}
_ORDER: Final = {(each.group, each.kind): number for number, each in enumerate(KINDS)}
_BUILT_IN_KINDS: Final = frozenset((row.group, row.kind) for row in kinds.BUILT_IN)
_BUILT_IN_PLURALS: Final = {(row.group, row.plural): row for row in reversed(kinds.BUILT_IN)}


def listed(*, secrets: bool, config: bool) -> list[CanonicalKind]:
    """The kinds that a live import lists."""
    needs = {"": True, "secrets": secrets, "config": config}
    return [each for each in KINDS if needs[each.need]]


def find(api_version: str, kind: str) -> CanonicalKind | None:
    """The row of a kind, in whichever version it is."""
    return _BY_NAME.get((api_version.rpartition("/")[0], kind))


def by_plural(group: str, plural: str) -> tuple[str, str] | None:
    """The apiVersion and kind of a resource that is built in, or canonical."""
    row = _BUILT_IN_PLURALS.get((group, plural))
    return None if row is None else (row.api_version, row.kind)


def is_optional(row: CanonicalKind) -> bool:
    """Whether nothing is missing from a cluster without this kind."""
    return row.group in _OPTIONAL_GROUPS or row.kind == "VolumeAttributesClass"


def order(api_version: str, kind: str) -> int:
    """The place of a kind in the files of an import."""
    return _ORDER.get((api_version.rpartition("/")[0], kind), len(_ORDER))


def version_read(api_version: str, kind: str) -> str | None:
    """The version under which an object is read here; None if its shape is another."""
    if kinds.built_in(api_version, kind) is not None:
        return api_version
    same = _SAME_SHAPE.get(api_version)
    return same if same is not None and kinds.built_in(same, kind) is not None else None


def reason_left_out(api_version: str, kind: str) -> str:
    """Why objects of a kind that is not canonical are not imported."""
    if kind in _MADE_AGAIN:
        return MADE_AGAIN
    group = api_version.rpartition("/")[0]
    is_ours = (group, kind) in _BUILT_IN_KINDS or not group or group.endswith(".k8s.io")
    return NO_EFFECT if is_ours else NOT_SIMULATED


def definition_reason(definition: dict[str, object]) -> str:
    """Why a CustomResourceDefinition is left out: its kind is built in, or not simulated."""
    spec = definition.get("spec")
    group = spec.get("group") if isinstance(spec, dict) else None
    names = spec.get("names") if isinstance(spec, dict) else None
    kind = names.get("kind") if isinstance(names, dict) else None
    return BUILT_IN if (group, kind) in _BUILT_IN_KINDS else NOT_SIMULATED
