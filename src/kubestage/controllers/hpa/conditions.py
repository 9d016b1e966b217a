"""The status of an autoscaler: as a value, as JSON, and while it is being written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Sequence


Event = tuple[str, str, str]

ABLE_TO_SCALE: Final = "AbleToScale"
SCALING_ACTIVE: Final = "ScalingActive"
SCALING_LIMITED: Final = "ScalingLimited"
SCALED_TO_ZERO: Final = "ScaledToZero"


class Condition(NamedTuple):
    """One condition; `since_ns` is the moment of the calendar at which its status last changed."""

    type: str
    status: str
    reason: str
    message: str
    since_ns: int | None


class HpaStatus(msgspec.Struct, frozen=True):
    """The status of an autoscaler."""

    current_replicas: int = 0
    desired_replicas: int = 0
    last_scale_ns: int | None = None
    current_metrics: Sequence[Json] | None = None
    conditions: tuple[Condition, ...] = ()

    @classmethod
    def read(cls, status: Json | None) -> HpaStatus:
        """Read the status of a stored autoscaler."""
        found = status or {}
        return cls(
            found.get("currentReplicas") or 0,
            found.get("desiredReplicas") or 0,
            _time_ns(found.get("lastScaleTime")),
            found.get("currentMetrics") or None,
            tuple(map(_condition, found.get("conditions") or ())),
        )

    def as_json(self) -> Json:
        """What is stored of it: times are whole seconds."""
        found: Json = {}
        if self.last_scale_ns is not None:
            found["lastScaleTime"] = timestamps.format_time(self.last_scale_ns)
        if self.current_replicas:
            found["currentReplicas"] = self.current_replicas
        found["desiredReplicas"] = self.desired_replicas
        found["currentMetrics"] = list(self.current_metrics) if self.current_metrics else None
        if self.conditions:
            found["conditions"] = list(map(_condition_json, self.conditions))
        return found


class Draft:
    """A status during a sync, and the Events of that sync."""

    def __init__(self, before: HpaStatus, now_ns: int) -> None:
        self.before = before
        self.now_ns = now_ns
        self.events: list[Event] = []
        self._conditions = list(before.conditions)
        self._status = before

    def set(self, kind: str, status: str, reason: str, message: str) -> None:
        """Set a condition in its place, or add it; its time changes with its status only."""
        for at, old in enumerate(self._conditions):
            if old.type == kind:
                since_ns = old.since_ns if old.status == status else self.now_ns
                self._conditions[at] = Condition(kind, status, reason, message, since_ns)
                return
        self._conditions.append(Condition(kind, status, reason, message, self.now_ns))

    def remove(self, kind: str) -> None:
        """Take a condition away, if it is there."""
        self._conditions = [each for each in self._conditions if each.type != kind]

    def is_true(self, kind: str) -> bool:
        """Whether a condition is there and true."""
        return any(each.type == kind and each.status == "True" for each in self._conditions)

    def event(self, kind: str, reason: str, message: str) -> None:
        """Add an Event, Normal or Warning."""
        self.events.append((kind, reason, message))

    def count(
        self, current: int, desired: int | None, metrics: Sequence[Json] | None, *, rescaled: bool
    ) -> None:
        """Fill in all but the conditions; what was desired stays unless it is given."""
        before = self.before
        self._status = HpaStatus(
            current,
            before.desired_replicas if desired is None else desired,
            self.now_ns if rescaled else before.last_scale_ns,
            metrics or None,
        )

    @property
    def status(self) -> HpaStatus:
        """The status as it stands."""
        return msgspec.structs.replace(self._status, conditions=tuple(self._conditions))


def _condition(found: Json) -> Condition:
    return Condition(
        found["type"],
        found["status"],
        found.get("reason") or "",
        found.get("message") or "",
        _time_ns(found.get("lastTransitionTime")),
    )


def _condition_json(condition: Condition) -> Json:
    since_ns = condition.since_ns
    found: Json = {
        "type": condition.type,
        "status": condition.status,
        "lastTransitionTime": None if since_ns is None else timestamps.format_time(since_ns),
    }
    if condition.reason:
        found["reason"] = condition.reason
    if condition.message:
        found["message"] = condition.message
    return found


def _time_ns(text: str | None) -> int | None:
    return timestamps.parse_time(text) if text else None
