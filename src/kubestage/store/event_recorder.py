"""Event recorders: how components report what happened to objects.

client-go has two of them. `EventRecorder` is that of ``tools/record``, which most components use.
`SeriesRecorder` is that of ``tools/events``, which the scheduler uses.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kubestage.objects import names, timestamps
from kubestage.store.event_writer import (
    COMBINED,
    NORMAL,
    SIMILAR_EVENTS,
    SIMILAR_FOR_NS,
    WARNING,
    EventWriter,
    SpamFilter,
)
from kubestage.store.outlines import outline
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store

__all__ = ["NORMAL", "WARNING", "EventRecorder", "SeriesRecorder"]

_T = TypeVar("_T")

_CACHED: Final = 4096

_HOST: Final = "kubestage"
_SERIES_NS: Final = 360 * SECOND_NS
_METADATA: Final = outline(
    dict.fromkeys(("name", "namespace", "uid", "creationTimestamp", "resourceVersion"))
)
_INVOLVED: Final = outline(
    {"kind": ""}, ("namespace", "name", "uid", "apiVersion", "resourceVersion")
)


@dataclasses.dataclass(slots=True)
class _Similar:
    """The different messages with one reason about one object."""

    messages: dict[str, None]
    last_ns: int


@dataclasses.dataclass(slots=True)
class _Observed:
    """How often an Event was reported, when first, and the key under which it is written."""

    count: int
    first: str
    key: str = ""


class EventRecorder:
    """Writes the Events of one component to the store.

    Equal Events are one that counts. From the tenth different message with the same reason within
    ten minutes on, Events are combined. Too many about one object are held back.
    """

    def __init__(self, store: Store, component: str) -> None:
        self._writer = EventWriter(store)
        self._source = {"component": component}
        self._similar: OrderedDict[tuple[str, str, str], _Similar] = OrderedDict()
        self._observed: OrderedDict[tuple[str, ...], _Observed] = OrderedDict()
        self._filters: OrderedDict[tuple[str, str], SpamFilter] = OrderedDict()

    def event(
        self,
        regarding: Json,
        kind: str,
        reason: str,
        message: str,
        annotations: dict[str, str] | None = None,
    ) -> None:
        """Report that something happened to an object: Normal or Warning, why, and in words."""
        writer = self._writer
        now_ns, metadata = writer.clock.now_ns, regarding["metadata"]
        uid = metadata.get("uid") or metadata["name"]
        key: tuple[str, ...] = (uid, kind, reason, message)
        if self._is_one_of_many((uid, kind, reason), message, now_ns):
            key, message = (uid, kind, reason), COMBINED + message
        stamp = writer.stamp()
        observed = _recall(self._observed, key)
        if observed is None:
            observed = _Observed(0, stamp)
            _remember(self._observed, key, observed)
        observed.count += 1
        if not self._may_pass((uid, kind), now_ns):
            return
        count = observed.count
        if count > 1 and writer.change(
            observed.key, message=message, count=count, lastTimestamp=stamp
        ):
            writer.store.settle()
            return
        within = writer.namespace(metadata.get("namespace") or "default")
        if within is None:
            return
        namespace = within["metadata"]["name"]
        _, observed.key = writer.free_key(namespace, metadata["name"])
        writer.add_core(
            namespace,
            observed.key,
            _involved(regarding),
            kind,
            reason,
            message,
            count=count,
            first=observed.first,
            source=self._source,
            annotations=annotations,
        )
        writer.store.settle()

    def _is_one_of_many(self, key: tuple[str, str, str], message: str, now_ns: int) -> bool:
        """Whether too many different messages give the same reason within ten minutes."""
        similar = _recall(self._similar, key)
        if similar is None or now_ns - similar.last_ns > SIMILAR_FOR_NS:
            similar = _Similar({}, now_ns)
            _remember(self._similar, key, similar)
        similar.messages[message] = None
        similar.last_ns = now_ns
        if len(similar.messages) < SIMILAR_EVENTS:
            return False
        del similar.messages[next(iter(similar.messages))]
        return True

    def _may_pass(self, key: tuple[str, str], now_ns: int) -> bool:
        found = _recall(self._filters, key)
        if found is None:
            found = SpamFilter()
            _remember(self._filters, key, found)
        return found.allow(now_ns)


def _involved(regarding: Json) -> Json:
    metadata = regarding["metadata"]
    involved = _INVOLVED.copy()
    involved["kind"] = regarding["kind"]
    if metadata.get("namespace"):
        involved["namespace"] = metadata["namespace"]
    involved["name"] = metadata["name"]
    if metadata.get("uid"):
        involved["uid"] = metadata["uid"]
    involved["apiVersion"] = regarding["apiVersion"]
    if metadata.get("resourceVersion"):
        involved["resourceVersion"] = metadata["resourceVersion"]
    return involved


def _recall(cache: OrderedDict[Any, _T], key: Any) -> _T | None:
    found = cache.get(key)
    if found is not None:
        cache.move_to_end(key)
    return found


def _remember(cache: OrderedDict[Any, _T], key: Any, entry: _T) -> None:
    cache[key] = entry
    cache.move_to_end(key)
    if len(cache) > _CACHED:
        cache.popitem(last=False)


_Key = tuple[str, str, str, str, str]


@dataclasses.dataclass(slots=True)
class _Series:
    key: str
    count: int
    last_ns: int


class SeriesRecorder:
    """Writes Events of many components to the store.

    What goes wrong with the same version of an object in the same way within six minutes is one
    Event with a series that counts its repetitions.
    """

    def __init__(self, store: Store) -> None:
        self._writer = EventWriter(store)
        self._series: dict[_Key, _Series] = {}
        self._most_series = _CACHED
        self._last_number = 0
        self._read_ns = -1
        self._time = self._micro_time = ""

    def event(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """Write an Event, or count it in; a terminating namespace takes none."""
        if kind != WARNING:
            self._write(regarding, kind, reason, action, note, by)
            return
        metadata = regarding["metadata"]
        key = metadata["uid"], metadata["resourceVersion"], reason, action, by
        now_ns = self._writer.clock.now_ns
        series = self._series.get(key)
        if series is not None and now_ns - series.last_ns <= _SERIES_NS:
            series.count, series.last_ns = series.count + 1, now_ns
            self._read_clock()
            counted = {"count": series.count, "lastObservedTime": self._micro_time}
            if self._writer.change(series.key, series=counted):
                self._writer.store.settle()
                return
        written = self._write(regarding, kind, reason, action, note, by)
        if written:
            self._forget_old(now_ns)
            self._series[key] = _Series(written, 1, now_ns)

    def _write(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> str:
        writer, metadata = self._writer, regarding["metadata"]
        namespace, about = metadata.get("namespace") or "default", metadata["name"]
        within = writer.namespace(namespace)
        if within is None or not writer.store.object_limit.takes_events:
            return ""
        if writer.clock.now_ns != self._read_ns:
            self._read_clock()
        store, events = writer.store, writer.events
        number = self._last_number + 1
        while (key := f"{namespace}/{about}.{number:x}") in events.objects:
            number += 1
        self._last_number = number
        event = _outline(kind, reason, action, by).copy()
        event["metadata"] = own = _METADATA.copy()
        own["name"] = key[len(namespace) + 1 :]
        own["namespace"] = within["metadata"]["name"]
        own["uid"] = names.uid(store.uid_stream)
        own["creationTimestamp"] = self._time
        event["involvedObject"] = involved = _INVOLVED.copy()
        involved["kind"] = regarding["kind"]
        involved["namespace"] = namespace
        involved["name"] = about
        involved["uid"] = metadata["uid"]
        involved["apiVersion"] = regarding["apiVersion"]
        involved["resourceVersion"] = metadata["resourceVersion"]
        event["message"] = note
        event["eventTime"] = self._micro_time
        store.ledger.add(events, key, event)
        store.settle()
        return key

    def _read_clock(self) -> None:
        """Write the time down once for all Events of an instant, which count up from it.

        NOTE: there is an Event for every pod that is placed (benchmarks/scheduler.py).
        """
        clock = self._writer.clock
        self._read_ns = clock.now_ns
        self._time = timestamps.format_time(clock.unix_ns)
        self._micro_time = timestamps.format_micro_time(clock.unix_ns)
        self._last_number = max(self._last_number, clock.unix_ns - 1)

    def _forget_old(self, now_ns: int) -> None:
        if len(self._series) >= self._most_series:
            self._series = {
                key: each
                for key, each in self._series.items()
                if now_ns - each.last_ns <= _SERIES_NS
            }
            # NOTE: otherwise every one of many failing pods would search all series.
            self._most_series = max(2 * len(self._series), _CACHED)


@functools.lru_cache(maxsize=256)
def _outline(kind: str, reason: str, action: str, by: str) -> Json:
    """An Event with the fields that all of one sort have in common; to be copied."""
    fields: Json = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": None,
        "involvedObject": None,
        "reason": reason,
        "message": "",
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "type": kind,
        "eventTime": None,
        "action": action,
        "reportingComponent": by,
        "reportingInstance": f"{by}-{_HOST}",
    }
    return outline(fields)
