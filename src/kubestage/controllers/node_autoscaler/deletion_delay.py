"""Annotations by which other programs delay the deletion of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

CHECK_AGAIN_NS: Final = 5 * SECOND_NS
_PREFIX: Final = "delay-deletion.cluster-autoscaler.kubernetes.io/"


def is_delayed(node: Json) -> bool:
    """Whether a node has such an annotation."""
    return any(key.startswith(_PREFIX) for key in node["metadata"].get("annotations") or ())
