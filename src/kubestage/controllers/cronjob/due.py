"""Which moment of a schedule is due, and when to sync again."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import MalformedValue
from kubestage.objects import cron_schedule, time_zones
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

MARGIN_NS: Final = 100_000_000
"""How long after a moment it is acted upon, for clocks that do not agree."""

_MANY: Final = 100


class InvalidSchedule(MalformedValue):
    """A schedule that can be read but names no moments."""


class Due(NamedTuple):
    """`at_ns` is the latest moment that has come since `since_ns`, if any.

    `missed` is how many have come, counted roughly, if there is more than one.
    """

    since_ns: int
    at_ns: int | None = None
    missed: int = 0

    @property
    def too_many(self) -> bool:
        """Whether so many moments were missed that something must be wrong."""
        return self.missed > _MANY


def schedule_text(spec: Json) -> str:
    """A CronJob's schedule with its time zone in it."""
    text: str = spec["schedule"]
    zone = spec.get("timeZone")
    if zone is None or "TZ" in text:
        return text
    try:
        time_zones.check(zone)
    except time_zones.UnknownTimeZone:
        return text
    return f"TZ={zone} {text}"


@functools.lru_cache(maxsize=4096)
def _next_ns(text: str, after_ns: int) -> int | None:
    # NOTE: several syncs of a CronJob need the same moment, and CronJobs share schedules.
    return cron_schedule.parse(text).next_ns(after_ns)


def latest(since_ns: int, text: str, now_ns: int) -> Due:
    """The moment that is due, as seen from the last one that was acted upon."""
    first_ns = _next_ns(text, since_ns)
    if first_ns is not None and now_ns < first_ns:
        return Due(since_ns)
    second_ns = None if first_ns is None else _next_ns(text, first_ns)
    if first_ns is None or second_ns is None or second_ns - first_ns < SECOND_NS:
        raise InvalidSchedule("time difference between two schedules is less than 1 second")
    if now_ns < second_ns:
        return Due(since_ns, first_ns)
    # Moments may be irregular: how many were missed is an estimate, and the latest is searched
    # for from one interval before the estimated one.
    between_ns = second_ns - first_ns
    missed = (now_ns - first_ns) // between_ns + 1
    at_ns = None
    candidate_ns = _next_ns(text, first_ns + (missed - 2) * between_ns)
    while candidate_ns is not None and candidate_ns <= now_ns:
        at_ns = candidate_ns
        candidate_ns = _next_ns(text, at_ns)
    return Due(since_ns, at_ns, missed)


def latest_startable(since_ns: int, spec: Json, text: str, now_ns: int) -> Due:
    """As `latest`, but what is past the starting deadline of a CronJob does not count."""
    deadline_seconds = spec.get("startingDeadlineSeconds")
    if deadline_seconds is not None:
        since_ns = max(since_ns, now_ns - int(deadline_seconds) * SECOND_NS)
    return latest(since_ns, text, now_ns)


def wait_ns(since_ns: int, text: str, now_ns: int) -> int:
    """How long until the next moment is to be acted upon."""
    try:
        due = latest(since_ns, text, now_ns)
    except InvalidSchedule:
        from_ns = now_ns
    else:
        from_ns = due.at_ns or (now_ns if due.missed else since_ns)
    next_ns = _next_ns(text, from_ns)
    return 0 if next_ns is None else next_ns + MARGIN_NS - now_ns
