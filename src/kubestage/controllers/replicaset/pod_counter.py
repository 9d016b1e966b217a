"""How many pods an owner has, kept up to date from change to change."""

from __future__ import annotations

import functools
import heapq
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.ownership import labels_of
from kubestage.objects import timestamps
from kubestage.sim.clock import NEVER_NS
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector


_ACTIVE: Final = 1
_TERMINATING: Final = 2
_STRAY: Final = 3


class Counts(NamedTuple):
    """What a status reports of an owner's pods."""

    replicas: int
    fully_labeled: int
    ready: int
    available: int
    terminating: int


class PodRow(NamedTuple):
    """What one pod contributes. `available_from` is None while it is not ready."""

    state: int
    is_fully_labeled: bool
    available_from: int | None


@functools.lru_cache(maxsize=256)
def _active(is_fully_labeled: bool, available_from: int | None) -> PodRow:
    """The row of an active pod; most pods have the same."""
    return PodRow(_ACTIVE, is_fully_labeled, available_from)


class PodCounter:
    """The pods that one owner controls, counted.

    Strays are active pods that no longer match the selector: they are to be released. What has
    run to its end is not kept, for it counts nowhere.
    """

    __slots__ = (
        "_delayed",
        "_fully_labeled",
        "_ready",
        "_rows",
        "_terminating",
        "_waiting",
        "active",
        "min_ready_seconds",
        "selector",
        "strays",
        "template_labels",
    )

    def __init__(
        self, selector: Selector, template_labels: dict[str, str], min_ready_seconds: int
    ) -> None:
        self.selector = selector
        self.template_labels = template_labels
        self.min_ready_seconds = min_ready_seconds
        self.active = 0
        self.strays = 0
        self._terminating = 0
        self._fully_labeled = 0
        self._ready = 0
        self._rows: dict[str, PodRow] = {}
        # Ready pods that are not available yet, by key and by time; of those by time some may be
        # out of date.
        self._waiting: dict[str, int] = {}
        self._delayed: list[tuple[int, str]] = []

    def observe(self, key: str, pod: Json) -> bool:
        """Count a pod as it is now; whether that changed anything."""
        new = self._row(pod)
        old = self._rows.get(key)
        if new == old:
            return False
        if old is not None:
            self._subtract(key, old)
        if new is None:
            del self._rows[key]
        else:
            self._rows[key] = new
            self._add(key, new)
        return True

    def forget(self, key: str) -> bool:
        """A pod is gone, or has another controller; whether it had counted."""
        old = self._rows.pop(key, None)
        if old is None:
            return False
        self._subtract(key, old)
        return True

    def counts(self, now_unix_ns: int) -> Counts:
        """The counts at a moment that is no earlier than that of the last call."""
        delayed, waiting = self._delayed, self._waiting
        while delayed and (
            delayed[0][0] <= now_unix_ns or waiting.get(delayed[0][1]) != delayed[0][0]
        ):
            at_ns, key = heapq.heappop(delayed)
            if waiting.get(key) == at_ns and at_ns <= now_unix_ns:
                del waiting[key]
        return Counts(
            self.active,
            self._fully_labeled,
            self._ready,
            self._ready - len(waiting),
            self._terminating,
        )

    @property
    def next_available_ns(self) -> int | None:
        """When the next pod becomes available, as of the moment counted last."""
        return self._delayed[0][0] if self._delayed and self._delayed[0][0] < NEVER_NS else None

    def active_keys(self, *, strays: bool = False) -> list[str]:
        """The keys of the active pods, in order, with strays or without."""
        condition_type = (_ACTIVE, _STRAY) if strays else (_ACTIVE,)
        return sorted(key for key, row in self._rows.items() if row.state in condition_type)

    def _row(self, pod: Json) -> PodRow | None:
        status = pod.get("status")
        if status is not None and status.get("phase") in ("Succeeded", "Failed"):
            return None
        labels = labels_of(pod)
        matches = self.selector.matches(labels)
        if "deletionTimestamp" in pod["metadata"]:
            return PodRow(_TERMINATING, False, None) if matches else None
        if not matches:
            return PodRow(_STRAY, False, None)
        is_fully_labeled = self.template_labels.items() <= labels.items()
        return _active(is_fully_labeled, self._available_from(status))

    def _available_from(self, status: Json | None) -> int | None:
        for condition in (status or {}).get("conditions") or ():
            if condition["type"] == "Ready":
                if condition["status"] != "True":
                    return None
                if not self.min_ready_seconds:
                    return 0
                since = condition.get("lastTransitionTime")
                if not since:
                    return NEVER_NS
                return timestamps.parse_time(since) + self.min_ready_seconds * SECOND_NS
        return None

    def _add(self, key: str, row: PodRow) -> None:
        if row.state == _ACTIVE:
            self.active += 1
            self._fully_labeled += row.is_fully_labeled
            if row.available_from is not None:
                self._ready += 1
                if row.available_from:
                    self._waiting[key] = row.available_from
                    heapq.heappush(self._delayed, (row.available_from, key))
        elif row.state == _TERMINATING:
            self._terminating += 1
        else:
            self.strays += 1

    def _subtract(self, key: str, row: PodRow) -> None:
        if row.state == _ACTIVE:
            self.active -= 1
            self._fully_labeled -= row.is_fully_labeled
            if row.available_from is not None:
                self._ready -= 1
                self._waiting.pop(key, None)
        elif row.state == _TERMINATING:
            self._terminating -= 1
        else:
            self.strays -= 1
