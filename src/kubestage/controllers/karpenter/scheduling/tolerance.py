"""Whether pods tolerate taints, as Karpenter looks at it: numeric tolerations count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.scheduling.errors import Plain
from kubestage.objects import taints as taint_objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.taints import Taint, Toleration


def taints_of(stated: Iterable[Json] | None) -> tuple[Taint, ...]:
    """Taints as values."""
    return tuple(map(taint_objects.taint_of, stated or ()))


def tolerations_of(pod: Json) -> tuple[Toleration, ...]:
    """The tolerations of a pod as values."""
    return tuple(map(taint_objects.toleration_of, pod["spec"].get("tolerations") or ()))


def tolerates(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> bool:
    """Whether all taints are tolerated."""
    return all(taint_objects.tolerates_taint(tolerations, taint, True) for taint in taints)


def intolerance(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> Plain | None:
    """The taints that are not tolerated, as a reason."""
    shown = [
        f"did not tolerate taint (taint={_shown(taint)})"
        for taint in taints
        if not taint_objects.tolerates_taint(tolerations, taint, True)
    ]
    return Plain("; ".join(shown)) if shown else None


def _shown(taint: Taint) -> str:
    value = f"={taint.value}" if taint.value else ""
    return f"{taint.key}{value}:{taint.effect}"
