"""What a test expects of the Events of its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.testing.clusters import messages, naming
from kubestage.testing.clusters.messages import Problem
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.testing.clusters.cluster import Cluster
    from kubestage.testing.clusters.naming import ObjectName

_MOST: Final = 8


class ExpectedEvents(NamedTuple):
    """Events by what they are about, their reason, and a part of their message."""

    about: ObjectName | None
    reason: str
    message: str
    at_least: int

    def __str__(self) -> str:
        parts = ["Events"]
        if self.about is not None:
            parts.append(f"about {self.about}")
        if self.reason:
            parts.append(f"with reason {self.reason}")
        if self.message:
            parts.append(f'that say "{self.message}"')
        return " ".join(parts)

    def found(self, cluster: Cluster) -> list[Json]:
        """Those that there are."""
        known = messages.events_of(cluster.store, self.about, self.reason)
        return [each for each in known if self.message in (each.get("message") or "")]


def missing(cluster: Cluster, required: ExpectedEvents) -> Problem | None:
    """Why there are not enough of them."""
    found = len(required.found(cluster))
    if found >= required.at_least:
        return None
    number = "none" if not found else f"only {found} of {required.at_least}"
    objects = []
    if required.about is not None:
        obj = naming.find(cluster.store, required.about)
        objects = [] if obj is None else [obj]
    every = messages.events_of(cluster.store, None)
    reasons = sorted({str(each.get("reason")) for each in every})
    known = f"Events have the reasons {', '.join(reasons)}." if reasons else "There are no Events."
    return Problem(str(required), f"there are {number}", objects, [known])


def unexpected(cluster: Cluster, required: ExpectedEvents) -> Problem | None:
    """Why there are some, although there should be none."""
    found = required.found(cluster)
    if not found:
        return None
    now_ns = cluster.stage.clock.unix_ns
    lines = [messages.event_line(each, now_ns) for each in found[-_MOST:]]
    return Problem(f"no {required}", f"there are {plural(len(found), 'such Event')}", (), lines)
