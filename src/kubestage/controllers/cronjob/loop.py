"""The loop of CronJobs: its handlers, and one sync of a CronJob."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.controller import Controller, Retry
from kubestage.controllers.cronjob import due
from kubestage.controllers.cronjob.jobs import (
    Child,
    Children,
    JobRemoval,
    describe_time,
    from_template,
    name_for,
)
from kubestage.controllers.cronjob.status import CronJobStatus
from kubestage.controllers.job import conditions
from kubestage.controllers.job.tracking import JOB
from kubestage.controllers.ownership import controller_of, is_controlled_by
from kubestage.controllers.pod_control import is_namespace_ending
from kubestage.errors import AlreadyExists, ApiError, NotFound
from kubestage.golang import durations
from kubestage.objects import cron_schedule, gvk, time_zones, timestamps
from kubestage.objects.validation import field
from kubestage.store.event_recorder import NORMAL, WARNING
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


class CronJobController(Controller):
    """Starts a Job whenever a CronJob's schedule is due."""

    name = "cronjob-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._cronjobs = self.store.read(gvk.CRON_JOB)
        self._children = Children()
        self._removal = JobRemoval(self.store, self.events)

    def handlers(self) -> Handlers:
        """CronJobs, and all Jobs."""
        return {("batch", "CronJob"): self._on_cronjob, ("batch", "Job"): self._on_job}

    def _on_job(self, change: Change) -> None:
        self._children.observe(change)
        reference = controller_of(change.new)
        before = reference if change.old is None else controller_of(change.old)
        for each in (reference,) if before == reference else (before, reference):
            if each is None or each["kind"] != "CronJob":
                continue
            key = f"{change.new['metadata']['namespace']}/{each['name']}"
            cronjob = self._cronjobs.get(key)
            if cronjob is not None and cronjob["metadata"]["uid"] == each["uid"]:
                self.queue.add(key)

    def _on_cronjob(self, change: Change) -> None:
        new, old = change.new, change.old
        if change.type == DELETED or old is None:
            self.queue.add(change.key)
            return
        spec, before = new["spec"], old["spec"]
        if spec is before or all(
            spec.get(name) == before.get(name) for name in ("schedule", "timeZone")
        ):
            self.queue.add(change.key)
            return
        text = due.schedule_text(spec)
        try:
            cron_schedule.parse(text)
        except cron_schedule.ScheduleError:
            message = f"unparseable schedule for cronjob: {spec['schedule']}"
            self.events.event(new, WARNING, "UnParseableCronJobSchedule", message)
            return
        self._wait(change.key, CronJobStatus.read(new), text)

    def sync(self, key: str) -> None:
        """Start the Job that is due, tidy up, and come back for the next."""
        cronjob = self._cronjobs.get(key)
        if cronjob is None:
            return
        children = self._children.jobs_of(key)
        status = CronJobStatus.read(cronjob)
        self._removal.remove_old(cronjob, children, status)
        try:
            self._take_stock(cronjob, children, status)
            text = self._schedule_of(cronjob)
            if text is not None and self._start_due(cronjob, status, text):
                self._wait(key, status, text)
        finally:
            if status.changed:
                self.store.record_status(gvk.CRON_JOB, key, status.as_json())

    def _wait(self, key: str, status: CronJobStatus, text: str) -> None:
        self.queue.add_after(key, due.wait_ns(status.since_ns, text, self.clock.unix_ns))

    def _take_stock(self, cronjob: Json, children: list[Child], status: CronJobStatus) -> None:
        """Record the results of the Jobs that were started."""
        for job, finished in children:
            metadata = job["metadata"]
            is_listed = bool(status.active) and status.lists(metadata["uid"])
            if finished is None:
                if not is_listed:
                    message = "Saw a job that the controller did not create or forgot"
                    self._warn(cronjob, "UnexpectedJob", f"{message}: {metadata['name']}")
                continue
            if is_listed:
                status.end(metadata["uid"])
                message = f"Saw completed job: {metadata['name']}, condition: {finished['type']}"
                self.events.event(cronjob, NORMAL, "SawCompletedJob", message)
            if finished["type"] == conditions.COMPLETE:
                status.succeed(job["status"].get("completionTime"))
        known = {job["metadata"]["uid"] for job, _ in children} if status.active else ()
        for each in list(status.active):
            if each["uid"] not in known and self._find(each) is None:
                message = f"Active job went missing: {each['name']}"
                self.events.event(cronjob, NORMAL, "MissingJob", message)
                status.end(each["uid"])

    def _schedule_of(self, cronjob: Json) -> str | None:
        """The schedule that a CronJob is to follow; None if it is to do nothing now."""
        spec = cronjob["spec"]
        if "deletionTimestamp" in cronjob["metadata"]:
            return None
        zone = spec.get("timeZone")
        if zone is not None:
            try:
                time_zones.check(zone)
            except time_zones.UnknownTimeZone as error:
                message = f"invalid timeZone: {field.quote(zone)}: {error}"
                self._warn(cronjob, "UnknownTimeZone", message)
                return None
        if spec.get("suspend"):
            return None
        schedule = spec["schedule"]
        if "TZ" in schedule:
            message = (
                f"CRON_TZ or TZ used in schedule {field.quote(schedule)} is not officially "
                "supported, see https://kubernetes.io/docs/concepts/workloads/controllers/"
                "cron-jobs/ for more details"
            )
            self._warn(cronjob, "UnsupportedSchedule", message)
        text = due.schedule_text(spec)
        try:
            cron_schedule.parse(text)
        except cron_schedule.ScheduleError as error:
            message = f"unparseable schedule: {field.quote(schedule)} : {error}"
            self._warn(cronjob, "UnparseableSchedule", message)
            return None
        return text

    def _start_due(self, cronjob: Json, status: CronJobStatus, text: str) -> bool:
        """Start the Job that is due, if one is; whether the CronJob waits for the next."""
        now_ns, spec = self.clock.unix_ns, cronjob["spec"]
        try:
            found = due.latest_startable(status.since_ns, spec, text, now_ns)
        except due.InvalidSchedule as error:
            self._warn(
                cronjob, "InvalidSchedule", f"invalid schedule: {spec['schedule']} : {error}"
            )
            return False
        at_ns = found.at_ns
        if at_ns is None:
            return True
        if found.too_many:
            message = (
                "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or "
                "check clock skew"
            )
            self._warn(cronjob, "TooManyMissedTimes", message)
        deadline_seconds = spec.get("startingDeadlineSeconds")
        if deadline_seconds is not None and at_ns + deadline_seconds * durations.SECOND < now_ns:
            message = f"Missed scheduled time to start a job: {describe_time(at_ns)}"
            self._warn(cronjob, "MissSchedule", message)
            return True
        if _is_acted_upon(cronjob, status, at_ns) or not self._make_room(cronjob, status):
            return True
        return self._start(cronjob, status, at_ns)

    def _make_room(self, cronjob: Json, status: CronJobStatus) -> bool:
        """Apply the concurrency policy to the Jobs that still run; whether another may run."""
        policy = cronjob["spec"]["concurrencyPolicy"]
        if policy == "Forbid" and status.active:
            message = (
                "Not starting job because prior execution is running and concurrency policy is"
            )
            self.events.event(cronjob, NORMAL, "JobAlreadyActive", f"{message} Forbid")
            return False
        for each in list(status.active) if policy == "Replace" else ():
            try:
                job = self.store.get(JOB, each["name"], each["namespace"])
            except NotFound as error:
                self._warn(cronjob, "FailedGet", f"Get job: {error.message}")
                raise
            if not self._removal.remove(cronjob, job, status):
                raise Retry(f"could not replace job {each['namespace']}/{each['name']}")
        return True

    def _start(self, cronjob: Json, status: CronJobStatus, at_ns: int) -> bool:
        job = from_template(cronjob, at_ns)
        try:
            created = self.store.create(job)
        except AlreadyExists:
            # Created by another client, which handles it; or by us, and not in the status.
            created = self.store.get(JOB, job["metadata"]["name"], job["metadata"]["namespace"])
            is_ours = is_controlled_by(created, cronjob)
            if not is_ours or status.lists(created["metadata"]["uid"]):
                return False
        except ApiError as error:
            if not is_namespace_ending(error):
                self._warn(cronjob, "FailedCreate", f"Error creating job: {error.message}")
            raise
        else:
            message = f"Created job {created['metadata']['name']}"
            self.events.event(cronjob, NORMAL, "SuccessfulCreate", message)
        status.start(created, at_ns)
        return True

    def _find(self, reference: Json) -> Json | None:
        return self.lister.get(JOB, f"{reference['namespace']}/{reference['name']}")

    def _warn(self, cronjob: Json, reason: str, message: str) -> None:
        self.events.event(cronjob, WARNING, reason, message)


def _is_acted_upon(cronjob: Json, status: CronJobStatus, at_ns: int) -> bool:
    name = name_for(cronjob, at_ns)
    if any(each.get("name") == name for each in status.active):
        return True
    last = status.last_schedule_time
    return last is not None and timestamps.parse_time(last) == at_ns
