"""A Scenario counts its own time and versions.

Its status shows what would have happened on a new cluster, whatever happened on this one before.
The versions of a store only increase, because watches resume at them, and so does the calendar of
a server. What the timeline shows of an object is therefore counted from where the Scenario began.
Where it began with a new cluster, as in ``kubestage run``, objects are shown as they are.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import timestamps
from kubestage.store import seeding
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json

BEGAN: Final = "kubestage.dev/began"
"""The annotation of a Scenario that says when, and at which version, it began on its cluster."""

ALONE: Final = 1 + seeding.COUNT + 3
"""The version of a new cluster in which a Scenario was created, was Pending, and is Running."""

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")
# What a cluster writes; all else in an object was requested by a client.
_STAMPS: Final = ("creationTimestamp", "deletionTimestamp", "managedFields")
_SCHEDULED: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"


class ScenarioCounts:
    """How to count: the version and the moment at which a Scenario began, and its own first moment.

    `others` are versions that were spent on other Scenarios since, in order.
    """

    def __init__(
        self, revision: int = ALONE, began_ns: int = 0, origin_ns: int | None = None
    ) -> None:
        self.others: list[int] = []
        self._revision = revision
        self._began_ns = began_ns
        self._origin_ns = began_ns if origin_ns is None else origin_ns

    @property
    def is_plain(self) -> bool:
        """Whether everything is counted as the cluster counts it."""
        return self._revision == ALONE and self._shift_ns == 0 and not self.others

    @property
    def annotation(self) -> str:
        """What the Scenario's annotation says, so that another controller can go on counting."""
        return f"{timestamps.format_time(self._began_ns)} {self._revision}"

    def shown(self, obj: Json) -> Json:
        """An object as the timeline shows it; the object itself is not changed."""
        metadata = obj.get("metadata")
        if self.is_plain or not isinstance(metadata, dict):
            return obj
        shown = {**obj, "metadata": self._metadata(metadata)}
        if self._shift_ns and "status" in obj:
            shown["status"] = self._timed(obj["status"])
        return shown

    def _metadata(self, metadata: Json) -> Json:
        shown = dict(metadata)
        version = metadata.get("resourceVersion")
        if isinstance(version, str) and version.isdecimal():
            shown["resourceVersion"] = self.version(version)
        if self._shift_ns:
            shown.update({name: self._timed(shown[name]) for name in _STAMPS if name in shown})
            annotations = metadata.get("annotations") or {}
            if _SCHEDULED in annotations:
                due = self._timed(annotations[_SCHEDULED])
                shown["annotations"] = {**annotations, _SCHEDULED: due}
        return shown

    def version(self, version: str) -> str:
        """A version of the cluster as the Scenario counts it."""
        live = int(version)
        if live <= self._revision:
            return version
        return str(live - self._revision + ALONE - bisect.bisect_right(self.others, live))

    @property
    def _shift_ns(self) -> int:
        return self._began_ns - self._origin_ns

    def _timed(self, value: Any) -> Any:
        """The same with all times that lie in the Scenario counted from its own first moment."""
        if isinstance(value, dict):
            return {name: self._timed(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._timed(item) for item in value]
        found = _TIME.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            return value
        at_ns = timestamps.parse_time(value)
        if at_ns < self._began_ns:
            return value
        write = timestamps.format_micro_time if found[1] else timestamps.format_time
        return write(at_ns - self._shift_ns)


def whole_second(unix_ns: int) -> int:
    """The first whole second that is not before a moment: times are written in seconds."""
    return -(-unix_ns // SECOND_NS) * SECOND_NS


def resumed(scenario: Json, origin_ns: int) -> ScenarioCounts:
    """How a Scenario was counted by the controller that began it."""
    written = (scenario["metadata"].get("annotations") or {}).get(BEGAN) or ""
    moment, _, revision = written.partition(" ")
    try:
        return ScenarioCounts(int(revision), timestamps.parse_time(moment), origin_ns)
    except ValueError:
        return ScenarioCounts()
