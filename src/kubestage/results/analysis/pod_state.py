"""A pod as the timeline describes it, from its first mention to its end."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.objects.views.pod import DEFAULT_SCHEDULER

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.analysis.amounts import Amounts
    from kubestage.results.analysis.timeline import TimelineAttempt


SCHEDULED: Final = "Scheduled"
PENDING: Final = "Pending"
GATED: Final = "Gated"
PREEMPTED: Final = "Preempted"
DELETED: Final = "Deleted"
OVER: Final = ("Succeeded", "Failed")


@dataclasses.dataclass(slots=True, eq=False)
class PodState:
    """A pod and its history so far; two pods with one name have one each.

    `created`, `bound`, `preempted`, `deleted` and `finished` are steps, None if that did not
    happen. `node` stays what it was when the pod is gone.
    """

    key: str
    uid: str
    object: Json
    requests: Amounts
    created: int
    is_daemon: bool = False
    node: str = ""
    bound: int | None = None
    preempted: int | None = None
    preempted_by: str | None = None
    deleted: int | None = None
    finished: int | None = None
    attempts: list[TimelineAttempt] = dataclasses.field(default_factory=list)

    @property
    def is_gone(self) -> bool:
        """Whether it is no longer in the cluster."""
        return self.preempted is not None or self.deleted is not None

    @property
    def is_waiting(self) -> bool:
        """Whether it is in the cluster and needs a node."""
        return not (self.node or self.is_gone or self.finished is not None)

    @property
    def is_gated(self) -> bool:
        """Whether it waits for its gates to be taken away, not for a scheduler."""
        return self.is_waiting and bool((self.object.get("spec") or {}).get("schedulingGates"))

    @property
    def untried(self) -> str:
        """Why the scheduler may not have tried a pod."""
        if (self.object.get("spec") or {}).get("resourceClaims"):
            return "not tried: are all of its ResourceClaims there?"
        return f'not tried: is there a profile "{self.profile}"?'

    @property
    def status(self) -> str:
        """Scheduled, Pending, Gated, Preempted, Deleted, Succeeded or Failed."""
        if self.preempted is not None:
            return PREEMPTED
        if self.deleted is not None:
            return DELETED
        if self.finished is not None:
            return phase_of(self.object)
        if self.node:
            return SCHEDULED
        return GATED if self.is_gated else PENDING

    @property
    def profile(self) -> str:
        """The scheduler profile that it asks for."""
        return str((self.object.get("spec") or {}).get("schedulerName") or DEFAULT_SCHEDULER)

    @property
    def priority(self) -> int:
        """Its priority."""
        return int((self.object.get("spec") or {}).get("priority") or 0)

    @property
    def message(self) -> str:
        """Why it has no node, in the scheduler's last words; empty if none were recorded."""
        if self.attempts and self.attempts[-1].message:
            return self.attempts[-1].message
        for condition in (self.object.get("status") or {}).get("conditions") or ():
            if condition.get("type") == "PodScheduled":
                return str(condition.get("message") or "")
        return ""


def name_of(obj: Json) -> str:
    """The name of an object."""
    return str((obj.get("metadata") or {}).get("name") or "")


def key_of(obj: Json) -> str:
    """``namespace/name``."""
    metadata = obj.get("metadata") or {}
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name') or ''}"


def uid_of(obj: Json) -> str:
    """The uid; empty if the object has none."""
    return str((obj.get("metadata") or {}).get("uid") or "")


def controller_of(obj: Json) -> Json | None:
    """The reference to the owner that manages an object."""
    for owner in (obj.get("metadata") or {}).get("ownerReferences") or ():
        if owner.get("controller"):
            found: Json = owner
            return found
    return None


def phase_of(pod: Json) -> str:
    """The phase of a pod; empty if it does not say."""
    return str((pod.get("status") or {}).get("phase") or "")
