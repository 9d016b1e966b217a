"""Removes Jobs that are over when their ttlSecondsAfterFinished has passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.controller import Controller
from kubestage.controllers.job import conditions
from kubestage.controllers.job.tracking import JOB
from kubestage.errors import NotFound
from kubestage.objects import timestamps
from kubestage.store.deletion import DeleteOptions
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Handlers
    from kubestage.store.log import Change


class TTLAfterFinishedController(Controller):
    """Deletes a Job `ttlSecondsAfterFinished` after its end, its pods first."""

    name = "ttl-after-finished-controller"

    def handlers(self) -> Handlers:
        """Jobs only."""
        return {("batch", "Job"): self._on_job}

    def _on_job(self, change: Change) -> None:
        if change.type != DELETED and _expires_ns(change.new) is not None:
            self.queue.add(change.key)

    def sync(self, key: str) -> None:
        """Delete a Job whose time is up, or come back when it is."""
        job = self.lister.get(JOB, key)
        expires_ns = None if job is None else _expires_ns(job)
        if job is None or expires_ns is None:
            return
        if expires_ns > self.clock.unix_ns:
            self.queue.add_at(key, expires_ns)
            return
        metadata = job["metadata"]
        options = DeleteOptions(propagation_policy="Foreground", uid=metadata["uid"])
        try:
            self.store.delete(JOB, metadata["name"], metadata["namespace"], options)
        except NotFound:
            return


def _expires_ns(job: Json) -> int | None:
    """When a Job expires; None if it is not finished, has no TTL, or is terminating."""
    stays_seconds = job["spec"].get("ttlSecondsAfterFinished")
    if stays_seconds is None or "deletionTimestamp" in job["metadata"]:
        return None
    finished = conditions.finished(job)
    if finished is None:
        return None
    ended_ns = timestamps.parse_time(finished["lastTransitionTime"])
    return ended_ns + int(stays_seconds) * SECOND_NS
