"""The Jobs of CronJobs: whose they are, what they are called, and the end of old ones."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.job import conditions
from kubestage.controllers.job.tracking import JOB
from kubestage.controllers.ownership import controller_of, controller_reference
from kubestage.errors import ApiError
from kubestage.golang import durations
from kubestage.objects import time_zones, timestamps
from kubestage.store.deletion import DeleteOptions
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.cronjob.status import CronJobStatus
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.log import Change
    from kubestage.store.store import Store


SCHEDULED: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"

_MINUTE_NS: Final = 60 * durations.SECOND


def name_for(cronjob: Json, at_ns: int) -> str:
    """The name of the Job for a moment, so that a second creation finds that it exists."""
    return f"{cronjob['metadata']['name']}-{at_ns // _MINUTE_NS}"


def from_template(cronjob: Json, at_ns: int) -> Json:
    """The Job for a moment of the schedule."""
    template = cronjob["spec"]["jobTemplate"]
    described = template.get("metadata") or {}
    stamp = _in_zone(at_ns, cronjob["spec"].get("timeZone") or time_zones.UTC)
    metadata: Json = {
        "name": name_for(cronjob, at_ns),
        "namespace": cronjob["metadata"]["namespace"],
        "annotations": {**(described.get("annotations") or {}), SCHEDULED: stamp},
        "ownerReferences": [controller_reference(cronjob)],
    }
    if described.get("labels"):
        metadata["labels"] = described["labels"]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": template["spec"],
    }


def _in_zone(at_ns: int, zone: str) -> str:
    """A moment as clocks of a zone show it."""
    offset_seconds = time_zones.offset_seconds(zone, at_ns // durations.SECOND)
    text = timestamps.format_time(at_ns + offset_seconds * durations.SECOND)
    if not offset_seconds:
        return text
    sign = "-" if offset_seconds < 0 else "+"
    hours, minutes = divmod(abs(offset_seconds) // 60, 60)
    return f"{text[:-1]}{sign}{hours:02d}:{minutes:02d}"


def describe_time(at_ns: int) -> str:
    """A moment as mail has it: ``Mon, 02 Jan 2006 15:04:05 +0000``."""
    moment = dt.datetime.fromtimestamp(at_ns // durations.SECOND, dt.UTC)
    day = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[moment.weekday()]
    month = (
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    )[moment.month - 1]  # fmt: skip
    return f"{day}, {moment:%d} {month} {moment:%Y %H:%M:%S} +0000"


class Child(NamedTuple):
    """A Job, and the condition by which it is over, if it is."""

    job: Json
    finished: Json | None


class Children:
    """Jobs by the name of what controls them, kept up to date change by change."""

    def __init__(self) -> None:
        self._jobs: dict[str, dict[str, Child]] = {}

    def observe(self, change: Change) -> None:
        """Follow a Job."""
        owner = _owner_key(change.new)
        before = owner if change.old is None else _owner_key(change.old)
        if before is not None and (before != owner or change.type == DELETED):
            known = self._jobs.get(before)
            if known is not None and known.pop(change.key, None) is not None and not known:
                del self._jobs[before]
        if owner is not None and change.type != DELETED:
            child = Child(change.new, conditions.finished(change.new))
            self._jobs.setdefault(owner, {})[change.key] = child

    def jobs_of(self, key: str) -> list[Child]:
        """The Jobs of a CronJob, as they came."""
        found = self._jobs.get(key)
        return list(found.values()) if found is not None else []


def _owner_key(job: Json) -> str | None:
    reference = controller_of(job)
    return None if reference is None else f"{job['metadata']['namespace']}/{reference['name']}"


class JobRemoval:
    """Deletes Jobs on behalf of a CronJob."""

    def __init__(self, store: Store, events: EventRecorder) -> None:
        self._store = store
        self._events = events

    def remove(self, cronjob: Json, job: Json, status: CronJobStatus) -> bool:
        """Delete a Job and let its pods follow; whether that was possible."""
        metadata = job["metadata"]
        options = DeleteOptions(propagation_policy="Background")
        try:
            self._store.delete(JOB, metadata["name"], metadata["namespace"], options)
        except ApiError as error:
            self._events.event(cronjob, WARNING, "FailedDelete", f"Deleted job: {error.message}")
            return False
        status.end(metadata["uid"])
        self._events.event(cronjob, NORMAL, "SuccessfulDelete", f"Deleted job {metadata['name']}")
        return True

    def remove_old(self, cronjob: Json, children: Iterable[Child], status: CronJobStatus) -> None:
        """Delete the oldest Jobs that are over, down to as many as are to be kept."""
        spec = cronjob["spec"]
        ended: dict[str, list[Json]] = {conditions.COMPLETE: [], conditions.FAILED: []}
        for job, finished in children:
            if finished is not None:
                ended[finished["type"]].append(job)
        for kind, limit in (
            (conditions.COMPLETE, spec.get("successfulJobsHistoryLimit")),
            (conditions.FAILED, spec.get("failedJobsHistoryLimit")),
        ):
            jobs = ended[kind]
            if limit is not None and len(jobs) > limit:
                for job in sorted(jobs, key=_age)[: len(jobs) - limit]:
                    self.remove(cronjob, job, status)


def _age(job: Json) -> tuple[bool, int, str]:
    """Orders Jobs by when they started; those that never did come last."""
    started = job["status"].get("startTime")
    at_ns = 0 if started is None else timestamps.parse_time(started)
    return started is None, at_ns, job["metadata"]["name"]
