"""The status of a CronJob while the loop works on it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json


@dataclasses.dataclass(slots=True)
class CronJobStatus:
    """All fields of a status, to be changed in place; `changed` once one of them was."""

    created: str
    active: list[Json]
    last_schedule_time: str | None
    last_successful_time: str | None
    changed: bool = False

    @classmethod
    def read(cls, cronjob: Json) -> CronJobStatus:
        """The fields of a CronJob's status; the list is a copy."""
        status = cronjob.get("status") or {}
        return cls(
            cronjob["metadata"]["creationTimestamp"],
            list(status.get("active") or ()),
            status.get("lastScheduleTime"),
            status.get("lastSuccessfulTime"),
        )

    def as_json(self) -> Json:
        """The status as it is stored."""
        written: Json = {}
        if self.active:
            written["active"] = list(self.active)
        if self.last_schedule_time is not None:
            written["lastScheduleTime"] = self.last_schedule_time
        if self.last_successful_time is not None:
            written["lastSuccessfulTime"] = self.last_successful_time
        return written

    @property
    def since_ns(self) -> int:
        """The moment last acted upon, before which nothing is missing."""
        return timestamps.parse_time(self.last_schedule_time or self.created)

    def lists(self, uid: str) -> bool:
        """Whether a Job is among the active ones."""
        return any(each.get("uid") == uid for each in self.active)

    def start(self, job: Json, at_ns: int) -> None:
        """A Job was started for a moment of the schedule."""
        metadata = job["metadata"]
        reference = {
            "kind": "Job",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "apiVersion": job["apiVersion"],
            "resourceVersion": metadata["resourceVersion"],
        }
        self.active.append(reference)
        self.last_schedule_time = timestamps.format_time(at_ns)
        self.changed = True

    def end(self, uid: str) -> None:
        """A Job is active no more."""
        self.active = [each for each in self.active if each.get("uid") != uid]
        self.changed = True

    def succeed(self, completion_time: str | None) -> None:
        """A Job succeeded then; the latest success counts."""
        last = self.last_successful_time
        if completion_time in (None, last) or (
            last is not None
            and timestamps.parse_time(completion_time) <= timestamps.parse_time(last)
        ):
            return
        self.last_successful_time = completion_time
        self.changed = True
