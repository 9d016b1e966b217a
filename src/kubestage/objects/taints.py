"""Taints of nodes and the tolerations of pods.

``Lt`` and ``Gt`` tolerations exist but their feature gate is off by default; without it they
tolerate nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import label_requirement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

NO_SCHEDULE: Final = "NoSchedule"
PREFER_NO_SCHEDULE: Final = "PreferNoSchedule"
NO_EXECUTE: Final = "NoExecute"

_is_canonical: Final = re.compile("0|-?[1-9][0-9]*", re.ASCII).fullmatch


class Taint(msgspec.Struct, frozen=True, gc=False):
    """A mark on a node that keeps pods away unless they tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        if not self.effect:
            return f"{self.key}={self.value}:" if self.value else self.key
        return (
            f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"
        )


class Toleration(msgspec.Struct, frozen=True, gc=False):
    """A pod's permission to be where a taint is; an empty key or effect stands for any."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None

    def tolerates(self, taint: Taint, enable_comparison_operators: bool = False) -> bool:
        """Whether this toleration covers a taint."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator in ("", "Equal"):
            return self.value == taint.value
        if self.operator == "Exists":
            return True
        if enable_comparison_operators and self.operator in ("Lt", "Gt"):
            mine, theirs = _number(self.value), _number(taint.value)
            if mine is None or theirs is None:
                return False
            return theirs < mine if self.operator == "Lt" else theirs > mine
        return False


def _number(text: str) -> int | None:
    return label_requirement.to_int64(text) if _is_canonical(text) else None


def taint_of(taint: Mapping[str, Any]) -> Taint:
    """The view of a taint object."""
    return Taint(taint.get("key") or "", taint.get("value") or "", taint.get("effect") or "")


def toleration_of(toleration: Mapping[str, Any]) -> Toleration:
    """The view of a toleration object."""
    return Toleration(
        toleration.get("key") or "",
        toleration.get("operator") or "",
        toleration.get("value") or "",
        toleration.get("effect") or "",
        toleration.get("tolerationSeconds"),
    )


def tolerates_taint(
    tolerations: Iterable[Toleration], taint: Taint, enable_comparison_operators: bool = False
) -> bool:
    """Whether any of the tolerations covers a taint."""
    return any(item.tolerates(taint, enable_comparison_operators) for item in tolerations)


def find_untolerated_taint(
    node_taints: Iterable[Taint],
    tolerations: Collection[Toleration],
    effects: Collection[str] | None = None,
    enable_comparison_operators: bool = False,
) -> Taint | None:
    """The first taint, among those of the given effects, that nothing tolerates."""
    for taint in node_taints:
        if effects is not None and taint.effect not in effects:
            continue
        if not tolerates_taint(tolerations, taint, enable_comparison_operators):
            return taint
    return None
