"""Where kinds differ in how the verbs treat them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import schema, strategy

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind

_RBAC: Final = "rbac.authorization.k8s.io"
# Kinds that a PUT creates when they are not there.
_CREATED_BY_UPDATE: Final = frozenset(
    {
        ("", "Endpoints"), ("", "Event"), ("", "LimitRange"), ("", "Service"),
        ("coordination.k8s.io", "Lease"), ("events.k8s.io", "Event"),
        ("node.k8s.io", "RuntimeClass"),
        (_RBAC, "Role"), (_RBAC, "RoleBinding"),
        (_RBAC, "ClusterRole"), (_RBAC, "ClusterRoleBinding"),
    }
)  # fmt: skip
# Kinds whose dependents stay when a deletion does not say what becomes of them.
_ORPHANING: Final = frozenset({("", "ReplicationController"), ("batch", "Job")})
# Kinds that stay when a Scenario empties the cluster.
_LASTING: Final = frozenset({("simulation.kube-scheduler-simulator.x-k8s.io", "Scenario")})
_CUSTOM_GROUPS: Final = frozenset({"autoscaling.k8s.io"})
# Where the storage key that some messages quote is not /registry/<plural>.
_STORAGE_PREFIXES: Final = {
    ("", "nodes"): "minions",
    ("", "services"): "services/specs",
    ("", "endpoints"): "services/endpoints",
    ("", "replicationcontrollers"): "controllers",
    ("networking.k8s.io", "ingresses"): "ingress",
    ("apiextensions.k8s.io", "customresourcedefinitions"): (
        "apiextensions.k8s.io/customresourcedefinitions"
    ),
}


def is_custom(kind: Kind) -> bool:
    """Whether a kind is served as custom resources are."""
    return (
        kind.definition is not None
        or kind.group in _CUSTOM_GROUPS
        or schema.kind_struct(kind.api_version, kind.kind) is None
    )


def patch_struct(kind: Kind) -> schema.Struct | None:
    """The shape that strategic merge patches go by; custom resources have none, save ours."""
    of = schema.own_struct if is_custom(kind) else schema.kind_struct
    return of(kind.api_version, kind.kind)


def is_lasting(kind: Kind) -> bool:
    """Whether objects of a kind stay when a Scenario empties the cluster: Scenarios do."""
    return (kind.group, kind.kind) in _LASTING


def created_by_update(kind: Kind) -> bool:
    """Whether a PUT creates what is not there."""
    return (kind.group, kind.kind) in _CREATED_BY_UPDATE


def names_itself(kind: Kind) -> bool:
    """Whether a new object without any name gets one: limit ranges are as old as that."""
    return (kind.group, kind.kind) == ("", "LimitRange")


def needs_version(kind: Kind) -> bool:
    """Whether a PUT must say which version it replaces."""
    return not strategy.allows_unconditional_update(kind.api_version, kind.kind)


def completed_on_reading(kind: Kind, obj: dict[str, Any]) -> bool:
    """Whether a new object is stored without defaults that it is then read with.

    A claim has no phase until it is read; a job, no labels if its template got its only ones when
    it was stored.
    """
    if (kind.group, kind.kind) == ("batch", "Job"):
        template = (obj.get("spec") or {}).get("template") or {}
        given = (obj.get("metadata") or {}, template.get("metadata") or {})
        return not any(metadata.get("labels") for metadata in given)
    return (kind.group, kind.kind) == ("", "PersistentVolumeClaim")


def orphans_dependents(kind: Kind) -> bool:
    """Whether dependents stay when a deletion names no policy: two kinds older than policies."""
    return (kind.group, kind.kind) in _ORPHANING


def keeps_no_dependents(kind: Kind) -> bool:
    """Whether deletion policies mean nothing: events own nothing."""
    return kind.kind == "Event"


def is_uncached(kind: Kind) -> bool:
    """Whether the real server reads objects from its storage each time: it does so with events."""
    return kind.kind == "Event"


def storage_key(kind: Kind, key: str) -> str:
    """The key under which the real server would keep an object."""
    prefix = _STORAGE_PREFIXES.get((kind.group, kind.plural))
    if prefix is None:
        prefix = f"{kind.group}/{kind.plural}" if is_custom(kind) else kind.plural
    return f"/registry/{prefix}/{key}"
