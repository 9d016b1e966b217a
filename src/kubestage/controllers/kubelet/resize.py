"""The state of a pod that is to get other resources, and how it is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.kubelet.plan import ContainerPlan, PodPlan


PENDING: Final = "PodResizePending"
IN_PROGRESS: Final = "PodResizeInProgress"
DEFERRED: Final = "Deferred"
ERROR: Final = "Error"

_encode: Final = msgspec.json.Encoder().encode


class Resize:
    """What a pod requests (`wants`) and its node has not granted, and the resize in progress.

    `pending` and `progress` are the conditions that say so. `held` is the plan by which the pod
    as a whole still runs.
    """

    __slots__ = ("held", "pending", "progress", "wants")

    def __init__(self) -> None:
        self.wants: PodPlan | None = None
        self.pending: Json | None = None
        self.progress: Json | None = None
        self.held: PodPlan | None = None

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to do or to report."""
        return self.pending is None and self.progress is None

    @property
    def has_failed(self) -> bool:
        """Whether what was granted could not be put into effect."""
        return self.progress is not None and self.progress.get("reason") == ERROR

    def conditions(self) -> list[Json]:
        """The conditions of the pod about the resize."""
        return [each for each in (self.pending, self.progress) if each is not None]


def condition(
    kind: str, before: Json | None, generation: int, reason: str, message: str, stamp: str
) -> Json:
    """A condition of a resize; an equal one stays as it is."""
    known = before or {}
    same_reason = before is not None and (known.get("reason") or "") == reason
    if same_reason and (known.get("message") or "", known["observedGeneration"]) == (
        message,
        generation,
    ):
        return known
    fresh: Json = {
        "type": kind,
        "observedGeneration": generation,
        "status": "True",
        "lastProbeTime": stamp,
        "lastTransitionTime": known["lastTransitionTime"] if same_reason else stamp,
    }
    if reason:
        fresh["reason"] = reason
    if message:
        fresh["message"] = message
    return fresh


def describe(what: str, plan: PodPlan, generation: int, error: str = "") -> str:
    """The message of an Event about a resize, with all resources of the pod."""
    summary: Json = {}
    if plan.inits:
        summary["initContainers"] = _listed(plan.inits)
    summary["containers"] = _listed(plan.containers)
    summary["generation"] = generation
    if error:
        summary["error"] = error
    return f"Pod resize {what}: {_encode(summary).decode()}"


def _listed(plans: Iterable[ContainerPlan]) -> list[Json]:
    return [{"name": each.name, "resources": _ordered(each.allocation.shown)} for each in plans]


def _ordered(shown: Json) -> Json:
    """Resources in the order of the API's fields, amounts by name."""
    return {
        part: dict(sorted(shown[part].items())) if part != "claims" else shown[part]
        for part in ("limits", "requests", "claims")
        if part in shown
    }
