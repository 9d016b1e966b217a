"""The status of a Job while the loop works on it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Container

    from kubestage.aliases import Json


_NONE: Final[Json] = {}


@dataclasses.dataclass(slots=True)
class JobStatus:
    """All fields of a status, to be changed in place.

    The uncounted lists hold the uids of pods that have ended, are not in the numbers yet, and
    still have their finalizer.
    """

    conditions: list[Json]
    start_ns: int | None
    completion_time: str | None
    active: int
    succeeded: int
    failed: int
    terminating: int | None
    ready: int | None
    completed_indexes: str
    failed_indexes: str | None
    uncounted_succeeded: list[str]
    uncounted_failed: list[str]

    @classmethod
    def read(cls, job: Json) -> JobStatus:
        """The fields of a Job's status; its lists are copies."""
        status: Json = job.get("status") or _NONE
        started = status.get("startTime")
        uncounted: Json = status.get("uncountedTerminatedPods") or _NONE
        return cls(
            conditions=list(status.get("conditions") or ()),
            start_ns=None if started is None else timestamps.parse_time(started),
            completion_time=status.get("completionTime"),
            active=status.get("active", 0),
            succeeded=status.get("succeeded", 0),
            failed=status.get("failed", 0),
            terminating=status.get("terminating"),
            ready=status.get("ready"),
            completed_indexes=status.get("completedIndexes", ""),
            failed_indexes=status.get("failedIndexes"),
            uncounted_succeeded=list(uncounted.get("succeeded") or ()),
            uncounted_failed=list(uncounted.get("failed") or ()),
        )

    def as_json(self) -> Json:
        """The status as it is stored: what is zero and optional is left out."""
        written: Json = {}
        if self.conditions:
            written["conditions"] = list(self.conditions)
        if self.start_ns is not None:
            written["startTime"] = timestamps.format_time(self.start_ns)
        if self.completion_time is not None:
            written["completionTime"] = self.completion_time
        for name, count in (
            ("active", self.active),
            ("succeeded", self.succeeded),
            ("failed", self.failed),
        ):
            if count:
                written[name] = count
        if self.terminating is not None:
            written["terminating"] = self.terminating
        if self.completed_indexes:
            written["completedIndexes"] = self.completed_indexes
        if self.failed_indexes is not None:
            written["failedIndexes"] = self.failed_indexes
        uncounted: Json = {}
        if self.uncounted_succeeded:
            uncounted["succeeded"] = list(self.uncounted_succeeded)
        if self.uncounted_failed:
            uncounted["failed"] = list(self.uncounted_failed)
        written["uncountedTerminatedPods"] = uncounted
        if self.ready is not None:
            written["ready"] = self.ready
        return written

    def count_released(self, held: Container[str]) -> bool:
        """Count the uncounted pods that have no finalizer any more; whether there were any."""
        succeeded = [uid for uid in self.uncounted_succeeded if uid in held]
        failed = [uid for uid in self.uncounted_failed if uid in held]
        newly_succeeded = len(self.uncounted_succeeded) - len(succeeded)
        newly_failed = len(self.uncounted_failed) - len(failed)
        self.succeeded += newly_succeeded
        self.failed += newly_failed
        self.uncounted_succeeded, self.uncounted_failed = succeeded, failed
        return bool(newly_succeeded or newly_failed)
