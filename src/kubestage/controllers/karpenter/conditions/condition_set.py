"""The conditions of an object of which one sums up others, as Karpenter's library keeps them.

The root, Ready, is true once all that it depends on are, and false as soon as one of them is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json

READY: Final = "Ready"
TRUE: Final = "True"
FALSE: Final = "False"
UNKNOWN: Final = "Unknown"

NODE_CLAIM: Final = ("Launched", "Registered", "Initialized")
NODE_POOL: Final = ("ValidationSucceeded", "NodeClassReady")

_AWAITED: Final = ("AwaitingReconciliation", "object is awaiting reconciliation")


class ConditionSet:
    """The conditions of one object, to be changed; `dependents` are what Ready depends on."""

    def __init__(self, obj: Json, dependents: Sequence[str], now_ns: int) -> None:
        self._dependents = tuple(dependents)
        self._metadata: Json = obj["metadata"]
        self._now = timestamps.format_time(now_ns)
        self._status: Json = obj.get("status") or {}
        self._all: list[Json] = list(self._status.get("conditions") or ())
        for kind in (READY, *self._dependents):
            if self.get(kind) is None:
                self.set(kind, UNKNOWN, *_AWAITED)

    @property
    def status(self) -> Json:
        """The status of the object with these conditions."""
        return {**self._status, "conditions": self._all}

    def get(self, kind: str) -> Json | None:
        """A condition; None if it is not there."""
        return next((each for each in self._all if each["type"] == kind), None)

    def value(self, kind: str) -> str:
        """The status of a condition: Unknown if it is not there."""
        found = self.get(kind)
        return UNKNOWN if found is None else str(found["status"])

    def is_true(self, kind: str) -> bool:
        """Whether a condition is there and true."""
        return self.value(kind) == TRUE

    def since_ns(self, kind: str) -> int:
        """When a condition last changed."""
        found = self.get(kind)
        return timestamps.parse_time((found or {}).get("lastTransitionTime") or self._now)

    def set_true(self, kind: str, reason: str = "", message: str = "") -> None:
        """Set a condition to true."""
        self.set(kind, TRUE, reason or kind, message)

    def set_false(self, kind: str, reason: str, message: str) -> None:
        """Set a condition to false."""
        self.set(kind, FALSE, reason, message)

    def set_unknown(self, kind: str, reason: str = _AWAITED[0], message: str = _AWAITED[1]) -> None:
        """Set a condition to unknown."""
        self.set(kind, UNKNOWN, reason, message)

    def observe(self, kind: str) -> None:
        """Set a condition once more as it is, for the present generation."""
        found = self.get(kind)
        if found is not None:
            self.set(kind, found["status"], found.get("reason") or "", found.get("message") or "")

    def set(self, kind: str, status: str, reason: str, message: str) -> None:
        """Set a condition; its time changes with its status alone."""
        before = self.get(kind)
        condition: Json = {
            "lastTransitionTime": self._time(kind, status, before),
            "message": message,
            "observedGeneration": self._generation,
            "reason": reason,
            "status": status,
            "type": kind,
        }
        if before is not None and condition == {**before, "type": kind}:
            return
        others = [each for each in self._all if each["type"] != kind]
        if "deletionTimestamp" in self._metadata:
            others = [{**each, "observedGeneration": self._generation} for each in others]
        self._all = sorted([*others, condition], key=_order)
        if kind != READY:
            self._sum_up()

    def clear(self, kind: str) -> None:
        """Remove a condition on which Ready does not depend."""
        if self.get(kind) is not None:
            left = (each for each in self._all if each["type"] != kind)
            self._all = sorted(left, key=lambda each: str(each["type"]))

    @property
    def _generation(self) -> int:
        return self._metadata.get("generation") or 0

    def _time(self, kind: str, status: str, before: Json | None) -> str:
        if before is None:
            created: str = self._metadata.get("creationTimestamp") or self._now
            return created if kind in (READY, *self._dependents) else self._now
        kept: str = before["lastTransitionTime"]
        return kept if before["status"] == status else self._now

    def _sum_up(self) -> None:
        unhealthy = [
            each
            for each in self._all
            if each["type"] in self._dependents
            and (each["status"] != TRUE or each.get("observedGeneration") != self._generation)
        ]
        if not unhealthy:
            self.set_true(READY)
            return
        unhealthy.sort(key=lambda each: str(each["lastTransitionTime"]), reverse=True)
        is_false = any(
            each["status"] == FALSE and each.get("observedGeneration") == self._generation
            for each in unhealthy
        )
        status, reason = (
            (FALSE, "UnhealthyDependents") if is_false else (UNKNOWN, "ReconcilingDependents")
        )
        text = ", ".join(f"{each['type']}={each['status']}" for each in unhealthy)
        self.set(READY, status, reason, text)


def _order(condition: Json) -> tuple[bool, str]:
    return condition["type"] == READY, str(condition["lastTransitionTime"])
