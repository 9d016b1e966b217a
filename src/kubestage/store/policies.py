"""How the verbs of the API treat a kind, where that follows from how the kind is served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import schema

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind

_CUSTOM_GROUPS: Final = frozenset({"autoscaling.k8s.io"})


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


def storage_key(kind: Kind, key: str) -> str:
    """The key under which the real server would store an object."""
    prefix = kind.behavior.storage_prefix
    if not prefix:
        prefix = f"{kind.group}/{kind.plural}" if is_custom(kind) else kind.plural
    return f"/registry/{prefix}/{key}"
